package gemini

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the contents and events that the next model gets, in the order in which ADK sends them. ADK
// stores more events than it sends:
//
//   - the pieces of a stream (partial), and the requests to a person for credentials, a confirmation or an input;
//   - the events that a later one takes back, back to the beginning of an invocation (rewind);
//   - the events that the summary in a later one replaces (compaction);
//   - earlier results of a call that has a later one, as of a tool that runs for long.
//
// A result is sent right after its call, wherever it is stored. Contents are sent as they are.
type trail struct {
	elements []element
	besides  bool // whether to include events without a content
}

func newTrail() format.Trail { return &trail{} }

// known finds the turns of a view, and the events without a content.
var known = &format.Elements{Trail: func() format.Trail { return &trail{besides: true} }}

// An element is a content, or an event of ADK.
type element struct {
	index  int
	*event // nil for a content
}

// An event is the data of an event that decides whether and where ADK sends it.
type event struct {
	id            string
	beside, local bool    // without a content; not for a model
	at            float64 // its time, NaN if unknown
	invocation    string
	rewind        string // the invocation before which the session goes on
	compaction    *compaction
	calls         []string // their ids
	results       []string // their ids, if the event has nothing else
}

// A compaction replaces the events of a period by a summary.
type compaction struct {
	from, to float64
	alone    bool // it replaces all earlier events, as in ADK for JavaScript
}

func (t *trail) Read(part iter.Seq2[int, jsonstream.Value]) any {
	var read []element
	for i, v := range part {
		e := element{index: i}
		if isEventValue(v) {
			e.event = eventOf(v)
		} else if !t.besides && fit(v) == format.Beside {
			continue
		}
		read = append(read, e)
	}
	return read
}

func (t *trail) Add(read any) { t.elements = append(t.elements, read.([]element)...) }

func (t *trail) Turns() []format.Spot {
	if !slices.ContainsFunc(t.elements, func(e element) bool { return e.event != nil }) {
		return indices(t.elements)
	}
	sent := slices.DeleteFunc(withoutRewound(t.elements), func(e element) bool {
		return e.event != nil && (e.local || e.beside && e.compaction == nil && !t.besides)
	})
	return indices(withResults(compacted(sent)))
}

func indices(elements []element) []format.Spot {
	list := make([]format.Spot, len(elements))
	for i, e := range elements {
		list[i].Index = int32(e.index)
	}
	return list
}

// isEventValue is [isEvent] for a value.
func isEventValue(v jsonstream.Value) bool {
	return v.Get("author").Kind() == jsonstream.String && fit(v) != format.Foreign || v.Get("invocationId").Exists() || v.Get("invocation_id").Exists()
}

// requests are the functions by which ADK asks a person. Neither a call to one nor its response is sent.
var requests = []string{"adk_request_credential", "adk_request_confirmation", "adk_request_input"}

// eventOf returns the data of an event. Its texts are copies, since values may share a buffer.
func eventOf(v jsonstream.Value) *event {
	actions := v.Get("actions")
	parts := v.Get("content").Get("parts")
	e := &event{
		id:     strings.Clone(v.Get("id").Text()),
		beside: parts.Kind() != jsonstream.Array, local: v.Get("partial").Kind() == jsonstream.True, at: numberOf(v.Get("timestamp")),
		invocation: strings.Clone(either(v, "invocationId", "invocation_id").Text()),
		rewind:     strings.Clone(either(actions, "rewindBeforeInvocationId", "rewind_before_invocation_id").Text()),
	}
	if summary := actions.Get("compaction"); summary.Kind() == jsonstream.Object {
		e.compaction = &compaction{from: numberOf(either(summary, "startTimestamp", "start_timestamp")), to: numberOf(either(summary, "endTimestamp", "end_timestamp"))}
	} else if v.Get("isCompacted").Kind() == jsonstream.True {
		e.compaction = &compaction{from: numberOf(v.Get("startTime")), to: numberOf(v.Get("endTime")), alone: true}
	}
	only := true
	for _, part := range parts.Elements() {
		call, result := either(part, "functionCall", "function_call"), either(part, "functionResponse", "function_response")
		e.local = e.local || slices.Contains(requests, call.Get("name").Text()) || slices.Contains(requests, result.Get("name").Text())
		if id := call.Get("id").Text(); id != "" {
			e.calls = append(e.calls, strings.Clone(id))
		}
		if id := result.Get("id").Text(); id != "" {
			e.results = append(e.results, strings.Clone(id))
		} else {
			only = false
		}
	}
	if !only {
		e.results = nil
	}
	return e
}

