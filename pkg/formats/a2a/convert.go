package a2a

import (
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts tasks and messages, bare or in an envelope. Carried data is in the metadata of the
// task or message, as the extension provides, and not in a part, where it could be mistaken for a
// handoff.
var codec = (&chat.Form{
	At:      places,
	Whole:   isAlone,
	Alone:   []string{"/result", "/artifact", "/result/artifact", "/artifactUpdate/artifact", "/result/artifactUpdate/artifact"},
	Before:  before,
	Aside:   []string{"/artifacts", "/task/artifacts", "/result/artifacts", "/result/task/artifacts"},
	IsAside: func(turn tree.Node) bool { return turn.Get(artifactMember).Is(jsonstream.Object) },
	Again: func(turn, last tree.Node) bool {
		id := turn.Get("messageId").Text()
		return id != "" && id == last.Get("messageId").Text()
	},
	Style:  styleOf,
	Read:   read,
	Write:  write,
	Rest:   taskOf,
	Holder: exchange.Holder{HolderAt: holderAt, Prefix: ExtensionURI + "/carried/"},
}).Codec()

// places are the JSON Pointers of turns in tasks and in envelopes.
var places = []string{
	"/history", "/artifacts", "/status/message", // of a task, or of a status update
	"/task/history", "/task/artifacts", "/task/status/message",
	"/result/history", "/result/artifacts", "/result/status/message",
	"/result/task/history", "/result/task/artifacts", "/result/task/status/message",
	"/statusUpdate/status/message", "/result/statusUpdate/status/message",
	"/message", "/params/message", "/result/message",
	"/result", // a message in a JSON-RPC response of A2A 0.3
	"/artifact", "/result/artifact", "/artifactUpdate/artifact", "/result/artifactUpdate/artifact",
}

// before maps a status message and artifacts to the history that precedes them.
var before = map[string]string{
	"/artifacts":                  "/history",
	"/task/artifacts":             "/task/history",
	"/result/artifacts":           "/result/history",
	"/result/task/artifacts":      "/result/task/history",
	"/status/message":             "/history",
	"/task/status/message":        "/task/history",
	"/result/status/message":      "/result/history",
	"/result/task/status/message": "/result/task/history",
}

// isAlone reports whether a value is a message or an artifact.
func isAlone(v tree.Node) bool {
	return v.HasAny("messageId", "artifactId") && v.Get("parts").Is(jsonstream.Array)
}

// holderAt returns the JSON Pointer of the metadata of the [payload] of a document.
func holderAt(root tree.Node) string {
	if root.HasAny("messageId", "artifactId", "status") {
		return "/metadata"
	}
	for _, at := range []string{"/result", "/params", ""} {
		for _, inner := range []string{"/task", "/message", "/statusUpdate", "/artifactUpdate"} {
			if root.At(at + inner).Is(jsonstream.Object) {
				return at + inner + "/metadata"
			}
		}
		if at == "/result" && root.At(at).Is(jsonstream.Object) {
			return at + "/metadata"
		}
	}
	return "/metadata"
}

// taskOf returns the members of a new task: handed over, with no work done yet. Its id is the taskId
// of the canonical message.
func taskOf(m exchange.Meaning, k *exchange.Maker) tree.Node {
	id := m.Values[exchange.RowTask]
	if id.Text() == "" {
		id = k.UUID("/rest/id", "")
	}
	state := k.Up("/rest/status/state", tree.String("TASK_STATE_SUBMITTED"), "the task was handed over, but no agent has started it")
	return chat.Object("id", id, "contextId", k.UUID("/rest/contextId", id.Text()), "status", chat.Object("state", state))
}

// A style describes how a document writes its messages.
type style struct {
	old               bool // A2A 0.3: messages and parts have a kind
	contextID, taskID tree.Node
}

// styleOf returns the style of a message as a JSON text, or "" for the default style.
func styleOf(m tree.Node) string {
	role := m.Get("role").Text()
	s := style{old: m.Get("kind") != tree.None || role == oldUser || role == oldAgent, contextID: stringOf(m.Get("contextId")), taskID: stringOf(m.Get("taskId"))}
	if s == (style{}) {
		return ""
	}
	n := chat.Object("contextId", s.contextID, "taskId", s.taskID)
	if s.old {
		n = n.With("kind", tree.Bool(true))
	}
	return string(n.AppendPlain(nil))
}

// styleIn is the inverse of styleOf.
func styleIn(text string) style {
	n, _ := tree.Parse([]byte(text))
	return style{old: n.Get("kind").Is(jsonstream.True), contextID: stringOf(n.Get("contextId")), taskID: stringOf(n.Get("taskId"))}
}

func stringOf(n tree.Node) tree.Node {
	if tree.IsString(n) {
		return n
	}
	return tree.None
}
