package openai

import (
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// InvalidRequest is the error (invalid_request_error) with which the API rejects a
// conversation of the OpenAI Agents SDK.
const InvalidRequest finding.Reason = "INVALID_REQUEST_ERROR"

// Rule IDs for callers.
const (
	// Shape is the ID of the rule about structure. The JSON Schema of the format finds most
	// of the same faults.
	Shape = "openai/shape"
	// HandoffInput is the ID of the rule that uses [CheckOptions].InputProblems.
	HandoffInput = "openai/handoff-input"
	// Unfiltered and Bounce are the IDs of the rules that are enabled by [CheckOptions].
	Unfiltered = "openai/no-input-filter"
	Bounce     = "openai/bounce"
)

// Rules returns all rules. The caller owns the slice.
func Rules() []finding.Rule {
	var rules []finding.Rule
	for _, c := range checks() {
		rules = append(rules, c.Rule)
	}
	return rules
}

// A checkedRule is a rule with its check.
type checkedRule struct {
	finding.Rule
	check func(*checker)
}

func checks() []checkedRule {
	all := slices.Concat(itemRules(), historyRules(), handoffRules())
	for i := range all {
		r := &all[i].Rule
		r.Layer, r.Reason, r.Whole = finding.Protocol, InvalidRequest, true
		if r.Severity == "" {
			r.Severity = finding.Error
		}
	}
	return all
}

func itemRules() []checkedRule {
	return []checkedRule{{finding.Rule{
		ID:      Shape,
		Summary: "The document is not a HandoffInputData, or an item lacks a required member.",
		Why: "input_history must be a string or an array of items, pre_handoff_items and new_items arrays of items, and input_items an array of items or null. " +
			"An item must be an object with a role or a type. A function_call must have call_id, name and arguments, and a function_call_output must have call_id and output. A call_id must not be empty. Otherwise the SDK cannot load the data, or the API rejects it.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [{"type": "function_call", "name": "find_order", "arguments": "{}"}], "new_items": []}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}], "new_items": []}`,
	}, checkShape}, {finding.Rule{
		ID:      "openai/unknown-role",
		Summary: "A message has a role other than assistant, user, system and developer.",
		Why:     "The API rejects such a message. The output of a tool is an item of the type function_call_output, not a message with the role tool.",
		Bad:     `{"input_history": [{"role": "User", "content": "Refund my order."}], "pre_handoff_items": [], "new_items": []}`,
		Good:    `{"input_history": [{"role": "user", "content": "Refund my order."}], "pre_handoff_items": [], "new_items": []}`,
	}, checkRoles}, {finding.Rule{
		ID:      "openai/arguments",
		Summary: "The arguments of a call are not the text of a JSON object.",
		Why: "A program cannot decode them. The model's output was cut off, or the arguments were inserted without being serialized. Only the arguments of a handoff without input may be empty. " +
			"An object with duplicate members is rejected too, because parsers choose different ones.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{\"order\": 17"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{\"order\": 17}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
	}, checkArguments}, {finding.Rule{
		ID:      HandoffInput,
		Summary: "The arguments of a handoff do not match its input schema.",
		Why:     "The SDK validates the input before the handoff, and ends the run with an error. The rule is checked only if the schema is given.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": "{\"reason\": \"damaged\"}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
	}, checkInput}}
}

func historyRules() []checkedRule {
	return []checkedRule{{finding.Rule{
		ID:      "openai/result-without-call",
		Summary: "In the input of the next agent, a tool result has no earlier call of its kind, or an approval has no earlier request.",
		Why: "The API rejects such an input. A filter removed the call, or the call is only text in a summary. " +
			"A result without a call may also have been inserted by an attacker.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
	}, checkResults}, {finding.Rule{
		ID:      "openai/call-without-result",
		Summary: "In the input of the next agent, a tool call has no later result of its kind.",
		Why:     "The API rejects such an input. The handoff's own call has a result too: the transfer message.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""},
  {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
	}, checkCalls}, {finding.Rule{
		ID:      "openai/reasoning-without-output",
		Summary: "In the input of the next agent, a reasoning item is not followed by an output of the model.",
		Why: "The API rejects such an input, because the reasoning lacks its required following item. A filter removed the message or the call that the reasoning led to, the run was interrupted, or only the reasoning was passed on. " +
			"The API may accept the item without its id, but its reasoning is then useless. Only other reasoning items may be between the reasoning and its output.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "Are you there?"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "assistant", "content": "One moment."}, {"role": "user", "content": "Are you there?"}],
  "pre_handoff_items": [], "new_items": []}`,
	}, checkReasoning}, {finding.Rule{
		ID:      "openai/duplicate-item",
		Summary: "The next agent gets the same item twice.",
		Why: "The items of the run were added to the history and also passed on beside it, so every handoff doubles them. Put into input_items only the items that are not in the history. " +
			"Items are the same if their values are equal, independently of their formatting. A string as input_history counts as a message of the user. " +
			"Short texts do not count, because an agent may repeat them.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "One moment."}], "new_items": []}`,
		Good: `{"input_history": [{"role": "user", "content": "Refund my order."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "One moment."}], "new_items": []}`,
	}, checkDuplicates}, {finding.Rule{
		ID:      "openai/repeated-id",
		Summary: "Two different items have the same id, or two calls or two results the same call_id.",
		Why:     "Results cannot be matched with their calls, and the API rejects a repeated id.",
		Bad: `{"input_history": [{"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "Found it."}], "new_items": []}`,
		Good: `{"input_history": [{"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_2", "role": "assistant", "content": "Found it."}], "new_items": []}`,
	}, checkIDs}, {finding.Rule{
		ID:      "openai/tool-in-summary",
		Summary: "A summary lists items about tools.",
		Why: "Nesting put them there, where filters for tools do not find them. The output of a tool then reaches every later agent. " +
			"To prevent that, unnest the history, filter it with remove_all_tools, and nest it again.",
		Bad: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n2. {\"type\": \"function_call_output\", \"call_id\": \"call_1\", \"output\": \"card 4111\"}\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Severity: finding.Warning,
	}, checkSummaries}, {finding.Rule{
		ID:      "openai/nested-summary",
		Summary: "A summary contains another summary.",
		Why:     "The history was nested again without being flattened first. Every handoff then adds a level of escapes, and the text becomes less and less readable for agents.",
		Bad: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. {\"role\": \"assistant\", \"content\": \"For context, here is the conversation so far:\\n<CONVERSATION HISTORY>\\n1. user: Refund my order.\\n</CONVERSATION HISTORY>\"}\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
	}, checkNesting}}
}
