package langchain

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/rulebook"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// InvalidChatHistory is the error code with which LangGraph's agents reject a history.
const InvalidChatHistory finding.Reason = "INVALID_CHAT_HISTORY"

// rules are the rules of LangChain, and of LangGraph's agents.
var rules = rulebook.Book{Reason: InvalidChatHistory, Rules: []rulebook.Rule{
	{Rule: finding.Rule{
		ID:      "langchain/call-without-result",
		Summary: "A tool call of an AI message has no tool message with the call's id.",
		Why: "The agent of create_react_agent rejects such a history before it calls the model (INVALID_CHAT_HISTORY), and so do most providers. A handoff by a Command loses the results of the other calls of its message, because the parent's state is from before the tools ran. " +
			"Add a tool message for each call, or remove the call from tool_calls. The update of a Command is not checked, because the results may be in the state.",
		Bad: `{"messages": [{"type": "human", "content": "Refund my order."},
  {"type": "ai", "content": "", "tool_calls": [{"name": "find_order", "args": {}, "id": "call_1", "type": "tool_call"}]}]}`,
		Good: `{"messages": [{"type": "human", "content": "Refund my order."},
  {"type": "ai", "content": "", "tool_calls": [{"name": "find_order", "args": {}, "id": "call_1", "type": "tool_call"}]},
  {"type": "tool", "content": "order 17", "tool_call_id": "call_1"}]}`,
	}, Check: checkCalls},
	{Rule: finding.Rule{
		ID:      "langchain/result-without-call",
		Summary: "A tool message does not answer a tool call of an earlier AI message.",
		Why:     "LangChain sends the tool message, and the providers reject it. Its call was trimmed or removed. Remove the tool message too, or keep its call. The update of a Command is not checked, because the call may be in the state.",
		Bad:     `{"messages": [{"type": "human", "content": "Refund my order."}, {"type": "tool", "content": "order 17", "tool_call_id": "call_1"}]}`,
		Good: `{"messages": [{"type": "human", "content": "Refund my order."},
  {"type": "ai", "content": "", "tool_calls": [{"name": "find_order", "args": {}, "id": "call_1", "type": "tool_call"}]},
  {"type": "tool", "content": "order 17", "tool_call_id": "call_1"}]}`,
		Severity: finding.Warning,
	}, Check: checkResults},
	{Rule: finding.Rule{
		ID:      "langchain/repeated-id",
		Summary: "Two messages or two tool calls have the same id.",
		Why:     "A state of LangGraph adds messages with add_messages, which replaces the first message with the second. With two calls of the same id, it is not clear to which call a result belongs.",
		Bad:     `{"messages": [{"type": "human", "id": "m1", "content": "Refund my order."}, {"type": "ai", "id": "m1", "content": "One moment."}]}`,
		Good:    `{"messages": [{"type": "human", "id": "m1", "content": "Refund my order."}, {"type": "ai", "id": "m2", "content": "One moment."}]}`,
	}, Check: checkIDs},
	{Rule: finding.Rule{
		ID:      "langchain/unknown-removal",
		Summary: "A remove message names no earlier message.",
		Why: "add_messages of LangGraph fails: a remove message takes the message with its id out of the state, and there is none. After a removal of all messages (__remove_all__) it removes nothing, stays in the state, and reaches the model, which cannot read it. " +
			"Leave out the remove message. The update of a Command is not checked, because the message may be in the state.",
		Bad:  `{"messages": [{"type": "human", "id": "m1", "content": "Refund my order."}, {"type": "remove", "id": "m7", "content": ""}]}`,
		Good: `{"messages": [{"type": "human", "id": "m1", "content": "Refund my order."}, {"type": "remove", "id": "m1", "content": ""}, {"type": "human", "id": "m2", "content": "Hello."}]}`,
	}, Check: checkRemovals},
	{Rule: finding.Rule{
		ID:      "langchain/contradicting-calls",
		Summary: "The content of an AI message and its tool_calls have different tool calls.",
		Why: "A program changed only one of them. Integrations send either of them, so providers get different histories: the integration for Anthropic sends the content blocks and adds missing calls, and the integration for OpenAI sends tool_calls. " +
			"Calls with unreadable arguments belong in invalid_tool_calls.",
		Bad: `{"messages": [{"type": "ai", "content": [{"type": "tool_use", "id": "call_1", "name": "find_order", "input": {}}], "tool_calls": []}]}`,
		Good: `{"messages": [{"type": "ai", "content": [{"type": "tool_use", "id": "call_1", "name": "find_order", "input": {}}],
  "tool_calls": [{"name": "find_order", "args": {}, "id": "call_1", "type": "tool_call"}]}, {"type": "tool", "content": "order 17", "tool_call_id": "call_1"}]}`,
	}, Check: checkContradictions},
	{Rule: finding.Rule{
		ID:      "langchain/arguments",
		Summary: "The arguments of a tool call in OpenAI's form are not the text of a JSON object.",
		Why:     "LangChain parses the arguments when it reads the message, and fails. The model's output was cut off, or the arguments were inserted without being serialized.",
		Bad:     `{"messages": [{"type": "ai", "content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"order\": 17"}}]}, {"type": "tool", "content": "", "tool_call_id": "call_1"}]}`,
		Good:    `{"messages": [{"type": "ai", "content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"order\": 17}"}}]}, {"type": "tool", "content": "", "tool_call_id": "call_1"}]}`,
	}, Check: checkArguments},
	{Rule: finding.Rule{
		ID:      "langchain/cut-off-call",
		Summary: "The arguments of a streamed tool call were cut off.",
		Why: "LangChain completes them when it reads the chunks: of an amount of 400 that was cut after its first digit, a valid call with the amount 4 is left. The stream was interrupted, or the model reached its limit of tokens. " +
			"Take the call out, or have the model make it again. A call in tool_call_chunks is complete if its args are the text of a JSON object.",
		Bad: `{"messages": [{"type": "AIMessageChunk", "content": "", "tool_calls": [{"name": "refund", "args": {"amount": 4}, "id": "call_1", "type": "tool_call"}],
  "tool_call_chunks": [{"name": "refund", "args": "{\"amount\": 4", "id": "call_1", "index": 0, "type": "tool_call_chunk"}]}, {"type": "tool", "content": "refunded", "tool_call_id": "call_1"}]}`,
		Good: `{"messages": [{"type": "AIMessageChunk", "content": "", "tool_calls": [{"name": "refund", "args": {"amount": 400}, "id": "call_1", "type": "tool_call"}],
  "tool_call_chunks": [{"name": "refund", "args": "{\"amount\": 400}", "id": "call_1", "index": 0, "type": "tool_call_chunk"}]}, {"type": "tool", "content": "refunded", "tool_call_id": "call_1"}]}`,
		Severity: finding.Warning,
	}, Check: checkChunks},
}}

