package aisdk

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/rulebook"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// InvalidPrompt is the reason for messages that the AI SDK rejects (its AI_InvalidPromptError,
// and the errors about the tools in a prompt).
const InvalidPrompt finding.Reason = "INVALID_PROMPT"

// rules cover the messages that generateText and convertToModelMessages reject.
var rules = rulebook.Book{Reason: InvalidPrompt, Rules: []rulebook.Rule{
	{Rule: finding.Rule{
		ID:      "ai-sdk/call-without-result",
		Summary: "A tool call has no result in a tool message before the next user or system message, or before the end of the list.",
		Why: "The functions generateText and streamText fail with AI_MissingToolResultsError. The run was interrupted, or the results were trimmed. Add a tool-result for the call, or remove the call. " +
			"No result is needed for a call that the provider executes (providerExecuted), and for a call with an approval that the last message answers.",
		Bad:  `[{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "findOrder", "input": {}}]}]`,
		Good: `[{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "findOrder", "input": {}}]}, {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "findOrder", "output": {"type": "text", "value": "order 17"}}]}]`,
	}, Check: checkCalls},
	{Rule: finding.Rule{
		ID:      "ai-sdk/pending-tool",
		Summary: "A tool part of a UIMessage is in a state without an output.",
		Why: "The function convertToModelMessages converts it to a call without a result, for which generateText and streamText fail with AI_MissingToolResultsError. The chat was stopped while the tool ran, or it waits for an approval. " +
			"Give the part an output, or the state output-error with an errorText, or remove it. The SDK does not send a part with incomplete input, or an approval request before a message of the user.",
		Bad:  `[{"id": "m1", "role": "assistant", "parts": [{"type": "tool-findOrder", "toolCallId": "c1", "state": "input-available", "input": {}}]}]`,
		Good: `[{"id": "m1", "role": "assistant", "parts": [{"type": "tool-findOrder", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "order 17"}]}]`,
	}, Check: checkPending},
	{Rule: finding.Rule{
		ID:       "ai-sdk/result-without-call",
		Summary:  "A tool result has no call before it.",
		Why:      "The SDK sends the result, and the providers reject it. The call was trimmed. Remove the result, or keep the call.",
		Bad:      `[{"role": "user", "content": "Refund my order."}, {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "findOrder", "output": {"type": "text", "value": "order 17"}}]}]`,
		Good:     `[{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "findOrder", "input": {}}]}, {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "findOrder", "output": {"type": "text", "value": "order 17"}}]}]`,
		Severity: finding.Warning,
	}, Check: checkResults},
	{Rule: finding.Rule{
		ID:      "ai-sdk/approval",
		Summary: "The last message answers a tool approval request that does not exist, or that belongs to no call.",
		Why:     "The functions generateText and streamText fail with AI_InvalidToolApprovalError or AI_ToolCallNotFoundForApprovalError, because they cannot find the tool to run.",
		Bad:     `[{"role": "user", "content": "Refund my order."}, {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "a1", "approved": true}]}]`,
		Good:    `[{"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "refund", "input": {}}, {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"}]}, {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "a1", "approved": true}]}]`,
	}, Check: checkApprovals},
	{Rule: finding.Rule{
		ID:      "ai-sdk/mixed-messages",
		Summary: "UIMessages and ModelMessages are in one list.",
		Why:     "The function generateText accepts only ModelMessages, and convertToModelMessages accepts only UIMessages. Convert the UIMessages first.",
		Bad:     `[{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Refund my order."}]}, {"role": "assistant", "content": "One moment."}]`,
		Good:    `[{"role": "user", "content": "Refund my order."}, {"role": "assistant", "content": "One moment."}]`,
	}, Check: checkMixed},
	{Rule: finding.Rule{
		ID:      "ai-sdk/repeated-id",
		Summary: "Two UIMessages or two tool calls have the same id.",
		Why:     "A chat replaces the first message with the second. With two calls of the same id, it is not clear to which call a result belongs.",
		Bad:     `[{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Refund my order."}]}, {"id": "m1", "role": "assistant", "parts": [{"type": "text", "text": "One moment."}]}]`,
		Good:    `[{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Refund my order."}]}, {"id": "m2", "role": "assistant", "parts": [{"type": "text", "text": "One moment."}]}]`,
	}, Check: checkIDs},
	{Rule: finding.Rule{
		ID:      "ai-sdk/system-turn",
		Summary: "A system message is among the messages.",
		Why: "The functions generateText and streamText of version 7 refuse it with AI_InvalidPromptError, unless allowSystemInMessages is set; earlier versions take it. " +
			"Put its text into the option system, or into a message of the user.",
		Bad:      `{"messages": [{"role": "user", "content": "Refund my order.", "providerOptions": {}}, {"role": "system", "content": "Be brief."}]}`,
		Good:     `{"system": "Be brief.", "messages": [{"role": "user", "content": "Refund my order.", "providerOptions": {}}]}`,
		Severity: finding.Warning,
	}, Check: checkSystem},
}}

