package geminicli

import (
	"hash/maphash"
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Log is the conversation of a session. Its file is a log: messages, which replace earlier ones with their
// ids; {"$set": …}, which changes the description, or all messages; {"$rewindTo": ID}, which removes a message
// and those after it, or all messages if the id is unknown. The first versions wrote one object, with the
// messages in it.
//
// It follows loadConversationRecord and convertSessionToClientHistory of @google/gemini-cli-core 0.61.0. It is
// safe for concurrent use, except for Add.
type Log struct {
	seed        maphash.Seed
	dropped     func(Message, Drop)
	messages    []Message
	compacted   []Message // that compressions replaced
	rolledBack  []Message
	revisions   []format.Compaction
	byID        map[uint64]int // indices in messages
	compactions int
}

// A Message is a message of the user, the agent or the program. Its Spot is a place within the line if the line
// has several messages: see [Within].
type Message struct {
	format.Spot
	// Speaks reports whether the message has a text of the user or the agent, and Turn whether it is a turn of
	// the conversation.
	Speaks, Turn bool
	asks         bool   // it is of the user
	id, text     uint64 // hashes
}

// A Drop is the reason why a message is not part of the conversation any more.
type Drop int

// The reasons.
const (
	RolledBack Drop = iota // the user went back to a message before it
	Compacted              // a compression replaced it
	Replaced               // a later message with another text has its id
)

// A Line is the effect of a line on the conversation.
type Line struct {
	rewinds  bool
	target   uint64 // of a rewind
	replaces bool   // its messages replace all others
	messages []Message
}

// NewLog returns an empty log. It calls dropped, unless that is nil, with each message that speaks and leaves
// the conversation.
func NewLog(dropped func(Message, Drop)) *Log {
	if dropped == nil {
		dropped = func(Message, Drop) {}
	}
	return &Log{seed: maphash.MakeSeed(), dropped: dropped, byID: map[uint64]int{}}
}

// LineOf returns the effect of a line, or false if it has none.
func (l *Log) LineOf(line jsonstream.Value) (r Line, ok bool) {
	switch set := line.Get("$set"); {
	case line.Get("$rewindTo").Kind() == jsonstream.String:
		return Line{rewinds: true, target: l.hash(line.Get("$rewindTo").Text())}, true
	case isMessage(line):
		return Line{messages: []Message{l.message(line)}}, true
	case set.Kind() == jsonstream.Object:
		r.replaces = set.Get("messages").Kind() == jsonstream.Array
	case !IsDescription(line):
		return Line{}, false
	}
	for i, m := range Within(line) {
		one := l.message(m)
		one.Nth = int32(i + 1)
		r.messages = append(r.messages, one)
	}
	return r, true
}

// Add adds the effect of the line with an index. Lines must be added in order.
func (l *Log) Add(index int, line Line) {
	if line.rewinds {
		kept := l.byID[line.target] // 0 for an unknown id
		for _, m := range l.messages[kept:] {
			l.drop(m, RolledBack)
			l.rolledBack = append(l.rolledBack, m)
			delete(l.byID, m.id)
		}
		l.messages = l.messages[:kept]
	}
	if line.replaces {
		l.compactions++
		l.revise(index, line)
		kept := map[uint64]bool{}
		for _, m := range line.messages {
			kept[m.text] = true
		}
		for _, m := range l.messages {
			if !kept[m.text] {
				l.compacted = append(l.compacted, m)
				l.drop(m, Compacted)
			}
		}
		l.messages, l.byID = nil, map[uint64]int{}
	}
	for _, m := range line.messages {
		m.Index = int32(index)
		n, known := l.byID[m.id]
		switch {
		case !known:
			l.byID[m.id] = len(l.messages)
			l.messages = append(l.messages, m)
			continue
		case l.messages[n].text != m.text: // else it was written again, with its calls
			l.drop(l.messages[n], Replaced)
		}
		l.messages[n] = m
	}
}

// revise records a compression.
func (l *Log) revise(index int, line Line) {
	c := format.Compaction{At: index}
	for _, m := range l.messages {
		if m.Turn {
			c.Replaced = append(c.Replaced, m.Spot)
		}
	}
	for _, m := range line.messages {
		if m.Turn {
			c.Instead = append(c.Instead, format.Spot{Index: int32(index), Nth: m.Nth})
		}
	}
	l.revisions = append(l.revisions, c)
}

func (l *Log) drop(m Message, why Drop) {
	if m.Speaks {
		l.dropped(m, why)
	}
}

// Messages returns the messages, in the order of the conversation. The caller must not change them.
func (l *Log) Messages() []Message { return l.messages }

// All returns the messages that compressions replaced, and then those of the conversation.
func (l *Log) All() []Message { return slices.Concat(l.compacted, l.messages) }

// Compactions returns the number of times that all messages were replaced.
func (l *Log) Compactions() int { return l.compactions }

func (l *Log) hash(text string) uint64 { return maphash.String(l.seed, text) }

// message returns the description of a message.
func (l *Log) message(m jsonstream.Value) Message {
	kind, text := m.Get("type").Text(), Text(m.Get("content"))
	r := Message{id: l.hash(m.Get("id").Text())}
	switch kind {
	case "user":
		r.Speaks = text != ""
		r.asks = true
		r.Turn = !IsCommand(text) && (text != "" || hasPart(m.Get("content"), "functionResponse"))
	case "gemini":
		r.Speaks = text != ""
		r.Turn = text != "" || m.Get("toolCalls").Len() > 0 || hasPart(m.Get("content"), "functionCall")
	}
	if r.Speaks {
		r.text = l.hash(kind + " " + text)
	}
	return r
}

// Within returns the messages in a line with several, nil for any other line.
func Within(line jsonstream.Value) (messages []jsonstream.Value) {
	if isMessage(line) {
		return nil
	}
	holder := line
	if set := line.Get("$set"); set.Exists() {
		holder = set
	}
	for _, m := range holder.Get("messages").Elements() {
		if m.Get("id").Kind() == jsonstream.String {
			messages = append(messages, m)
		}
	}
	return messages
}

// A trail is a [Log] as a [format.Trail].
type trail struct{ log *Log }

func newTrail() format.Trail { return trail{NewLog(nil)} }

func (t trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	return format.Records(all, t.log.LineOf)
}

func (t trail) Add(read any) {
	for _, r := range read.([]format.Record[Line]) {
		t.log.Add(r.Index, r.Data)
	}
}

func (t trail) Turns() (spots []format.Spot) {
	for _, m := range t.log.messages {
		if m.Turn {
			spots = append(spots, m.Spot)
		}
	}
	return spots
}

// Compactions implements [format.Revising].
func (t trail) Compactions() []format.Compaction { return t.log.revisions }

// RolledBack implements [format.Revising].
func (t trail) RolledBack() (spots []format.Spot) {
	for _, m := range t.log.rolledBack {
		if m.asks && m.Turn {
			spots = append(spots, m.Spot)
		}
	}
	return spots
}

// kindOf implements [format.Elements.Kind].
func kindOf(v jsonstream.Value) (kind string, known bool) {
	if !isMessage(v) {
		return v.Get("type").Text(), fit(v) != format.Foreign
	}
	switch kind = v.Get("type").Text(); kind {
	case "user", "gemini", "info", "error", "warning":
		return kind, true
	}
	return kind, false
}
