package copilotcli

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Log is the conversation of a session. Its file has events, each with the id of the one before it
// (parentId). After a compaction, the model gets the user's messages before it, and its summary; a rewind removes
// an event and all later ones, and a host may clear the conversation, possibly with a first message of the user.
//
// It follows the requests that version 1.0.102 made when it resumed sessions.
type Log struct {
	seed        maphash.Seed
	dropped     func(Event, Drop)
	events      []Event
	compacted   []Event // that compactions replaced
	rolledBack  []Event
	revisions   []format.Compaction
	compactions int
}

// An Event is a turn of the conversation, or another event that a rewind may name.
type Event struct {
	Index  int32 // of its line
	kind   kind
	Turn   bool // it is a turn
	Speaks bool // it has a text of the user or the agent
	id     uint64
	target uint64   // of a rewind
	list   []uint64 // the events that a rewind removes, nil for all from the target on
	asks   bool     // it is a message of the user
}

type kind uint8

const (
	other kind = iota
	turn
	subAgent // a turn of a sub-agent
	compactionStarts
	compacts
	rewinds
	clears
)

// A Drop is the reason why a turn is not part of the conversation.
type Drop int

// The reasons.
const (
	RolledBack Drop = iota // the user went back to an event before it, or cleared the conversation
	Compacted              // a compaction replaced it
	SubAgent               // it is of a sub-agent
)

// NewLog returns an empty log. It calls dropped, unless that is nil, with each event that speaks and is not part
// of the conversation.
func NewLog(dropped func(Event, Drop)) *Log {
	if dropped == nil {
		dropped = func(Event, Drop) {}
	}
	return &Log{seed: maphash.MakeSeed(), dropped: dropped}
}

// IsEvent reports whether a value is an event.
func IsEvent(v jsonstream.Value) bool {
	kind := v.Get("type").Text()
	return (strings.IndexByte(kind, '.') > 0 || kind == "abort") && v.Get("data").Kind() == jsonstream.Object && v.Get("parentId").Exists()
}

// EventOf returns the event in a line, or false if it has none. It is safe for concurrent use.
func (l *Log) EventOf(v jsonstream.Value) (e Event, ok bool) {
	if !IsEvent(v) {
		return e, false
	}
	e.id = l.hash(v.Get("id").Text())
	data := v.Get("data")
	switch v.Get("type").Text() {
	case "user.message":
		e.kind, e.Speaks = turn, data.Get("content").Text() != ""
		e.Turn, e.asks = e.Speaks, true
	case "assistant.message":
		e.kind, e.Speaks = turn, data.Get("content").Text() != ""
		e.Turn = e.Speaks || data.Get("toolRequests").Len() > 0
	case "tool.execution_complete":
		e.kind, e.Turn = turn, true
	case "session.compaction_start":
		e.kind = compactionStarts
	case "session.compaction_complete":
		if data.Get("success").Kind() == jsonstream.True {
			e.kind, e.Turn = compacts, data.Get("summaryContent").Text() != ""
		}
	case "session.snapshot_rewind":
		e.kind, e.target = rewinds, l.hash(data.Get("upToEventId").Text())
		for _, id := range data.Get("eventIds").Elements() {
			e.list = append(e.list, l.hash(id.Text()))
		}
	case "session.context_cleared":
		e.kind, e.Speaks = clears, data.Get("initialMessage").Text() != ""
		e.Turn, e.asks = e.Speaks, e.Speaks
	}
	if e.kind == turn && (v.Get("agentId").Text() != "" || data.Get("parentToolCallId").Text() != "") {
		e.kind, e.Turn = subAgent, false
	}
	return e, true
}

func (l *Log) hash(text string) uint64 { return maphash.String(l.seed, text) }

// Add adds the event in the line with an index. Lines must be added in order.
func (l *Log) Add(index int, e Event) {
	e.Index = int32(index)
	switch e.kind {
	case subAgent:
		l.drop(e, SubAgent)
		return
	case compacts:
		l.compactions++
		from := len(l.events) // turns made during the compaction stay
		for i := len(l.events) - 1; i >= 0; i-- {
			if l.events[i].kind == compactionStarts {
				from = i
				break
			}
		}
		l.revise(e, from)
		l.take(0, from, Compacted)
	case rewinds:
		l.rewind(e)
	case clears:
		l.take(0, len(l.events), RolledBack)
	}
	l.events = append(l.events, e)
}

