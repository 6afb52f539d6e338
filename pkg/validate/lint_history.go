package validate

import (
	"slices"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A lintHistory is the input of the rules on the verbatim history: its turns, of any kind, and the tool
// calls and results in them. Its memory is reused for the next message.
type lintHistory struct {
	turns  []jsonstream.Value
	events []toolEvent
	calls  map[string]int  // numbers the ids of the events
	denied map[string]bool // the ids of calls of Agent Framework that a person denied; nil for none

	marks   []int          // see marked
	ids     map[turnID]int // for duplicateTurn: the first turn with the id
	repeats conversation.Repeats
}

// A toolEvent is a tool call or result with an id. Those without an id are skipped.
type toolEvent struct {
	conversation.Part
	turn, call int // the index of the turn, the number of the id
}

func (e toolEvent) noun() string {
	if e.Kind == conversation.Result {
		return "tool result"
	}
	return "tool call"
}

func (h *lintHistory) read(verbatim jsonstream.Value) {
	for _, turn := range verbatim.Elements() {
		h.add(turn)
	}
}

// add adds a turn.
func (h *lintHistory) add(turn jsonstream.Value) {
	i := len(h.turns)
	h.turns = append(h.turns, turn)
	for e := range conversation.Parts(turn) {
		if e.Kind == conversation.ApprovalResponse {
			h.addApproval(e)
		}
		id := e.ID.Text()
		if id == "" || e.Kind != conversation.Call && e.Kind != conversation.Result {
			continue
		}
		call, ok := h.calls[id]
		if !ok {
			call = len(h.calls)
			h.calls[id] = call
		}
		h.events = append(h.events, toolEvent{e, i, call})
	}
}

// addApproval adds a person's answer to the question whether a tool may be called.
func (h *lintHistory) addApproval(answer conversation.Part) {
	if _, id := conversation.AskedCall(answer.Value); id.Exists() && answer.Value.Get("approved").Kind() == jsonstream.False {
		if h.denied == nil {
			h.denied = map[string]bool{}
		}
		h.denied[id.Text()] = true
	}
}

// forget drops all references to the message.
func (h *lintHistory) forget() {
	clear(h.turns)
	clear(h.events)
	h.turns, h.events = h.turns[:0], h.events[:0]
	clear(h.calls)
	h.denied = nil
	clear(h.ids)
	h.repeats.Reset()
}

// marked returns one zero per numbered id. The next call reuses the memory.
func (h *lintHistory) marked(n int) []int {
	n *= len(h.calls)
	h.marks = slices.Grow(h.marks[:0], n)[:n]
	clear(h.marks)
	return h.marks
}

func callWithoutResult(l *linter) {
	open := l.history.marked(1) // one more than the index of the call, until its result
	for i, e := range l.history.events {
		switch {
		case e.Kind == conversation.Result:
			open[e.call] = 0
		case open[e.call] == 0:
			open[e.call] = i + 1
		}
	}
	for i, e := range l.history.events {
		if open[e.call] == i+1 && !l.history.denied[e.ID.Text()] &&
			!l.report(e.ID, "tool call without a result: no result for %s follows; add the result or drop the call", finding.QuoteValue(e.ID)) {
			return
		}
	}
}

func resultWithoutCall(l *linter) {
	called := l.history.marked(1)
	for _, e := range l.history.events {
		if e.Kind == conversation.Call {
			called[e.call] = 1
		} else if called[e.call] == 0 &&
			!l.report(e.ID, "tool result without a call: no call %s precedes it; add the call or drop the result", finding.QuoteValue(e.ID)) {
			return
		}
	}
}

func duplicateTurn(l *linter) {
	d := duplicates{lintHistory: &l.history, first: l.history.marked(2)}
	for i := range d.turns {
		if f, ok := d.add(i); ok && !l.add(f) {
			return
		}
	}
}

// duplicates records the turns seen so far.
type duplicates struct {
	*lintHistory
	seen  int   // events
	first []int // for the calls and the results of an id: one more than the index of the first
}

// turnID includes kind and role because some systems give an answer the same id as its question.
type turnID struct{ id, kind, role string }

// add records a turn. If it repeats an earlier one, add returns a finding.
func (d *duplicates) add(index int) (f finding.Finding, repeats bool) {
	turn := d.turns[index]
	if id := turn.Get("id"); id.Text() != "" {
		key := turnID{id.Text(), turn.Get("type").Text(), turn.Get("role").Text()}
		if first, ok := d.ids[key]; ok {
			f, repeats = lintFinding(turn, "repeated turn: the id %s is also at %s; keep one of them", finding.QuoteValue(id), d.turns[first].Pointer()), true
		} else {
			d.ids[key] = index
		}
	}
	if first, ok := d.repeats.Add(index, turn); ok && !repeats {
		f, repeats = lintFinding(turn, "repeated turn: an equal one is at %s; keep one of them", d.turns[first].Pointer()), true
	}
	for ; d.seen < len(d.events) && d.events[d.seen].turn == index; d.seen++ {
		e := d.events[d.seen]
		first := &d.first[2*e.call]
		if e.Kind == conversation.Result {
			first = &d.first[2*e.call+1]
		}
		if *first == 0 {
			*first = d.seen + 1
			continue
		}
		// Some libraries give one turn both the provider's form of a call and their own.
		earlier := d.events[*first-1]
		if sameEvent := earlier.turn == index && earlier.Value.Parent() != e.Value.Parent(); !repeats && !sameEvent {
			f, repeats = lintFinding(e.ID, "repeated %s: %s is also at %s; keep one of them", e.noun(), finding.QuoteValue(e.ID), earlier.Value.Pointer()), true
		}
	}
	return f, repeats
}

// systemTurnRule is the rule that is an error for received messages.
const systemTurnRule = "lint/system-turn-mid-history"

func systemTurn(l *linter) {
	begun := false
	for _, turn := range l.history.turns {
		role, at := roleOf(turn)
		switch role {
		case "system", "developer":
			if begun && !l.report(at, "authority in the middle of the history: found the role %s, which may be forged; drop the turn, or state it in constraints", finding.Quote(role)) {
				return
			}
		default:
			begun = true
		}
	}
}

// misspeltRole checks only the roles of canonical messages: other formats have their own names.
func misspeltRole(l *linter) {
	known := []string{"system", "developer", "user", "assistant", "tool", "function"}
	for _, turn := range l.history.turns {
		role := turn.Get("role")
		if role.Text() == "" || slices.Contains(known, role.Text()) {
			continue
		}
		meant := nearest.Name(role.Text(), known)
		if meant != "" && !l.add(lintFinding(role, "unknown role: found %s: did you mean %q?", finding.QuoteValue(role), meant)) {
			return
		}
	}
}
