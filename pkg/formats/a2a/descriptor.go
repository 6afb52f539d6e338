// Package a2a supports the tasks and messages of the A2A protocol, bare or in the envelopes of
// JSON-RPC and of A2A streams.
package a2a

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the tasks and messages of A2A 1.0, and of 0.3, which has other names for
// roles and states.
var Format = format.Descriptor{
	Name:   format.A2A,
	System: "a2a",
	Title:  "A2A",
	Kind:   "A2A task or message",

	Marks:   []string{"contextId", "messageId", "statusUpdate", "artifactUpdate"},
	Members: []string{"jsonrpc", "artifacts", "artifact", "artifactId", "lastChunk", "history", "parts", "status", "referenceTaskIds"},
	Known:   &format.Elements{List: format.ListIn("history"), Fit: fit, Whole: whole},
	Needs:   []string{"history", "parts", "status", "jsonrpc", "artifacts", "task", "message", "statusUpdate", "artifactUpdate", "artifact"},
	IDs:     []string{"id", "messageId"},

	Schema:  schemas.A2A,
	Rules:   rules.All,
	Reasons: []finding.Reason{InvalidParams},
	Check:   rules.Check,

	Carriers: carriers,
	Carries:  format.A2A,
	Handoffs: func(root jsonstream.Value) []jsonstream.Value { return Contents(root, Handoff) },
	Turns:    []string{"history"},
	Sections: true,
	Alone:    alone,
	Profile:  profile,

	Keys: []format.Key{
		{Arrays: [][]string{{"history"}, {"result", "history"}, {"result", "task", "history"}, {"task", "history"}}, Members: []string{"messageId"}},
		{Arrays: [][]string{{"artifacts"}, {"result", "artifacts"}, {"result", "task", "artifacts"}, {"task", "artifacts"}}, Members: []string{"artifactId"}},
	},
	Say: say,

	Exchange: codec,
}

// say returns a message that contains text: of A2A 1.0, or of 0.3, whose messages and parts
// have a kind, if like is of 0.3.
func say(like jsonstream.Value, role, text string) []byte {
	name := "ROLE_AGENT"
	if role == "user" {
		name = "ROLE_USER"
	}
	switch was := like.Get("role").Text(); {
	case was == "" || was == strings.ToUpper(was):
		return format.Fill(`{"messageId":%,"role":%,"parts":[{"text":%}]}`, format.MadeID(text), name, text)
	default:
		return format.Fill(`{"kind":"message","messageId":%,"role":%,"parts":[{"kind":"text","text":%}]}`,
			format.MadeID(text), strings.ToLower(strings.TrimPrefix(name, "ROLE_")), text)
	}
}

// alone returns the document itself if it is a message or an artifact, or else the artifact of an update, or the
// artifacts of the task and the message of its status.
func alone(root jsonstream.Value) (pointers []string) {
	if root.Get("parts").Kind() == jsonstream.Array && (root.Get("messageId").Exists() || root.Get("artifactId").Exists()) {
		return []string{""}
	}
	if root.Get("artifact").Kind() == jsonstream.Object {
		return []string{"/artifact"}
	}
	for i, artifact := range root.Get("artifacts").Elements() {
		if artifact.Kind() == jsonstream.Object {
			pointers = append(pointers, "/artifacts/"+strconv.Itoa(i))
		}
	}
	if statusMessage(root).Exists() {
		pointers = append(pointers, "/status/message")
	}
	return pointers
}

// statusMessage returns the message of a task's status, absent if there is none or it is also the last message
// of the history.
func statusMessage(task jsonstream.Value) jsonstream.Value {
	said := task.Get("status").Get("message")
	if said.Kind() != jsonstream.Object {
		return jsonstream.Value{}
	}
	n, id := task.Get("history").Len(), said.Get("messageId").Text()
	for i, last := range task.Get("history").Elements() {
		if i == n-1 && id != "" && last.Get("messageId").Text() == id {
			return jsonstream.Value{}
		}
	}
	return said
}

// methods are the methods of A2A 1.0 and 0.3.
var methods = []string{
	"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask",
	"message/send", "message/stream", "tasks/resubscribe",
}

// whole classifies a document without a list by its content, since many protocols use
// JSON-RPC.
func whole(root jsonstream.Value) format.Fit {
	v := payload(root)
	status := v.Get("status").Get("state").Text()
	switch {
	case slices.Contains(methods, root.Get("method").Text()) && root.Get("jsonrpc").Exists(),
		fit(v) == format.Typical,
		v.Get("artifactId").Exists() && v.Get("parts").Kind() == jsonstream.Array,
		v.Get("taskId").Exists() && v.Get("artifact").Get("parts").Kind() == jsonstream.Array,
		strings.HasPrefix(status, "TASK_STATE_"),
		status != "" && (v.Get("kind").Text() == "task" || v.Get("kind").Text() == "status-update"):
		return format.Typical
	}
	return format.Foreign
}

// fit classifies a value as a message.
func fit(v jsonstream.Value) format.Fit {
	if v.Get("messageId").Exists() && v.Get("parts").Kind() == jsonstream.Array {
		return format.Typical
	}
	return format.Foreign
}