// numberOf returns the value of v, NaN if v is not a number.
func numberOf(v jsonstream.Value) float64 {
	if v.Kind() == jsonstream.Number {
		if f, err := strconv.ParseFloat(string(v.Raw()), 64); err == nil {
			return f
		}
	}
	return math.NaN()
}

// withoutRewound returns the elements without rewound events and without the events that rewind them.
func withoutRewound(elements []element) []element {
	var kept []element
	for i := len(elements) - 1; i >= 0; i-- {
		e := elements[i]
		if e.event == nil || e.rewind == "" {
			kept = append(kept, e)
			continue
		}
		if first := slices.IndexFunc(elements[:i], func(b element) bool { return b.event != nil && b.invocation == e.rewind }); first >= 0 {
			i = first
		}
	}
	slices.Reverse(kept)
	return kept
}

// compacted returns the elements with summaries in the place of the elements that they replace.
func compacted(elements []element) []element {
	var summaries []int
	for i, e := range elements {
		if e.event != nil && e.compaction != nil {
			summaries = append(summaries, i)
		}
	}
	if len(summaries) == 0 {
		return elements
	}
	if last := summaries[len(summaries)-1]; elements[last].compaction.alone {
		summaries = []int{last}
	}
	summaries = slices.DeleteFunc(summaries, func(i int) bool {
		return slices.ContainsFunc(summaries, func(j int) bool { return j > i && elements[j].compaction.includes(elements[i].compaction) })
	})
	replaced := func(i int) bool {
		e := elements[i]
		return e.event != nil && (e.compaction != nil || slices.ContainsFunc(summaries, func(s int) bool {
			c := elements[s].compaction
			return i < s && (e.at <= c.to && (c.alone || e.at >= c.from) || c.alone && math.IsNaN(e.at))
		}))
	}
	slices.SortStableFunc(summaries, func(a, b int) int { // by the end of the period
		return cmp.Compare(elements[a].compaction.to, elements[b].compaction.to)
	})
	kept := make([]element, 0, len(elements))
	for i, e := range elements {
		if replaced(i) {
			continue
		}
		for len(summaries) > 0 && (summaries[0] < i || e.event != nil && e.at > elements[summaries[0]].compaction.to) {
			kept, summaries = append(kept, elements[summaries[0]]), summaries[1:]
		}
		kept = append(kept, e)
	}
	for _, i := range summaries {
		kept = append(kept, elements[i])
	}
	return kept
}

// includes reports whether the period of a compaction includes that of another.
func (c *compaction) includes(other *compaction) bool {
	return c.from <= other.from && c.to >= other.to
}

// replaces reports whether the results in an event replace those in an earlier one, by their ids: an event
// that is stored twice is a fault instead.
func replaces(earlier, later string) bool { return later == "" || later != earlier }

// isReplaced reports whether both values are events, of which the later one replaces the results of the
// earlier one.
func isReplaced(earlier, later jsonstream.Value) bool {
	return isEventValue(earlier) && isEventValue(later) && replaces(earlier.Get("id").Text(), later.Get("id").Text())
}

// withResults returns the elements with the last results of each call right after it.
func withResults(elements []element) []element {
	type answer struct {
		call int // the index of its event
		id   string
	}
	caller := map[string]int{}
	last := map[answer][]int{} // the event with the last result, and the ones that repeat it
	for i, e := range elements {
		if e.event == nil {
			continue
		}
		for _, id := range e.calls {
			caller[id] = i
		}
		for _, id := range e.results {
			if call, ok := caller[id]; ok {
				to := answer{call, id}
				if before := last[to]; len(before) > 0 && replaces(elements[before[0]].id, e.id) {
					last[to] = nil
				}
				last[to] = append(last[to], i)
			}
		}
	}
	of := map[int][]int{} // the events with results, by the event of their call
	for i, e := range elements {
		if e.event == nil {
			continue
		}
		for _, id := range e.calls {
			of[i] = append(of[i], last[answer{i, id}]...)
		}
		slices.Sort(of[i])
		of[i] = slices.Compact(of[i])
	}
	clear(caller)
	sent := make([]element, 0, len(elements))
	done := map[int]bool{}
	for i, e := range elements {
		if e.event == nil {
			sent = append(sent, e)
			continue
		}
		answers := slices.ContainsFunc(e.results, func(id string) bool { _, ok := caller[id]; return ok })
		for _, id := range e.calls {
			caller[id] = i
		}
		if answers {
			continue // its place is after its call
		}
		sent = append(sent, e)
		for _, at := range of[i] {
			if !done[at] {
				done[at] = true
				sent = append(sent, elements[at])
			}
		}
	}
	return sent
}