// messages returns the messages of a document.
func messages(root jsonstream.Value) (all []jsonstream.Value) {
	for _, v := range format.ListIn("messages")(root).Elements() {
		all = append(all, v)
	}
	return all
}

// isUI reports whether a message is a UIMessage.
func isUI(v jsonstream.Value) bool { return v.Get("parts").Kind() == jsonstream.Array }

// checkCalls looks for open calls where the SDK does: before each user or system message, and at
// the end.
func checkCalls(root jsonstream.Value, report rulebook.Report) {
	var open []jsonstream.Value // ids
	all := messages(root)
	answered := approved(all)
	missing := func() {
		for _, id := range open {
			report(id, "the tool call has no result: no tool message between it and the next user message has a tool-result with the toolCallId %s; add one, or remove the call", finding.QuoteValue(id))
		}
		open = nil
	}
	for _, m := range all {
		switch m.Get("role").Text() {
		case "user", "system":
			missing()
		case "assistant":
			for _, part := range m.Get("content").Elements() {
				id := part.Get("toolCallId")
				if part.Get("type").Text() == "tool-call" && id.Kind() == jsonstream.String && part.Get("providerExecuted").Kind() != jsonstream.True && !answered[id.Text()] {
					open = append(open, id)
				}
			}
		case "tool":
			done := map[string]bool{}
			for _, part := range m.Get("content").Elements() {
				if part.Get("type").Text() == "tool-result" {
					done[part.Get("toolCallId").Text()] = true
				}
			}
			var left []jsonstream.Value
			for _, id := range open {
				if !done[id.Text()] {
					left = append(left, id)
				}
			}
			open = left
		}
	}
	missing()
}

// approved returns the ids of the calls with an approval response in the last message: the SDK runs their tools, or
// reports that they were denied (ai 7.0.173).
func approved(all []jsonstream.Value) map[string]bool {
	calls, answered := map[string]string{}, map[string]bool{} // call ids by approval request id
	for i, m := range all {
		for _, part := range m.Get("content").Elements() {
			switch part.Get("type").Text() {
			case "tool-approval-request":
				calls[part.Get("approvalId").Text()] = part.Get("toolCallId").Text()
			case "tool-approval-response":
				if call, ok := calls[part.Get("approvalId").Text()]; ok && m.Get("role").Text() == "tool" && i == len(all)-1 {
					answered[call] = true
				}
			}
		}
	}
	return answered
}

// checkPending reports tool parts that become calls without results.
func checkPending(root jsonstream.Value, report rulebook.Report) {
	all := messages(root)
	lastUser := -1
	for i, m := range all {
		if m.Get("role").Text() == "user" {
			lastUser = i
		}
	}
	for i, m := range all {
		if m.Get("role").Text() != "assistant" {
			continue
		}
		for _, part := range m.Get("parts").Elements() {
			kind := part.Get("type").Text()
			if kind != "dynamic-tool" && !strings.HasPrefix(kind, "tool-") || part.Get("providerExecuted").Kind() == jsonstream.True {
				continue
			}
			state := part.Get("state")
			switch state.Text() {
			case "input-available":
			case "approval-requested":
				if i < lastUser {
					continue
				}
			case "approval-responded":
				if part.Get("approval").Get("approved").Kind() != jsonstream.True || i == len(all)-1 {
					continue
				}
			default:
				continue
			}
			report(state, "the tool part has no output: the call %s is in the state %s; give it an output or an error, or remove the part",
				finding.QuoteValue(part.Get("toolCallId")), finding.QuoteValue(state))
		}
	}
}

