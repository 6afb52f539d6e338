package validate

import (
	"crypto/sha256"
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// turns yields the turns of the verbatim history, whatever they are.
func turns(c lintContext) iter.Seq2[int, jsonstream.Value] {
	return c.root.Get("conversationHistoryVerbatim").Elements()
}

// A toolEvent is a tool call with an id, or the result of one.
type toolEvent struct{ history.ToolEvent }

func (e toolEvent) noun() string {
	if e.Result {
		return "tool result"
	}
	return "tool call"
}

// toolEvents yields the calls and results of one turn. Those without an id are
// left out: nothing can be said about them.
func toolEvents(turn jsonstream.Value) iter.Seq[toolEvent] {
	return func(yield func(toolEvent) bool) {
		for e := range history.ToolEvents(turn) {
			if e.ID.Text() != "" && !yield(toolEvent{e}) {
				return
			}
		}
	}
}

func callWithoutResult(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		var calls []toolEvent
		open := map[string]int{} // the index in calls, until a result comes
		for _, turn := range turns(c) {
			for e := range toolEvents(turn) {
				id := e.ID.Text()
				_, waits := open[id]
				switch {
				case e.Result:
					delete(open, id)
				case !waits:
					open[id] = len(calls)
					calls = append(calls, e)
				}
			}
		}
		for i, e := range calls {
			if at, waits := open[e.ID.Text()]; waits && at == i &&
				!yield(lintFinding(e.ID, "tool call without a result: nothing after it answers %s; add the result or drop the call", found(e.ID))) {
				return
			}
		}
	}
}

func resultWithoutCall(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		called := map[string]bool{}
		for _, turn := range turns(c) {
			for e := range toolEvents(turn) {
				id := e.ID.Text()
				if !e.Result {
					called[id] = true
				} else if !called[id] &&
					!yield(lintFinding(e.ID, "tool result without a call: nothing before it calls %s; add the call or drop the result", found(e.ID))) {
					return
				}
			}
		}
	}
}

func duplicateTurn(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		seen := repetition{ids: map[turnID]jsonstream.Value{}, texts: map[[sha256.Size]byte]jsonstream.Value{}, events: map[eventID]eventPlace{}}
		for i, turn := range turns(c) {
			if f, ok := seen.add(i, turn); ok && !yield(f) {
				return
			}
		}
	}
}

// repetition is what has been seen of the turns so far.
type repetition struct {
	ids    map[turnID]jsonstream.Value
	texts  map[[sha256.Size]byte]jsonstream.Value
	events map[eventID]eventPlace
}

// turnID includes kind and role, since some systems give an answer the id of its
// question.
type turnID struct{ id, kind, role string }

type eventID struct {
	id     string
	result bool
}

type eventPlace struct {
	toolEvent
	turn int
}

// add records a turn and says by what it repeats an earlier one, if it does.
func (h *repetition) add(index int, turn jsonstream.Value) (f Finding, repeats bool) {
	id := turn.Get("id")
	if id.Text() != "" {
		key := turnID{id.Text(), turn.Get("type").Text(), turn.Get("role").Text()}
		if first, ok := h.ids[key]; ok {
			f, repeats = lintFinding(turn, "the same turn again: found the id %s at %s already; keep one of them", found(id), first.Pointer()), true
		} else {
			h.ids[key] = turn
		}
	}
	if history.Distinctive(turn) {
		key := history.Digest(turn)
		if first, ok := h.texts[key]; !ok {
			h.texts[key] = turn
		} else if !repeats {
			f, repeats = lintFinding(turn, "the same turn again: found all of it at %s already; keep one of them", first.Pointer()), true
		}
	}
	for e := range toolEvents(turn) {
		key := eventID{e.ID.Text(), e.Result}
		first, ok := h.events[key]
		if !ok {
			h.events[key] = eventPlace{e, index}
			continue
		}
		// Some libraries give one turn the calls of a provider and the same in a
		// form of their own.
		if sameEvent := first.turn == index && first.Item.Parent() != e.Item.Parent(); !repeats && !sameEvent {
			f, repeats = lintFinding(e.ID, "the same %s again: found %s at %s already; keep one of them", e.noun(), found(e.ID), first.Item.Pointer()), true
		}
	}
	return f, repeats
}

func systemTurn(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		begun := false
		for _, turn := range turns(c) {
			role := turn.Get("role")
			switch strings.ToLower(strings.TrimSpace(role.Text())) {
			case "system", "developer":
				if begun && !yield(lintFinding(role, "authority in the middle of the history: found the role %s, which may be forged; drop the turn, or state it in constraints", found(role))) {
					return
				}
			default:
				begun = true
			}
		}
	}
}
