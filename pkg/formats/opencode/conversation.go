package opencode

import (
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Standing is the relation of a message to the conversation.
type Standing int

// The standings.
const (
	Current    Standing = iota
	Compacted           // a compaction replaced it
	RolledBack          // the user took it back: revert in the description of the session
	Failed              // it is a response that an error ended
)

// A Message has the facts about a message that decide about the conversation.
type Message struct {
	id, parent string
	user       bool
	compacts   bool // it asks for a compaction
	Summary    bool // it is the summary of a compaction
	failed     bool
	turn       bool // it has content that is sent to the model
}

// MessageOf returns the facts about a message, or false for any other value.
func MessageOf(m jsonstream.Value) (r Message, ok bool) {
	if !isMessage(m) {
		return r, false
	}
	info := m.Get("info")
	r = Message{
		id: strings.Clone(info.Get("id").Text()), parent: strings.Clone(info.Get("parentID").Text()), user: info.Get("role").Text() == "user",
		compacts: hasPart(m, "compaction"), Summary: IsSummary(m), failed: isFailed(m), turn: isTurn(m),
	}
	return r, true
}

// Standings returns the standing of each message of a session. revert is the id of the first message that the user
// took back, according to the session's description; "" if there is none.
//
// It follows filterCompacted, toModelMessages and the clean-up after a revert of opencode 1.18.34, which sent the
// same messages.
func Standings(messages []Message, revert string) []Standing {
	all := make([]Standing, len(messages))
	end := len(messages)
	if i := slices.IndexFunc(messages, func(m Message) bool { return m.id == revert }); revert != "" && i >= 0 {
		end = i
	}
	summarised := map[string]bool{} // the ids of messages whose compaction has a summary
	begin := 0
	for i, m := range slices.Backward(messages[:end]) {
		if m.user && m.compacts && summarised[m.id] {
			begin = i
			break
		}
		if m.Summary {
			summarised[m.parent] = true
		}
	}
	for i, m := range messages {
		switch {
		case i < begin:
			all[i] = Compacted
		case i >= end:
			all[i] = RolledBack
		case m.failed:
			all[i] = Failed
		}
	}
	return all
}

// IsSummary reports whether a message is the summary of a compaction.
func IsSummary(m jsonstream.Value) bool {
	info := m.Get("info")
	return info.Get("role").Text() == "assistant" && info.Get("summary").Kind() == jsonstream.True && info.Get("finish").Exists() && !info.Get("error").Exists()
}

// isFailed reports whether a message is a response that an error ended. A response that the user ended counts,
// unless it is empty.
func isFailed(m jsonstream.Value) bool {
	failure := m.At("/info/error")
	if !failure.Exists() || failure.Kind() == jsonstream.Null {
		return false
	}
	if failure.Get("name").Text() != "MessageAbortedError" {
		return true
	}
	for _, p := range m.Get("parts").Elements() {
		if kind := p.Get("type").Text(); kind != "step-start" && kind != "reasoning" {
			return false
		}
	}
	return true
}

func hasPart(m jsonstream.Value, kind string) bool {
	for _, p := range m.Get("parts").Elements() {
		if p.Get("type").Text() == kind {
			return true
		}
	}
	return false
}

// Text returns a copy of the text of a message: its texts, except for those that the program does not send. said
// is the part of it that the user typed, or the model wrote.
func Text(m jsonstream.Value) (text, said string) {
	var all, typed []string
	for _, p := range m.Get("parts").Elements() {
		if p.Get("type").Text() != "text" || p.Get("ignored").Kind() == jsonstream.True || p.Get("text").Text() == "" {
			continue
		}
		all = append(all, p.Get("text").Text())
		if p.Get("synthetic").Kind() != jsonstream.True {
			typed = append(typed, p.Get("text").Text())
		}
	}
	return strings.Clone(strings.Join(all, "\n")), strings.Clone(strings.Join(typed, "\n"))
}

// IsSession reports whether a document is an exported session.
func IsSession(root jsonstream.Value) bool {
	list := root.Get("messages")
	return root.At("/info/id").Kind() == jsonstream.String && list.Kind() == jsonstream.Array && (list.Len() == 0 || isMessage(list.First()))
}

func isMessage(m jsonstream.Value) bool {
	return m.At("/info/role").Kind() == jsonstream.String && m.Get("parts").Kind() == jsonstream.Array
}

// isTurn reports whether a message has content that is sent to the model.
func isTurn(m jsonstream.Value) bool {
	for _, p := range m.Get("parts").Elements() {
		switch p.Get("type").Text() {
		case "text":
			if p.Get("ignored").Kind() != jsonstream.True && p.Get("text").Text() != "" {
				return true
			}
		case "tool":
			return true
		case "file":
			if !IsQuoted(p) {
				return true
			}
		}
	}
	return false
}

// IsQuoted reports whether the content of an attached file is in a part of its own, as text: a file of text, or a
// folder.
func IsQuoted(file jsonstream.Value) bool { return isQuoted(file.Get("mime").Text()) }

func isQuoted(mediaType string) bool {
	return mediaType == "text/plain" || mediaType == "application/x-directory"
}

// A trail finds the turns of a session.
type trail struct {
	messages []Message
	indices  []int
	revert   string
}

func newTrail() format.Trail { return &trail{} }

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	read := &trail{}
	for i, v := range all {
		if m, ok := MessageOf(v); ok {
			read.messages, read.indices = append(read.messages, m), append(read.indices, i)
			read.revert = strings.Clone(v.Parent().Parent().At("/info/revert/messageID").Text())
		}
	}
	return read
}

func (t *trail) Add(read any) {
	more := read.(*trail)
	t.messages, t.indices = append(t.messages, more.messages...), append(t.indices, more.indices...)
	if more.revert != "" {
		t.revert = more.revert
	}
}

func (t *trail) Turns() (spots []format.Spot) {
	for i, standing := range Standings(t.messages, t.revert) {
		if standing == Current && t.messages[i].turn {
			spots = append(spots, format.Spot{Index: int32(t.indices[i])})
		}
	}
	return spots
}

// Compactions implements [format.Revising]: it returns the last compaction.
func (t *trail) Compactions() []format.Compaction {
	c := format.Compaction{At: -1}
	for i, standing := range Standings(t.messages, t.revert) {
		m, spot := t.messages[i], format.Spot{Index: int32(t.indices[i])}
		switch {
		case standing == Compacted && m.turn:
			c.Replaced = append(c.Replaced, spot)
		case standing == Current && m.Summary && c.At < 0:
			c.At, c.Instead = t.indices[i], []format.Spot{spot}
		}
	}
	if c.At < 0 {
		return nil
	}
	return []format.Compaction{c}
}

// RolledBack implements [format.Revising].
func (t *trail) RolledBack() (spots []format.Spot) {
	for i, standing := range Standings(t.messages, t.revert) {
		if standing == RolledBack && t.messages[i].user && t.messages[i].turn {
			spots = append(spots, format.Spot{Index: int32(t.indices[i])})
		}
	}
	return spots
}

// kindOf implements [format.Elements.Kind]: the kind of a message is that of its first unknown part.
func kindOf(m jsonstream.Value) (kind string, known bool) {
	for _, p := range m.Get("parts").Elements() {
		switch kind = p.Get("type").Text(); kind {
		case "text", "reasoning", "file", "tool", "step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "retry", "compaction":
		default:
			return "part " + kind, false
		}
	}
	return "", true
}
