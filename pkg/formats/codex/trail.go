package codex

import (
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// losses returns the turns that compactions replaced by a summary that is encrypted or missing.
func (t *Thread) losses() (all []format.Loss) {
	t.replay(func(l Line, now []threadTurn) {
		replaced := 0
		losesRequests := l.effect == compacts && !slices.Contains(l.within, request)
		for _, turn := range now {
			if turn.Nth == 0 && (turn.nature == other || turn.nature == fromAgent || losesRequests && turn.nature == request) {
				replaced++
			}
		}
		if l.sealed && replaced > 0 {
			all = append(all, format.Loss{Cause: format.Unreadable, At: int(l.Index), Turns: replaced})
		}
	}, func(Line, []threadTurn) {})
	return all
}

// A trail is a [Thread] as a [format.Trail].
type trail struct{ thread Thread }

func newTrail() format.Trail { return &trail{} }

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	var read []Line
	for i, line := range all {
		if l, ok := lineAt(i, line); ok {
			read = append(read, l)
		}
	}
	return read
}

// lineAt is [LineOf] for the line at an index of a file that may have other values.
func lineAt(i int, line jsonstream.Value) (l Line, ok bool) {
	if line.Get("payload").Kind() != jsonstream.Object && fit(line) < format.Possible {
		return Line{}, false
	}
	l, ok = LineOf(line)
	l.Index = int32(i)
	return l, ok
}

func (t *trail) Add(read any) { t.thread.Add(read.([]Line)...) }

func (t *trail) Turns() []format.Spot {
	turns, _ := t.thread.Turns()
	return turns
}

// Losses implements [format.Lossy].
func (t *trail) Losses() []format.Loss { return t.thread.losses() }

// Compactions implements [format.Revising]. Unreadable compactions are losses instead.
func (t *trail) Compactions() (all []format.Compaction) {
	t.thread.replay(func(l Line, now []threadTurn) {
		if l.sealed {
			return
		}
		c := format.Compaction{At: int(l.Index)}
		for _, turn := range now {
			if l.effect == summarises && turn.nature == request {
				c.Instead = append(c.Instead, turn.Spot)
			} else {
				c.Replaced = append(c.Replaced, turn.Spot)
			}
		}
		for n := range l.within {
			c.Instead = append(c.Instead, format.Spot{Index: l.Index, Nth: int32(n + 1)})
		}
		all = append(all, c)
	}, func(Line, []threadTurn) {})
	return all
}

// RolledBack implements [format.Revising].
func (t *trail) RolledBack() (all []format.Spot) {
	t.thread.replay(func(Line, []threadTurn) {}, func(_ Line, taken []threadTurn) {
		for _, turn := range taken {
			if turn.nature == request && turn.Nth == 0 {
				all = append(all, turn.Spot)
			}
		}
	})
	return all
}

// kindOf implements [format.Elements.Kind].
func kindOf(line jsonstream.Value) (kind string, known bool) {
	kind = line.Get("type").Text()
	payload := line.Get("payload")
	if payload.Kind() != jsonstream.Object {
		return kind, true // of the first versions
	}
	switch kind {
	case "response_item":
		of := payload.Get("type").Text()
		if of == "message" || kinds[of] != "" { // almost all
			return kind, true
		}
		if t := conversation.TypeNamed(of); t != nil && (t.IsItem() || t.Is("codex")) {
			return kind, true
		}
		return "response_item " + of, false
	case "session_meta", "event_msg", "turn_context", compactedType, conversation.AgentCommunication, chat.CarriedType,
		// Codex sends none of these to a model.
		"inter_agent_communication_metadata", "world_state", "realtime_item", "security_risk_score":
		return kind, true
	}
	return kind, false
}
