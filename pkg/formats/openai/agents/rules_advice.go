package agents

import "github.com/eaapl/handoff/pkg/finding"

func adviceRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleUndescribed,
		Summary: "The target of a handoff has no description.",
		Why:     "The model sees only the name of the agent, and has to guess its purpose. Write a handoff_description that describes the agent's tasks and their limits.",
		Bad:     `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing"}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleVague,
		Summary: "The description of an agent adds hardly anything to its name.",
		Why: "With the description \"Billing\" or \"Handles billing\", the model has to guess the tasks of the agent. Describe them with the words of users: payments, refunds, the balance of an account. " +
			"A description is vague if it has fewer than two meaningful words that are not in the name. Words such as agent, handles and help are not meaningful.",
		Bad:      `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing", "handoff_description": "Billing"}]}`,
		Good:     `{"agents": [{"name": "Triage", "handoffs": ["Billing"]}, {"name": "Billing", "handoff_description": "Payment issues, refunds, subscriptions, and the balance of an account."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleSimilar,
		Summary: "Two handoffs of an agent have almost the same description.",
		Why:     "The model cannot distinguish them, and chooses either. Describe the tasks that only one of them does, or combine both into one agent. Two descriptions are similar if they share three quarters of their words.",
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
		Why:     "Each handoff is a tool that the model reads in every turn and may choose by mistake. Combine similar agents into one, or hand over to one agent per domain, which hands over to the others.",
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
		Why:     "Their names begin with the same word, such as billing_refunds, billing_payments and billing_subscriptions. The model has to choose among similar agents, and a task that belongs to several of them is handed over again. Combine them into one agent with all their tools.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["billing_refunds", "billing_payments", "billing_subscriptions"]},
  {"name": "billing_refunds", "handoff_description": "Gives money back for returned goods."},
  {"name": "billing_payments", "handoff_description": "Takes cards and bank transfers."},
  {"name": "billing_subscriptions", "handoff_description": "Starts, changes and ends monthly plans."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["billing"]},
  {"name": "billing", "handoff_description": "Takes cards and bank transfers, gives money back, and changes monthly plans."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleLongHistory,
		Summary: "A handoff passes on a long history without a filter.",
		Why: "By default, the next agent gets the whole conversation. It is assumed to be long if the handoff is at least the third on the shortest path from the first agent, or is part of a cycle, where each round adds to it. " +
			"Name an input_filter, or set nest_handoff_history for the handoff or the run.",
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
		Why: "The SDK raises an error. The model invented the tool or saw it in the history of another agent, or the definitions do not belong to the run. " +
			"Filter out the items of tools at handoffs (input_filter), or give the agent the handoff. The run begins with the first agent of the definitions; run items name their agent.",
		Bad:  `{"input_history": "My invoice is wrong.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_sales", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Sales\"}"}]}`,
		Good: `{"input_history": "My phone is broken.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
	}, {
		ID:      ruleDisabledCall,
		Summary: "An agent calls a handoff that is disabled.",
		Why:     "The model does not get a disabled tool. Either the tool was enabled when the run was recorded, or the model has its name from the history. A handoff with a condition counts as disabled only if the run context is known.",
		Bad: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Good: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}]}`,
	}, {
		ID:      ruleForeignTool,
		Summary: "An agent calls a tool that only other agents have.",
		Why:     "After a handoff, the next agent has only its own tools, and the SDK raises an error. The model has seen the calls of the previous agent, and repeats them. Filter them out at the handoff (input_filter), or give the agent the tool.",
		Bad: `{"input_history": "My phone is broken.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "find_customer", "arguments": "{}"}, {"type": "function_call_output", "call_id": "call_2", "output": "none"}]}`,
		Good: `{"input_history": "My phone is broken.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}],
  "new_items": [{"type": "function_call", "call_id": "call_2", "name": "run_diagnosis", "arguments": "{}"}, {"type": "function_call_output", "call_id": "call_2", "output": "none"}]}`,
	}, {
		ID:      ruleBounce,
		Summary: "An agent gets a task back soon after handing it over: A, B, A.",
		Why: "B did hardly any work, and each handoff costs a turn of a model, so the first handoff was a mistake. Make the descriptions of both agents more specific, or give A the missing tools or instructions. " +
			"The bounce is reported if the output of B's handoff is among the five items after the output of A's handoff, without a message of the user in between.",
		Bad: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Triage\"}"}]}`,
		Good: `{"input_history": "My invoice is wrong.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_billing", "arguments": "{\"invoice\": \"17\", \"urgency\": \"low\"}"}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Billing\"}"}],
  "new_items": [{"role": "assistant", "content": "Which item of the invoice is wrong?"}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleUnfiltered,
		Summary: "A handoff without an input filter passes on a long history.",
		Why: "The next agent gets the whole conversation, with all tool calls and their results. This costs tokens in every turn, and distracts the agent from its task. Name an input_filter in the definition, or set nest_handoff_history for the handoff or the run. " +
			"A history is long if it has more than 50 items, or more than the caller allows. The limit of these examples is 6. A summary counts as one item.",
		Bad: `{"input_history": [{"role": "user", "content": "My phone is broken."}, {"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "The red one."}, {"role": "assistant", "content": "Since when?"}, {"role": "user", "content": "Monday."}],
  "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Good: `{"input_history": "My red phone has been broken since Monday.",
  "pre_handoff_items": [], "new_items": [{"type": "function_call", "call_id": "call_1", "name": "transfer_to_technical_support", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Technical Support\"}"}]}`,
		Severity: finding.Warning,
	}}
}
