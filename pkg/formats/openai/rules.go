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
		Summary: "The document is no HandoffInputData, or an item lacks what makes it one.",
		Why: "input_history is a string or an array of items, pre_handoff_items and new_items are arrays of items, input_items is an array of items or null. " +
			"An item is an object with a role or a type; a function_call has call_id, name and arguments, a function_call_output call_id and output; no call_id is empty. The SDK cannot load anything else, or the API rejects it.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [{"type": "function_call", "name": "find_order", "arguments": "{}"}], "new_items": []}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [{"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}], "new_items": []}`,
	}, checkShape}, {finding.Rule{
		ID:      "openai/unknown-role",
		Summary: "A message has a role other than assistant, user, system and developer.",
		Why:     "The API rejects it. The output of a tool is an item of the type function_call_output, not a message with the role tool.",
		Bad:     `{"input_history": [{"role": "User", "content": "Refund my order."}], "pre_handoff_items": [], "new_items": []}`,
		Good:    `{"input_history": [{"role": "user", "content": "Refund my order."}], "pre_handoff_items": [], "new_items": []}`,
	}, checkRoles}, {finding.Rule{
		ID:      "openai/arguments",
		Summary: "The arguments of a call are not the text of a JSON object.",
		Why: "The reader of the call cannot decode them: the model was cut off, or the arguments were put in without being serialised. Only the arguments of a handoff without input may be empty. " +
			"Duplicate members are no JSON object either, since nobody knows which one counts.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{\"order\": 17"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{\"order\": 17}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
	}, checkArguments}, {finding.Rule{
		ID:      HandoffInput,
		Summary: "The arguments of a handoff do not match its input schema.",
		Why:     "The SDK validates the input before it hands over and ends the run with an error. The rule is checked where the schema is given.",
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
		Summary: "A tool result has no call of its kind before it in what the next agent gets, or an approval no request.",
		Why: "The API rejects such an input. A filter has taken the call, or it is only text in a summary. " +
			"A result that nobody asked for may also have been put there by an attacker.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "find_order", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "order 17"}]}`,
	}, checkResults}, {finding.Rule{
		ID:      "openai/call-without-result",
		Summary: "A tool call has no result of its kind after it in what the next agent gets.",
		Why:     "The API rejects such an input. The call of the handoff itself has a result too: the transfer message.",
		Bad: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""}]}`,
		Good: `{"input_history": "Refund my order.", "pre_handoff_items": [], "new_items": [
  {"type": "function_call", "call_id": "call_1", "name": "transfer_to_refunds", "arguments": ""},
  {"type": "function_call_output", "call_id": "call_1", "output": "{\"assistant\": \"Refunds\"}"}]}`,
	}, checkCalls}, {finding.Rule{
		ID:      "openai/reasoning-without-output",
		Summary: "A reasoning item has no output of the model after it in what the next agent gets.",
		Why: "The API rejects such an input: it was provided without its required following item. A filter has taken the message or the call that the reasoning led to, the run was interrupted, or only the reasoning was forwarded. " +
			"Without its id the item may pass, but its reasoning is about nothing that the agent gets. Between the two there may be more reasoning, and nothing else.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "Are you there?"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "assistant", "content": "One moment."}, {"role": "user", "content": "Are you there?"}],
  "pre_handoff_items": [], "new_items": []}`,
	}, checkReasoning}, {finding.Rule{
		ID:      "openai/duplicate-item",
		Summary: "The next agent gets the same item twice.",
		Why: "The items of the run were added to the history and also passed on next to it: every handoff then doubles them. Put into input_items what the agent is to get in addition to the history. " +
			"Items are the same if their values are, however they are written; a string as input_history is a message of the user. " +
			"Short texts that an agent may well say twice do not count.",
		Bad: `{"input_history": [{"role": "user", "content": "Refund my order."}, {"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "One moment."}], "new_items": []}`,
		Good: `{"input_history": [{"role": "user", "content": "Refund my order."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "One moment."}], "new_items": []}`,
	}, checkDuplicates}, {finding.Rule{
		ID:      "openai/repeated-id",
		Summary: "Two different items have the same id, or two calls or two results the same call_id.",
		Why:     "It is not clear which result belongs to which call, and the API rejects an id that it has had already.",
		Bad: `{"input_history": [{"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_1", "role": "assistant", "content": "Found it."}], "new_items": []}`,
		Good: `{"input_history": [{"id": "msg_1", "role": "assistant", "content": "One moment."}],
  "pre_handoff_items": [{"id": "msg_2", "role": "assistant", "content": "Found it."}], "new_items": []}`,
	}, checkIDs}, {finding.Rule{
		ID:      "openai/tool-in-summary",
		Summary: "A summary lists items about tools.",
		Why: "Nesting puts them there, and no filter for tools finds them again: what a tool returned reaches every agent after this one. " +
			"If they are not meant to, unnest, filter with remove_all_tools, and nest.",
		Bad: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n2. {\"type\": \"function_call_output\", \"call_id\": \"call_1\", \"output\": \"card 4111\"}\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Severity: finding.Warning,
	}, checkSummaries}, {finding.Rule{
		ID:      "openai/nested-summary",
		Summary: "A summary lists a summary.",
		Why:     "The history was nested again without being flattened first. Every handoff then adds a level of escapes, and the agents see less and less of it as conversation.",
		Bad: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. {\"role\": \"assistant\", \"content\": \"For context, here is the conversation so far:\\n<CONVERSATION HISTORY>\\n1. user: Refund my order.\\n</CONVERSATION HISTORY>\"}\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
		Good: `{"input_history": [{"role": "assistant", "content": "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: Refund my order.\n</CONVERSATION HISTORY>"}],
  "pre_handoff_items": [], "new_items": []}`,
	}, checkNesting}}
}
