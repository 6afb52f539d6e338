package openai

import "github.com/eaapl/handoff/pkg/finding"

// handoffRules are the rules on the route of a task and on the input handed over.
func handoffRules() []checkedRule {
	return []checkedRule{{finding.Rule{
		ID:      "openai/loop",
		Summary: "An agent hands to the same agent again, another or itself, before the user says anything: A, B, A, B.",
		Why: "Agents hand off to each other without end, each time at a cost. It is reported where the sequence of agents repeats, once for each message of the user; summaries count with what they list. " +
			"The name of the first agent is not in the data: it is taken for the one that hands to the same agent again. Let one of them end the task, or ask the user.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"},
  {"type": "function_call", "call_id": "call_2", "name": "transfer_to_orders", "arguments": ""}, {"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Orders\"}"}], "new_items": [
  {"type": "function_call", "call_id": "call_3", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_3", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"},
  {"type": "function_call", "call_id": "call_2", "name": "transfer_to_orders", "arguments": ""}, {"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Orders\"}"}], "new_items": [
  {"role": "assistant", "content": "Which of your orders is it?"}]}`,
	}, checkLoops}, {finding.Rule{
		ID:      Bounce,
		Summary: "An agent gets a task back soon after it handed it over: A, B, A.",
		Why: "B did hardly anything, and each handoff is a turn of a model: the first one was a mistake. Make the descriptions of the two say more, or give A what it misses. " +
			"It is reported where the number of items is given within which a task must not come back, and the user said nothing in between. " +
			"Which agent had the task first is known from run items, or where it has had the task before; with definitions of the agents, openai-run/bounce knows more.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "handoff_call_item", "agent": {"name": "Triage"}, "raw_item": {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}},
  {"type": "handoff_output_item", "agent": {"name": "Triage"}, "raw_item": {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}},
  {"type": "handoff_call_item", "agent": {"name": "Refunds"}, "raw_item": {"type": "function_call", "call_id": "call_2", "name": "transfer_to_triage", "arguments": ""}},
  {"type": "handoff_output_item", "agent": {"name": "Refunds"}, "raw_item": {"type": "function_call_output", "call_id": "call_2", "output": "{\"assistant\": \"Triage\"}"}}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "handoff_call_item", "agent": {"name": "Triage"}, "raw_item": {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}},
  {"type": "handoff_output_item", "agent": {"name": "Triage"}, "raw_item": {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}}]}`,
		Severity: finding.Warning,
	}, checkBounces}, {finding.Rule{
		ID:      Unfiltered,
		Summary: "A long history is handed over whole.",
		Why: "By default the next agent gets everything that was ever said, tool calls and their results too: it costs at every turn, and the agent loses sight of what it is asked. " +
			"Nothing in the data shows a filter: no summary, and no input_items in place of new_items. Give the handoff an input_filter, or nest the history. With definitions of the agents, openai-run/no-input-filter says so of handoffs without a filter. " +
			"Long are more than fifty items, or as many as the caller says; here, more than four.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "Order 17."}], "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Good: `{"input_history": [{"role": "user", "content": "Order 17."}], "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Severity: finding.Warning,
	}, checkWhole}}
}