// rewind removes the event that a rewind names and all later ones, or only the listed ones of them: the events of a
// sub-agent that goes on stay.
func (l *Log) rewind(e Event) {
	first := slices.IndexFunc(l.events, func(earlier Event) bool { return earlier.id == e.target })
	if first < 0 {
		return
	}
	for i := len(l.events) - 1; i >= first; i-- {
		if e.list == nil || slices.Contains(e.list, l.events[i].id) {
			l.take(i, i+1, RolledBack)
		}
	}
}

// take removes events. A compaction keeps the messages of the user.
func (l *Log) take(from, to int, why Drop) {
	var kept []Event
	for _, e := range l.events[from:to] {
		if why == Compacted && e.asks {
			kept = append(kept, e)
			continue
		}
		if why == Compacted {
			l.compacted = append(l.compacted, e)
		} else {
			l.rolledBack = append(l.rolledBack, e)
		}
		l.drop(e, why)
	}
	l.events = slices.Replace(l.events, from, to, kept...)
}

// revise records a compaction of the first events.
func (l *Log) revise(e Event, to int) {
	c := format.Compaction{At: int(e.Index)}
	if e.Turn {
		c.Instead = []format.Spot{{Index: e.Index}}
	}
	for _, earlier := range l.events[:to] {
		switch {
		case earlier.asks:
			c.Instead = append(c.Instead, format.Spot{Index: earlier.Index})
		case earlier.Turn:
			c.Replaced = append(c.Replaced, format.Spot{Index: earlier.Index})
		}
	}
	l.revisions = append(l.revisions, c)
}

func (l *Log) drop(e Event, why Drop) {
	if e.Speaks {
		l.dropped(e, why)
	}
}

// Events returns the events of the conversation, in order. The caller must not change them.
func (l *Log) Events() []Event { return l.events }

// All returns the events of the conversation and the events that compactions replaced, in the order of the file.
func (l *Log) All() []Event {
	all := slices.Concat(l.compacted, l.events)
	slices.SortStableFunc(all, func(a, b Event) int { return int(a.Index - b.Index) })
	return all
}

// Compactions returns the number of compactions.
func (l *Log) Compactions() int { return l.compactions }

// A trail is a [Log] as a [format.Trail].
type trail struct{ log *Log }

func newTrail() format.Trail { return trail{NewLog(nil)} }

func (t trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	return format.Records(all, t.log.EventOf)
}

func (t trail) Add(read any) {
	for _, r := range read.([]format.Record[Event]) {
		t.log.Add(r.Index, r.Data)
	}
}

func (t trail) Turns() (spots []format.Spot) {
	for _, e := range t.log.events {
		if e.Turn {
			spots = append(spots, format.Spot{Index: e.Index})
		}
	}
	return spots
}

// Compactions implements [format.Revising].
func (t trail) Compactions() []format.Compaction { return t.log.revisions }

// RolledBack implements [format.Revising].
func (t trail) RolledBack() (spots []format.Spot) {
	for _, e := range t.log.rolledBack {
		if e.asks {
			spots = append(spots, format.Spot{Index: e.Index})
		}
	}
	return spots
}

// kindOf implements [format.Elements.Kind]: an event is known by its group.
func kindOf(v jsonstream.Value) (kind string, known bool) {
	kind = v.Get("type").Text()
	group, _, _ := strings.Cut(kind, ".")
	switch group {
	case "session", "user", "assistant", "tool", "system", "model", "abort", "subagent", "skill", "hook", "permission", "pending_messages", "tool_search",
		"user_input", "elicitation", "sampling", "mcp", "ui", "external_tool", "command", "commands", "auto_mode_switch", "session_limits_exhausted",
		"capabilities", "exit_plan_mode", chat.CarriedType:
		return kind, true
	}
	return kind, false
}
