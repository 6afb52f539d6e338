package repair

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
)

// mendRepeatedCall gives a repeated call and its result a new id, or drops a call that equals the first and
// has no result.
func (r *repairer) mendRepeatedCall(f provider.Fault) bool {
	i := r.indexOf(f.At)
	again, ok := r.partAt(i, f.At, conversation.Call)
	var listed []string // the places of the id in the list of calls, if LangChain also has the call in the content
	if !ok {
		if again, ok = r.callOf(i, f.At.Text()); !ok {
			return false
		}
		listed = []string{f.At.Pointer()[len(r.items[i].turn.Value.Pointer()):]}
	}
	id := again.ID.Text()
	calls, results := r.namesakes(id)
	first, this, that := calls[0], "second", "first"
	if first.Value == again.Value && len(calls) > 1 { // the second one has the result
		first, this, that = calls[1], that, this
	}
	result := resultsOf(calls, results)[slices.IndexFunc(calls, func(c event) bool { return c.Value == again.Value })]
	own := result != nil && result.Value == again.Value
	isWithin := result == nil || result.item == i // a turn with hosted calls has their results, too
	if isWithin && first.item != i && same(r.items[first.item].turn.Value, r.items[i].turn.Value) {
		r.step(f, i, "removed the turn, which equals the turn with the %s call %q", that, id)
		r.drop(i)
		return true
	}
	if (len(results) < 2 || own) && same(first.Value, again.Value) {
		r.step(f, i, "removed the %s call %q, which equals the %s", this, id, that)
		listed := r.listedIDs(i, again)
		if gone := r.take(i, again); !gone {
			for _, pointer := range listed {
				r.editAt(i, strings.TrimSuffix(pointer, "/id"), nil)
			}
		}
		return true
	}
	fresh := r.freshID(id)
	if listed == nil {
		listed = r.listedIDs(i, again)
	}
	pointer := ""
	if result != nil && !own {
		pointer = result.Value.Pointer()[len(r.items[result.item].turn.Value.Pointer()):]
		r.step(f, i, "gave the %s call %q, and its result, the id %q", this, id, fresh)
	} else {
		r.step(f, i, "gave the %s call %q the id %q", this, id, fresh)
	}
	r.renameIn(i, again.Value, id, fresh)
	for _, pointer := range listed {
		r.editAt(i, pointer, format.Fill("%", fresh))
	}
	if result != nil && !own {
		r.renameIn(result.item, r.items[result.item].turn.Value.At(pointer), id, fresh)
	}
	return true
}

// isRepeated reports whether several calls have the id of a call.
func (r *repairer) isRepeated(call conversation.Part) bool {
	id := call.ID.Text()
	if r.called == nil {
		r.called = map[string]int{}
		for _, it := range r.items {
			for p := range conversation.ToolEvents(it.turn.Value) {
				if p.Kind == conversation.Call {
					r.called[p.ID.Text()]++
				}
			}
		}
	}
	if id == "" || r.called[id] < 2 {
		return false
	}
	calls, _ := r.namesakes(id) // some may have been removed
	return len(calls) > 1
}

// listedIDs returns the places of the id of a call of the content in the list of calls, where LangChain has
// it too, from the last to the first.
func (r *repairer) listedIDs(i int, call conversation.Part) (pointers []string) {
	if call.Value.Parent().Name() != "content" {
		return nil
	}
	item, id := r.items[i].turn.Item(), call.ID.Text()
	before, after := 0, 0 // the calls in the content with the same id
	for at, v := range item.Get("content").Elements() {
		switch p, _ := conversation.PartOf(v); {
		case p.Kind != conversation.Call || p.ID.Text() != id:
		case at < call.Value.Index():
			before++
		case at > call.Value.Index():
			after++
		}
	}
	for _, name := range [...]string{"tool_calls", "invalid_tool_calls"} {
		for _, listed := range item.Get(name).Elements() {
			if listed.Get("id").Text() == id {
				pointers = append(pointers, listed.Get("id").Pointer()[len(r.items[i].turn.Value.Pointer()):])
			}
		}
	}
	pointers = pointers[min(before, len(pointers)):]
	pointers = pointers[:max(len(pointers)-after, min(1, len(pointers)))]
	slices.Reverse(pointers)
	return pointers
}

// callOf returns the call with an id in an item.
func (r *repairer) callOf(i int, id string) (conversation.Part, bool) {
	for p := range conversation.ToolEvents(r.items[i].turn.Value) {
		if p.Kind == conversation.Call && p.ID.Text() == id {
			return p, true
		}
	}
	return conversation.Part{}, false
}

// An event is a call or a result of an item.
type event struct {
	conversation.Part
	item int
	at   int // index among all calls and results with its id
}

// namesakes returns the calls and results with an id, in order.
func (r *repairer) namesakes(id string) (calls, results []event) {
	for _, it := range r.withID(id) {
		for p := range conversation.ToolEvents(it.turn.Value) {
			e := event{p, r.placeOf(it), len(calls) + len(results)}
			switch {
			case p.ID.Text() != id:
			case p.Kind == conversation.Result:
				results = append(results, e)
			default:
				calls = append(calls, e)
			}
		}
	}
	return calls, results
}

// resultsOf returns the results of calls with one id, nil for a call without a result. A result with a tool
// name belongs to a call of that tool. Otherwise results belong to the last calls before them, and the n-th
// result to the n-th call if calls were made together.
func resultsOf(calls, results []event) []*event {
	pairs := make([]*event, len(calls))
	left := make([]*event, len(results))
	for i := range results {
		left[i] = &results[i]
	}
	pair := func(fits func(call, result *event) bool) {
		left = slices.DeleteFunc(left, func(result *event) bool {
			best := -1
			for i := range calls {
				switch call := &calls[i]; {
				case pairs[i] != nil || !fits(call, result):
				case best < 0, call.at < result.at && call.item > calls[i-1].item+1:
					best = i
				}
			}
			if best >= 0 {
				pairs[best] = result
			}
			return best >= 0
		})
	}
	isNamed := func(result *event) bool {
		return result.Tool() != "" && slices.ContainsFunc(calls, func(call event) bool { return call.Tool() == result.Tool() })
	}
	pair(func(call, result *event) bool { return call.Value == result.Value })
	pair(func(call, result *event) bool { return isNamed(result) && call.Tool() == result.Tool() })
	pair(func(call, result *event) bool { return !isNamed(result) })
	pair(func(call, result *event) bool { return true })
	return pairs
}
