package openai

import "github.com/eaapl/handoff/pkg/finding"

// handoffRules are the rules on the route of a task and on the input handed over.
func handoffRules() []checkedRule {
	return []checkedRule{{finding.Rule{
		ID:      "openai/loop",
		Summary: "An agent hands over to the same agent (another or itself) again before the next message of the user: A, B, A, B.",
		Why: "Agents may hand over to each other endlessly, at a cost each time. The loop is reported once for each message of the user, at the point where the sequence of agents repeats. Items in summaries count too. " +
			"The data does not contain the name of the first agent; it is assumed to be the agent that hands over to the same agent again. Have one of the agents end the task, or ask the user.",
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
		Summary: "An agent gets a task back soon after handing it over: A, B, A.",
		Why: "B did hardly any work, and each handoff costs a turn of a model, so the first handoff was a mistake. Make the descriptions of both agents more specific, or give A the missing tools or instructions. " +
			"The rule is checked only if the caller sets the number of items within which a task must not come back. A message of the user in between ends the count. " +
			"The first agent is known only from run items, or if it had the task before. With definitions of the agents, openai-run/bounce is more accurate.",
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
		Summary: "A long history is handed over without a filter.",
		Why: "By default, the next agent gets the whole conversation, with all tool calls and their results. This costs tokens in every turn, and distracts the agent from its task. " +
			"The data shows no sign of a filter: it has no summary, and no input_items in place of new_items. Give the handoff an input_filter, or nest the history. With definitions of the agents, openai-run/no-input-filter reports handoffs without a filter. " +
			"A history is long if it has more than 50 items, or more than the caller allows. The limit of these examples is 4.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "Order 17."}], "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Good: `{"input_history": [{"role": "user", "content": "Order 17."}], "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}, {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Severity: finding.Warning,
	}, checkWhole}}
}