// all returns the messages of a document that its remove messages leave.
func all(root jsonstream.Value) (messages []message) {
	list := messagesIn(root)
	if list.Kind() != jsonstream.Array {
		return nil
	}
	var elements []jsonstream.Value
	for _, v := range list.Elements() {
		elements = append(elements, v)
	}
	for _, spot := range known.Path(list.Elements()) {
		if v := elements[spot.Index]; v.Kind() == jsonstream.Object {
			messages = append(messages, message{conversation.Role(v), conversation.Item(v)})
		}
	}
	return messages
}

// A message is the role that its type has in other systems, and the object with its
// content.
type message struct {
	role   string
	fields jsonstream.Value
}

// calls returns the calls outside the content, as LangChain reads them.
func (m message) calls() jsonstream.Value {
	if m.role != "assistant" && m.role != "ai" {
		return jsonstream.Value{}
	}
	if calls := m.fields.Get("tool_calls"); calls.Len() > 0 || m.fields.Get("invalid_tool_calls").Len() > 0 {
		return calls
	}
	return m.fields.At("/additional_kwargs/tool_calls") // of the first versions
}

// isPart reports whether a document holds only part of a conversation, and the rest is in a
// state.
func isPart(root jsonstream.Value) bool {
	return !root.Get("messages").Exists() && root.Get("update").Exists()
}

func checkCalls(root jsonstream.Value, report rulebook.Report) {
	if isPart(root) {
		return
	}
	answered := map[string]bool{}
	for _, m := range all(root) {
		if m.role == "tool" {
			answered[m.fields.Get("tool_call_id").Text()] = true
		}
	}
	for _, m := range all(root) {
		for _, call := range m.calls().Elements() {
			if id := call.Get("id"); id.Text() != "" && !answered[id.Text()] {
				report(id, "the tool call has no result: no tool message has the tool_call_id %s; add one, or remove the call", finding.QuoteValue(id))
			}
		}
	}
}

