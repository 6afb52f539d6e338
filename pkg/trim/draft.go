package trim

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A draft is a message during a trim.
type draft struct {
	o       Options
	h       *history.History
	record  Record // of earlier trims; at the end, includes this one
	turns   []turn
	units   []int                     // see [history.History.Units]
	former  int                       // the index of the turn with the summary of an earlier trim, or -1
	old     size                      // size of that summary
	before  size                      // of the message
	total   size                      // of the message without the turns removed by filters
	members map[string]measuredMember // of the context before the trim
	cut     cut
	planned cut  // the cut before giveBack
	spared  bool // less of Options.Also is removed than planned

	besides []otherElement   // elements of lists that are not turns, in order
	like    jsonstream.Value // a turn whose form the summary takes

	frame      size            // of an empty summary
	tokenBytes int             // the assumed bytes of JSON per token of a summary
	slack      size            // by how much the message was larger than planned
	usage      summarize.Usage // of all requests for a summary
	fellBack   error           // why Options.Fallback was used
	scratch    []byte
	isCompact  bool // values are already compact, or keep their text
}

// A turn is a turn of the history, and its fate in the trim.
type turn struct {
	size  size
	fate  fate
	text  []byte // as compact JSON; of an edited turn, the new text
	uncut fate   // kept or edited
}

// An otherElement is an element of a list that is not a turn: it keeps its place.
type otherElement struct {
	list, index int
	value       jsonstream.Value
	speaks      bool // it would be a turn in a list of its own
}

// A measuredMember is the text of a member and its number of tokens.
type measuredMember struct {
	raw    []byte
	tokens int
}

// A fate is the result of a trim for a turn.
type fate int

const (
	kept     fate = iota
	edited        // a filter removed its tool parts
	filtered      // a filter removed it
	removed       // replaced by the summary
)

func newDraft(h *history.History, message []byte, o Options) (*draft, error) {
	if o.Meter.Count == nil {
		o.Meter.Count = func(text string) int { return (len(text) + 3) / 4 }
	}
	record, err := readRecord(h)
	if err != nil {
		return nil, err
	}
	d := &draft{o: o, h: h, record: record, turns: make([]turn, len(h.Turns)), units: conversation.Units(h.Turns), former: formerSummary(h, record), tokenBytes: usualBytes}
	tally := h.Measure(o.Meter)
	d.members = make(map[string]measuredMember, len(tally.Members))
	for name, v := range h.Root.Members() {
		d.members[name] = measuredMember{v.Raw(), tally.Members[len(d.members)].Size}
	}
	if d.isCompact = d.isLines(); d.isCompact { // lines keep their text
		d.scratch = message
	} else {
		d.scratch = jsonstream.AppendCompact(nil, message)
		d.isCompact = len(d.scratch) == len(message) && !h.Carrier().Exists()
	}
	d.before = size{tally.Total, len(d.scratch)}
	for i, t := range h.Turns {
		text := d.compact(t.Value)
		d.turns[i] = turn{size: size{tally.Turns[i], h.Encoded(len(text)) + len(",")}, text: text}
	}
	if !d.isLines() {
		d.findBesides()
	}
	d.like = likeOf(h)
	d.record.OriginalTurns = d.record.DroppedTurns + d.stays()
	d.total = d.before
	if h.Carrier().Exists() {
		d.total.bytes = d.bytes(h.Context().Root()) + h.Beside()
	}
	d.frame = d.summaryFrame()
	switch {
	case d.former >= 0:
		d.old = d.turns[d.former].size
	case h.Layout().Summary != "":
		v := h.Root.Get(h.Layout().Summary)
		d.old = size{o.Meter.Count(v.Text()), len(v.Raw())}
	}
	return d, nil
}

// isLines reports whether each turn is a line.
func (d *draft) isLines() bool { return d.h.Root.IsLines() }

// bytes returns the number of bytes of a value of the context in the message, as compact JSON.
func (d *draft) bytes(v jsonstream.Value) int { return d.h.Encoded(len(d.compact(v))) }

// textOf returns the compact text of the content of a turn.
func (d *draft) textOf(i int) []byte {
	if t := d.h.Turns[i]; t.Item() != t.Value {
		return jsonstream.AppendCompact(nil, t.Item().Raw())
	}
	return d.turns[i].text
}

