package agents

import (
	"cmp"
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// DefaultWindow is the number of items after a handoff within which the task must not
// return.
const DefaultWindow = 5

// RunOptions configures the checks of recorded runs. The zero value is the default.
type RunOptions struct {
	// First is the first agent of a run; nil means Definitions.Start.
	First *Agent
	// Context is the run context. If it is absent, the result of a condition is unknown.
	Context jsonstream.Value
	// Window is the number of items within which a task must not return to an agent; 0 means
	// DefaultWindow.
	Window int
	// MaxItems is the number of items above which a history is long; 0 means
	// openai.DefaultMaxItems.
	MaxItems int
	// Start and End are the markers of summaries, as in [openai.NestOptions].
	Start, End string
}

// An event is the effect of an item on the route of a task.
type event struct {
	openai.Item
	kind     eventKind
	index    int        // the index of the item in the run
	place    int        // the number of the document's item in the run
	by       *Agent     // the agent with the task before the event; nil if it is not known
	handoffs []*Handoff // of a call: the handoffs of by with its tool
	to       *Agent     // of a transfer: the agent with the task after it; nil if it is not defined
	taken    *Handoff   // of a transfer: the handoff taken; nil if by has no such handoff
}

type eventKind int

const (
	heard    eventKind = iota // a message of the user
	called                    // a call to a tool
	transfer                  // a handoff
)

// events yields the events of a run. An item that is both in a summary and in a list counts
// once.
func (d *Definitions) events(data jsonstream.Value, o RunOptions) iter.Seq[event] {
	return func(yield func(event) bool) {
		w := walk{d: d, by: cmp.Or(o.First, d.Start), pending: map[string][]*Handoff{}, calls: map[string]bool{}, results: map[string]bool{}, answered: map[string]bool{}}
		for item := range openai.Items(data, o.Start, o.End) {
			if item.IsResult() {
				w.answered[callID(item)] = true
			}
		}
		index, place := 0, 0
		var at jsonstream.Value
		for item := range openai.Items(data, o.Start, o.End) {
			index++
			if item.At != at {
				at = item.At
				place++
			}
			for _, e := range w.take(item) {
				e.Item, e.index, e.place = item, index, place
				if !yield(e) {
					return
				}
			}
		}
	}
}

// callID returns the id that a call shares with its result. It must not keep the records of
// a summary in memory.
func callID(item openai.Item) string { return strings.Clone(item.CallID()) }

// A walk follows a task from agent to agent.
type walk struct {
	d        *Definitions
	by       *Agent
	pending  map[string][]*Handoff // the handoffs that may have been called, by call id
	calls    map[string]bool       // the ids of calls
	results  map[string]bool       // the ids of results
	answered map[string]bool       // the ids of all results of the run
}

// take returns the events of an item.
func (w *walk) take(item openai.Item) []event {
	switch {
	case item.IsUser():
		return []event{{kind: heard, by: w.by}}
	case item.IsCall():
		return w.call(item)
	case item.IsResult():
		return w.result(item)
	default:
		return nil
	}
}

func (w *walk) call(item openai.Item) []event {
	id := callID(item)
	if w.calls[id] {
		return nil
	}
	w.calls[id] = id != ""
	if by := w.d.byName[item.By()]; by != nil {
		w.by = by
	}
	e := event{kind: called, by: w.by}
	if w.by != nil {
		e.handoffs = w.by.byTool[item.Value.Get("name").Text()]
	}
	events := []event{e}
	switch {
	case len(e.handoffs) == 0:
	case w.answered[id] && id != "":
		w.pending[id] = e.handoffs
	default: // the run was recorded before the output
		events = append(events, w.hand(e.handoffs[0].Name, e.handoffs))
	}
	return events
}

func (w *walk) result(item openai.Item) []event {
	id, to := callID(item), item.To()
	if w.results[id] {
		return nil
	}
	w.results[id] = id != ""
	handoffs := w.pending[id]
	delete(w.pending, id)
	if to == "" {
		return nil // the output of another tool, or of a handoff that the SDK ignored
	}
	return []event{w.hand(to, handoffs)}
}

// hand gives the task to another agent, by one of several handoffs.
func (w *walk) hand(to string, by []*Handoff) event {
	e := event{kind: transfer, by: w.by, to: w.d.byName[to]}
	for _, h := range by {
		if h.Name == to {
			e.taken = h
			break
		}
	}
	w.by = e.to
	return e
}

// A Transfer is a handoff taken in a run.
type Transfer struct {
	From, To string   // the names of agents, "" for an undefined one
	Handoff  *Handoff // the handoff taken, nil if From has no such handoff
}

// Transfers returns the handoffs that a recorded run took, in order.
func (d *Definitions) Transfers(data jsonstream.Value, o RunOptions) []Transfer {
	var all []Transfer
	for e := range d.events(data, o) {
		if e.kind == transfer {
			all = append(all, Transfer{e.by.name(), e.to.name(), e.taken})
		}
	}
	return all
}

// name returns the name of an agent, "" for nil.
func (a *Agent) name() string {
	if a == nil {
		return ""
	}
	return a.Name
}