func checkResults(root jsonstream.Value, report rulebook.Report) {
	if isPart(root) {
		return
	}
	called := map[string]bool{}
	for _, m := range all(root) {
		for _, calls := range []jsonstream.Value{m.calls(), m.fields.Get("invalid_tool_calls")} {
			for _, call := range calls.Elements() {
				called[call.Get("id").Text()] = true
			}
		}
		if id := m.fields.Get("tool_call_id"); m.role == "tool" && id.Kind() == jsonstream.String && !called[id.Text()] {
			report(id, "the tool result has no call: no earlier AI message has a tool call with the id %s; remove the tool message, or keep the call", finding.QuoteValue(id))
		}
	}
}

func checkIDs(root jsonstream.Value, report rulebook.Report) {
	messages, calls := rulebook.IDs{}, rulebook.IDs{}
	for _, m := range all(root) {
		messages.Add(m.fields.Get("id"), "messages", report)
		for _, call := range m.calls().Elements() {
			calls.Add(call.Get("id"), "tool calls", report)
		}
	}
}

func checkRemovals(root jsonstream.Value, report rulebook.Report) {
	if isPart(root) {
		return
	}
	removable := map[string]bool{} // ids
	all := false                   // whether a message removed all
	for _, v := range messagesIn(root).Elements() {
		id := conversation.Item(v).Get("id")
		switch {
		case !isRemoval(v):
			removable[id.Text()] = !all
		case id.Text() == removeAll:
			clear(removable)
			all = true
		case !id.Exists(): // the schema requires it
		case all:
			report(id, "the remove message is after one that removes all messages, so it stays in the state: found the id %s; leave out the message with this id", finding.QuoteValue(id))
		case !removable[id.Text()]:
			report(id, "the remove message removes nothing: no earlier message has the id %s; leave it out", finding.QuoteValue(id))
		}
	}
}

func checkContradictions(root jsonstream.Value, report rulebook.Report) {
	for _, m := range all(root) {
		if m.role != "assistant" && m.role != "ai" {
			continue
		}
		listed := map[string]string{} // call names by id
		for _, calls := range []jsonstream.Value{m.calls(), m.fields.Get("invalid_tool_calls")} {
			for _, call := range calls.Elements() {
				name := call.Get("name")
				if !name.Exists() {
					name = call.Get("function").Get("name")
				}
				listed[call.Get("id").Text()] = name.Text()
			}
		}
		inside := map[string]bool{}
		for _, block := range m.fields.Get("content").Elements() {
			if kind := block.Get("type").Text(); kind != "tool_use" && kind != "tool_call" && kind != "function_call" {
				continue
			}
			id := block.Get("id")
			if call := block.Get("call_id"); call.Exists() { // OpenAI Responses
				id = call
			}
			if id.Text() == "" {
				if m.calls().Len() > 0 {
					report(block, "the tool call in content has no id, so it cannot be matched with tool_calls; give it the id of one of them")
				}
				continue
			}
			inside[id.Text()] = true
			name, ok := listed[id.Text()]
			switch given := block.Get("name"); {
			case !ok:
				report(id, "the tool call in content is missing from tool_calls: found the id %s; add it to tool_calls, or remove the block", finding.QuoteValue(id))
			case given.Exists() && given.Text() != name:
				report(given, "the tool call names %s here, but %s in tool_calls: make both the same", finding.QuoteValue(given), finding.Quote(name))
			}
		}
		for _, call := range m.calls().Elements() {
			if id := call.Get("id"); len(inside) > 0 && id.Text() != "" && !inside[id.Text()] {
				report(id, "the tool call is missing from content, which has other calls: found the id %s; add a block for it, or remove it from tool_calls", finding.QuoteValue(id))
			}
		}
	}
}

func checkChunks(root jsonstream.Value, report rulebook.Report) {
	for _, m := range all(root) {
		for _, chunk := range m.fields.Get("tool_call_chunks").Elements() {
			args := chunk.Get("args")
			if args.Text() == "" {
				continue
			}
			if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(args.Text())), jsonstream.Limits{}); err != nil {
				report(args, "arguments that were cut off: found %s; take the call out, or have the model make it again", finding.QuoteValue(args))
			}
		}
	}
}

func checkArguments(root jsonstream.Value, report rulebook.Report) {
	for _, m := range all(root) {
		for _, call := range m.fields.Get("tool_calls").Elements() {
			arguments := call.Get("function").Get("arguments")
			if arguments.Kind() != jsonstream.String || call.Get("args").Exists() {
				continue
			}
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(arguments.Text())), jsonstream.Limits{})
			switch {
			case err != nil:
				report(arguments, "the arguments are not JSON: %v; found %s", err, finding.QuoteValue(arguments))
			case doc.Root().Kind() != jsonstream.Object:
				report(arguments, "the arguments must be the text of a JSON object: found %s", finding.QuoteValue(arguments))
			}
		}
	}
}
