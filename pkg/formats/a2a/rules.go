package a2a

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/rulebook"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// InvalidParams is the JSON-RPC error (code -32602) with which an agent rejects a message.
const InvalidParams finding.Reason = "INVALID_PARAMS"

// rules are the rules of the protocol that its types do not express.
var rules = rulebook.Book{Reason: InvalidParams, Rules: []rulebook.Rule{
	{Rule: finding.Rule{
		ID:      "a2a/other-task",
		Summary: "A message of a task has another taskId or contextId than the task.",
		Why:     "A message of another task was added to the history, or an id was copied. An agent rejects a message if its contextId differs from its task's (A2A 1.0, section 3.4).",
		Bad:     `{"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "m1", "taskId": "t2", "contextId": "c1", "role": "ROLE_USER", "parts": [{"text": "Refund my order."}]}]}`,
		Good:    `{"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "m1", "taskId": "t1", "contextId": "c1", "role": "ROLE_USER", "parts": [{"text": "Refund my order."}]}]}`,
	}, Check: checkTask},
	{Rule: finding.Rule{
		ID:      "a2a/repeated-id",
		Summary: "Two messages of a task have the same messageId, or two artifacts the same artifactId.",
		Why:     "The sender of a message makes a new messageId for it. Receivers treat a second message with the same id as a copy of the first, and an artifact with the id of another replaces it. The message of the status may be the same as the last message of the history.",
		Bad:     `{"id": "t1", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "Refund my order."}]}, {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "One moment."}]}]}`,
		Good:    `{"id": "t1", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "Refund my order."}]}, {"messageId": "m2", "role": "ROLE_AGENT", "parts": [{"text": "One moment."}]}]}`,
	}, Check: checkIDs},
	{Rule: finding.Rule{
		ID:      "a2a/handoff-extension",
		Summary: "A message or artifact has a part of the handoff extension, but does not list it in extensions.",
		Why:     "Receivers read extensions to find and route messages that use an extension. docs/a2a.md has the specification of the handoff extension.",
		Bad:     `{"messageId": "m1", "role": "ROLE_AGENT", "parts": [` + exampleAnswer + `]}`,
		Good:    `{"messageId": "m1", "role": "ROLE_AGENT", "extensions": ["` + ExtensionURI + `"], "parts": [` + exampleAnswer + `]}`,
	}, Check: checkListed},
	{Rule: finding.Rule{
		ID:      "a2a/handoff-once",
		Summary: "A message or artifact has more than one part of the handoff extension.",
		Why:     "The answer to a message is the answer to its handoff. With several handoffs, it would not be clear which one the receiver accepted.",
		Bad:     `{"messageId": "m1", "role": "ROLE_AGENT", "extensions": ["` + ExtensionURI + `"], "parts": [` + exampleAnswer + `, ` + exampleAnswer + `]}`,
		Good:    `{"messageId": "m1", "role": "ROLE_AGENT", "extensions": ["` + ExtensionURI + `"], "parts": [` + exampleAnswer + `]}`,
	}, Check: checkOnce},
}}

func checkTask(root jsonstream.Value, report rulebook.Report) {
	task := payload(root)
	said := task.Get("history").Elements()
	for _, m := range said {
		checkSame(m, task, report)
	}
	if status := task.Get("status").Get("message"); status.Exists() {
		checkSame(status, task, report)
	}
}

// checkSame reports ids of a message that differ from its task's.
func checkSame(m, task jsonstream.Value, report rulebook.Report) {
	taskID := task.Get("id")
	if !taskID.Exists() { // an update of a task
		taskID = task.Get("taskId")
	}
	for _, pair := range [][2]jsonstream.Value{{m.Get("taskId"), taskID}, {m.Get("contextId"), task.Get("contextId")}} {
		id, of := pair[0], pair[1]
		if id.Text() != "" && of.Text() != "" && id.Text() != of.Text() {
			report(id, "the message belongs to another %s: found %s, but the task has %s; remove the message, or correct the id", id.Name()[:len(id.Name())-len("Id")], finding.QuoteValue(id), finding.QuoteValue(of))
		}
	}
}

func checkIDs(root jsonstream.Value, report rulebook.Report) {
	messages, artifacts := rulebook.IDs{}, rulebook.IDs{}
	task := payload(root)
	list := task.Get("history")
	if task.Kind() == jsonstream.Array {
		list = task
	}
	for _, m := range list.Elements() {
		messages.Add(m.Get("messageId"), "messages", report)
	}
	for _, a := range task.Get("artifacts").Elements() {
		artifacts.Add(a.Get("artifactId"), "artifacts", report)
	}
}