func checkResults(root jsonstream.Value, report rulebook.Report) {
	called := map[string]bool{}
	for _, m := range messages(root) {
		if isUI(m) {
			continue
		}
		for part := range conversation.Parts(m) {
			switch id := part.ID; {
			case part.Kind == conversation.Call:
				called[id.Text()] = true
			case part.Kind == conversation.Result && id.Kind() == jsonstream.String && !called[id.Text()]:
				report(id, "the tool result has no call: no earlier tool-call has the toolCallId %s; remove the result, or keep the call", finding.QuoteValue(id))
			}
		}
	}
}

func checkApprovals(root jsonstream.Value, report rulebook.Report) {
	all := messages(root)
	if len(all) == 0 || all[len(all)-1].Get("role").Text() != "tool" {
		return
	}
	calls, requests := map[string]bool{}, map[string]string{}
	for _, m := range all {
		for _, part := range m.Get("content").Elements() {
			switch part.Get("type").Text() {
			case "tool-call":
				calls[part.Get("toolCallId").Text()] = true
			case "tool-approval-request":
				requests[part.Get("approvalId").Text()] = part.Get("toolCallId").Text()
			}
		}
	}
	last := all[len(all)-1].Get("content")
	outputs := map[string]jsonstream.Value{} // by call
	for _, part := range last.Elements() {
		if part.Get("type").Text() == "tool-result" {
			outputs[part.Get("toolCallId").Text()] = part.Get("output")
		}
	}
	for _, part := range last.Elements() {
		id := part.Get("approvalId")
		if part.Get("type").Text() != "tool-approval-response" || id.Kind() != jsonstream.String {
			continue
		}
		call, known := requests[id.Text()]
		if output := outputs[call]; known && output.Exists() && (part.Get("approved").Kind() == jsonstream.True || output.Get("type").Text() != "execution-denied") {
			continue // the SDK has the result already, and does not look for the call
		}
		switch {
		case !known:
			report(id, "the approval has no request: no tool-approval-request has the approvalId %s; add the request, or remove the approval", finding.QuoteValue(id))
		case !calls[call]:
			report(id, "the approval has no call: the tool-approval-request %s is for the call %s, which is missing; add the call, or remove the request and the approval", finding.QuoteValue(id), finding.Quote(call))
		}
	}
}

func checkSystem(root jsonstream.Value, report rulebook.Report) {
	if root.Get("allowSystemInMessages").Kind() == jsonstream.True {
		return
	}
	for _, m := range messages(root) {
		if role := m.Get("role"); role.Text() == "system" {
			report(role, "a system message among the messages, which the SDK refuses from version 7 on; put its text into the option system, or into a message of the user")
		}
	}
}

func checkMixed(root jsonstream.Value, report rulebook.Report) {
	all := messages(root)
	for _, m := range all {
		if isUI(m) != isUI(all[0]) {
			name, other := "ModelMessage", "UIMessage"
			if isUI(m) {
				name, other = other, name
			}
			report(m, "the message is a %s, but the list begins with a %s: use one type for all messages", name, other)
			return
		}
	}
}

func checkIDs(root jsonstream.Value, report rulebook.Report) {
	ids, calls := rulebook.IDs{}, rulebook.IDs{}
	for _, m := range messages(root) {
		if isUI(m) {
			ids.Add(m.Get("id"), "messages", report)
		}
		for part := range conversation.Parts(m) {
			if part.Kind == conversation.Call {
				calls.Add(part.ID, "tool calls", report)
			}
		}
	}
}
