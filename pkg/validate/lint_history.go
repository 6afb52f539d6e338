package validate

import (
	"crypto/sha256"
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// turns yields the turns of the verbatim history, whatever they are.
func turns(c lintContext) iter.Seq2[int, jsonstream.Value] {
	return c.root.Get("conversationHistoryVerbatim").Elements()
}

// A toolEvent is a tool call, or the result of one.
type toolEvent struct {
	item   jsonstream.Value // the turn, part or call that it stands in
	id     jsonstream.Value // of the call: a string that is not empty
	result bool
}

func (e toolEvent) noun() string {
	if e.result {
		return "tool result"
	}
	return "tool call"
}

// toolEvents yields the calls and results of one turn. Those without an id are
// left out: nothing can be said about them.
func toolEvents(turn jsonstream.Value) iter.Seq[toolEvent] {
	return func(yield func(toolEvent) bool) {
		if e := asToolEvent(turn); e.id.Text() != "" && !yield(e) {
			return
		}
		for _, part := range turn.Get("content").Elements() {
			if e := asToolEvent(part); e.id.Text() != "" && !yield(e) {
				return
			}
		}
		for _, call := range turn.Get("tool_calls").Elements() { // OpenAI Chat
			if e := (toolEvent{call, call.Get("id"), false}); e.id.Text() != "" && !yield(e) {
				return
			}
		}
	}
}

// asToolEvent recognises an item or part by its shape; its id is absent if it is
// no tool event.
func asToolEvent(item jsonstream.Value) toolEvent {
	kind := item.Get("type").Text()
	switch {
	case kind == "local_shell_call_output" && !item.Get("call_id").Exists(): // OpenAI Responses, as first published
		return toolEvent{item, item.Get("id"), true}
	case strings.HasSuffix(kind, "_call"): // OpenAI Responses: function_call, computer_call, …
		return toolEvent{item, item.Get("call_id"), false}
	case strings.HasSuffix(kind, "_output"): // function_call_output, …
		return toolEvent{item, item.Get("call_id"), true}
	case strings.HasSuffix(kind, "tool_use"): // Anthropic: also server_tool_use, mcp_tool_use
		return toolEvent{item, item.Get("id"), false}
	case strings.HasSuffix(kind, "tool_result"): // also web_search_tool_result, …
		return toolEvent{item, item.Get("tool_use_id"), true}
	case item.Get("role").Text() == "tool": // OpenAI Chat
		return toolEvent{item, item.Get("tool_call_id"), true}
	default:
		return toolEvent{}
	}
}

func callWithoutResult(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		var calls []toolEvent
		open := map[string]int{} // the index in calls, until a result comes
		for _, turn := range turns(c) {
			for e := range toolEvents(turn) {
				id := e.id.Text()
				_, waits := open[id]
				switch {
				case e.result:
					delete(open, id)
				case !waits:
					open[id] = len(calls)
					calls = append(calls, e)
				}
			}
		}
		for i, e := range calls {
			if at, waits := open[e.id.Text()]; waits && at == i &&
				!yield(lintFinding(e.id, "tool call without a result: nothing after it answers %s; add the result or drop the call", found(e.id))) {
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
				id := e.id.Text()
				if !e.result {
					called[id] = true
				} else if !called[id] &&
					!yield(lintFinding(e.id, "tool result without a call: nothing before it calls %s; add the call or drop the result", found(e.id))) {
					return
				}
			}
		}
	}
}

func duplicateTurn(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		seen := history{ids: map[turnID]jsonstream.Value{}, texts: map[[sha256.Size]byte]jsonstream.Value{}, events: map[eventID]eventPlace{}}
		for i, turn := range turns(c) {
			if f, ok := seen.add(i, turn); ok && !yield(f) {
				return
			}
		}
	}
}

// history is what has been seen of the turns so far.
type history struct {
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
func (h *history) add(index int, turn jsonstream.Value) (f Finding, repeats bool) {
	id := turn.Get("id")
	if id.Text() != "" {
		key := turnID{id.Text(), turn.Get("type").Text(), turn.Get("role").Text()}
		if first, ok := h.ids[key]; ok {
			f, repeats = lintFinding(turn, "the same turn again: found the id %s at %s already; keep one of them", found(id), first.Pointer()), true
		} else {
			h.ids[key] = turn
		}
	}
	if distinctive(turn) {
		key := contentHash(turn)
		if first, ok := h.texts[key]; !ok {
			h.texts[key] = turn
		} else if !repeats {
			f, repeats = lintFinding(turn, "the same turn again: found all of it at %s already; keep one of them", first.Pointer()), true
		}
	}
	for e := range toolEvents(turn) {
		key := eventID{e.id.Text(), e.result}
		first, ok := h.events[key]
		if !ok {
			h.events[key] = eventPlace{e, index}
			continue
		}
		// Some libraries give one turn the calls of a provider and the same in a
		// form of their own.
		if sameEvent := first.turn == index && first.item.Parent() != e.item.Parent(); !repeats && !sameEvent {
			f, repeats = lintFinding(e.id, "the same %s again: found %s at %s already; keep one of them", e.noun(), found(e.id), first.item.Pointer()), true
		}
	}
	return f, repeats
}

// chanceLength is how many bytes of text people and models may well say twice:
// "Yes, please go on." is no mistake.
const chanceLength = 64

// distinctive reports whether another turn equal to this one cannot be chance.
func distinctive(turn jsonstream.Value) bool {
	for _, name := range []string{"timestamp", "time", "createdAt", "created_at", "created"} {
		if k := turn.Get(name).Kind(); k == jsonstream.String || k == jsonstream.Number {
			return true
		}
	}
	size := 0
	for v := range turn.All() {
		if v.Kind() == jsonstream.String {
			size += len(v.Raw()) - len(`""`)
		}
		if size > chanceLength {
			return true
		}
	}
	return false
}

func contentHash(v jsonstream.Value) [sha256.Size]byte {
	return sha256.Sum256(jsonstream.AppendCompact(nil, v.Raw()))
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
