package agents

import "github.com/eaapl/handoff/pkg/finding"

func adviceRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleUndescribed,
		Summary: "Nothing says what an agent is for that others hand over to.",
		Why:     "The model sees the name of the agent, and has to guess. Write a handoff_description: what the agent does, and what it does not.",
		Bad:     `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing"}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleVague,
		Summary: "A description says hardly more than the name of the agent.",
		Why: "Billing, or Handles billing, leaves the model to guess what belongs there. Say what the agent does in words that users have for it: payments, refunds, the balance of an account. " +
			"A description is vague with fewer than two words that are not in the name and mean something: agent, handles, help and the like do not.",
		Bad:      `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing", "handoff_description": "Billing"}]}`,
		Good:     `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing", "handoff_description": "Payment issues, refunds, subscriptions, and the balance of an account."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleSimilar,
		Summary: "Two handoffs of an agent have almost the same description.",
		Why:     "The model cannot tell them apart, and takes either. Say what only one of them does, and what it does not do; or make one agent of the two. Two descriptions are alike that share three quarters of their words.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["Billing", "Accounts"]},
  {"name": "Billing", "handoff_description": "Explains invoices, payments and refunds."},
  {"name": "Accounts", "handoff_description": "Explains refunds, invoices and payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing", "Accounts"]},
  {"name": "Billing", "handoff_description": "Explains invoices, payments and refunds."},
  {"name": "Accounts", "handoff_description": "Changes the address and the password of a customer. Not for invoices."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleMany,
		Summary: "An agent has many handoffs.",
		Why:     "Each is a tool that the model reads in every turn, and may take by mistake. Make one agent of those that are alike, or let an agent for the domain hand on.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"]},
  {"name": "A", "handoff_description": "Invoices and payments."}, {"name": "B", "handoff_description": "Lost or stolen cards."},
  {"name": "C", "handoff_description": "Repairs of broken devices."}, {"name": "D", "handoff_description": "Contracts and renewals."},
  {"name": "E", "handoff_description": "Passwords and logins."}, {"name": "F", "handoff_description": "Shipping and returns."},
  {"name": "G", "handoff_description": "Jobs and applications."}, {"name": "H", "handoff_description": "Press and interviews."},
  {"name": "I", "handoff_description": "Moving to another address."}, {"name": "J", "handoff_description": "Privacy and deletion."},
  {"name": "K", "handoff_description": "Discounts and vouchers."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["A", "B", "C"]},
  {"name": "A", "handoff_description": "Invoices and payments."}, {"name": "B", "handoff_description": "Lost or stolen cards."},
  {"name": "C", "handoff_description": "Repairs of broken devices."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleGranular,
		Summary: "An agent hands over to three or more agents of one domain.",
		Why:     "Their names begin with the same word: refunds, payments and subscriptions of billing. The model has to choose among what is alike, and the task is handed on when it turns out to be more than one of them. Make one agent of them; it may have all their tools.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["billing_refunds", "billing_payments", "billing_subscriptions"]},
  {"name": "billing_refunds", "handoff_description": "Gives money back for returned goods."},
  {"name": "billing_payments", "handoff_description": "Takes cards and bank transfers."},
  {"name": "billing_subscriptions", "handoff_description": "Starts, changes and ends monthly plans."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["billing"]},
  {"name": "billing", "handoff_description": "Takes cards and bank transfers, gives money back, and changes monthly plans."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleLongHistory,
		Summary: "A handoff passes on a long history whole.",
		Why: "By default the next agent gets everything that was ever said. Here that is long: the handoff is the third or a later one on the shortest way from the first agent, or it is in a circle, where each round adds to it. " +
			"Name an input_filter, or nest the history: nest_handoff_history of the handoff, or of the run.",
		Bad: `{"agents": [{"name": "Level 1", "handoffs": ["Level 2"]},
  {"name": "Level 2", "handoff_description": "Resets passwords and unlocks accounts.", "handoffs": ["Level 3"]},
  {"name": "Level 3", "handoff_description": "Repairs databases and networks.", "handoffs": ["Level 4"]},
  {"name": "Level 4", "handoff_description": "Writes to the maker of the software."}]}`,
		Good: `{"agents": [{"name": "Level 1", "handoffs": ["Level 2"]},
  {"name": "Level 2", "handoff_description": "Resets passwords and unlocks accounts.", "handoffs": ["Level 3"]},
  {"name": "Level 3", "handoff_description": "Repairs databases and networks.", "handoffs": [{"agent": "Level 4", "nest_handoff_history": true}]},
  {"name": "Level 4", "handoff_description": "Writes to the maker of the software."}]}`,
		Severity: finding.Warning,
	}}
}

func runRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleUnknownCall,
		Summary: "An agent calls a handoff that it does not have.",
		Why: "The SDK raises an error: the model made the tool up, saw it in the history of another agent, or the definitions are not those that the run had. " +
			"Filter the items of tools out at handoffs (input_filter), or give the agent the handoff. The run begins with the first agent of the definitions; run items say whose they are.",
		Bad:  `{"input_history": "My invoice is wrong.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_sales", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Sales\"}"}]}`,
		Good: `{"input_history": "My phone is broken.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
	}, {
		ID:      ruleDisabledCall,
		Summary: "An agent calls a handoff that is disabled.",
		Why:     "The model does not get a tool that is disabled: it was enabled when the run was recorded, or the model has the name from the history. A handoff with a condition counts as disabled only where the run context is known.",
		Bad: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Good: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}]}`,
	}, {
		ID:      ruleForeignTool,
		Summary: "An agent calls a tool that only other agents have.",
		Why:     "After a handoff the next agent has its own tools alone, and the SDK raises an error. The model has seen the calls of the agent before it, and goes on with them: filter them out at the handoff (input_filter), or give the agent the tool.",
		Bad: `{"input_history": "My phone is broken.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "find_customer", "arguments": "{}"}, {"type": "function_call_output", "call_id": "call_2", "output": "none"}]}`,
		Good: `{"input_history": "My phone is broken.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "run_diagnosis", "arguments": "{}"}, {"type": "function_call_output", "call_id": "call_2", "output": "none"}]}`,
	}, {
		ID:      ruleBounce,
		Summary: "An agent gets a task back soon after it handed it over: A, B, A.",
		Why: "B did hardly anything, and each handoff is a turn of a model: the first one was a mistake. Make the descriptions of the two say more, or give A what it misses. " +
			"Soon means: the output by which B hands back is among the five items after the one by which A did, and the user said nothing in between.",
		Bad: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Triage\"}"}]}`,
		Good: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"role": "assistant", "content": "Which item of the invoice is wrong?"}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleUnfiltered,
		Summary: "A handoff without an input filter passes on a long history.",
		Why: "The next agent gets everything that was ever said, tool calls and their results too: it costs at every turn, and the agent loses sight of what it is asked. Name an input_filter in the definition, or nest the history: nest_handoff_history of the handoff, or of the run. " +
			"Long are more than fifty items of the run, or as many as the caller says; here, more than six. What a summary lists is one item.",
		Bad: `{"input_history": [{"role": "user", "content": "My phone is broken."}, {"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "The red one."}, {"role": "assistant", "content": "Since when?"}, {"role": "user", "content": "Monday."}],
  "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Good: `{"input_history": "My red phone has been broken since Monday.",
  "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Severity: finding.Warning,
	}}
}