// compact returns the compact text of a value, without a copy if it is already compact.
func (d *draft) compact(v jsonstream.Value) []byte {
	if d.isCompact {
		return v.Raw()
	}
	d.scratch = jsonstream.AppendCompact(d.scratch[:0], v.Raw())
	if len(d.scratch) == len(v.Raw()) {
		return v.Raw()
	}
	return bytes.Clone(d.scratch)
}

// set sets the fate of a turn.
func (d *draft) set(i int, f fate) {
	d.turns[i].fate = f
	if f == filtered {
		d.total = d.total.minus(d.turns[i].size)
	}
}

// changed reports whether a filter has removed anything.
func (d *draft) changed() bool {
	for _, t := range d.turns {
		if t.fate != kept {
			return true
		}
	}
	return false
}

// stays returns the number of turns left after filtering, without a summary.
func (d *draft) stays() int {
	n := 0
	for i, t := range d.turns {
		if (t.fate == kept || t.fate == edited) && i != d.former {
			n++
		}
	}
	return n
}

// said returns the number of turns of the conversation left after filtering.
func (d *draft) said() int {
	n := d.stays()
	for i, t := range d.h.Turns {
		if d.turns[i].fate == kept && t.IsContext() {
			n--
		}
	}
	return n
}

// fits reports whether the unchanged message is within the limits.
func (d *draft) fits() bool {
	return d.within(d.before) && (d.o.Last <= 0 || d.said() <= d.o.Last)
}

func (d *draft) within(s size) bool {
	return (d.o.MaxTokens <= 0 || s.tokens <= d.o.MaxTokens) && (d.o.MaxBytes <= 0 || s.bytes <= d.o.MaxBytes)
}

// findBesides finds the elements of the lists that are not turns. Most lists have none.
func (d *draft) findBesides() {
	known := d.h.Layout().Known
	for i, list := range d.h.Lists {
		if list.Value.Kind() != jsonstream.Array {
			continue
		}
		n := 0
		for _, t := range d.h.Turns {
			if t.List == i {
				n++
			}
		}
		if list.Value.Len() == n {
			continue
		}
		at := make(map[int]bool, n)
		for _, t := range d.h.Turns {
			if t.List == i {
				at[t.Index] = true
			}
		}
		for index, v := range list.Value.Elements() {
			if at[index] {
				continue
			}
			alone := func(yield func(int, jsonstream.Value) bool) { yield(index, v) }
			d.besides = append(d.besides, otherElement{i, index, v, known != nil && known.Trail != nil && len(known.Path(alone)) > 0})
		}
	}
}

// inText returns the indices of the turns in the order of their lists. The order of the conversation may
// differ.
func (d *draft) inText() []int {
	order := make([]int, len(d.h.Turns))
	for i := range order {
		order[i] = i
	}
	turns := d.h.Turns
	compare := func(a, b int) int {
		return cmp.Or(cmp.Compare(turns[a].List, turns[b].List), cmp.Compare(turns[a].Index, turns[b].Index))
	}
	if !slices.IsSortedFunc(order, compare) {
		slices.SortFunc(order, compare)
	}
	return order
}

// hidden returns a function that reports whether an otherElement is to be removed, too: it would be a turn
// without a later turn that the trim removes, such as the summary in a session, or the last result of a call.
func (d *draft) hidden() func(otherElement) bool {
	last := make([]int, len(d.h.Lists)) // by list: the index of the last turn that is removed
	for i, t := range d.h.Turns {
		if f := d.turns[i].fate; f == removed || f == filtered {
			last[t.List] = max(last[t.List], t.Index)
		}
	}
	isGone := func(b otherElement) bool { return b.speaks && b.index < last[b.list] }
	known := d.h.Layout().Known
	if known == nil || known.Undoes == nil {
		return isGone
	}
	return func(b otherElement) bool {
		return isGone(b) || slices.ContainsFunc(d.besides, func(earlier otherElement) bool {
			return earlier.list == b.list && earlier.index < b.index && isGone(earlier) && known.Undoes(b.value, earlier.value)
		})
	}
}
