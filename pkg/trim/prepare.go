package trim

import (
	"fmt"
	"strconv"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// ToolState is an SW4RM tool state without its active calls and pending approvals. It is not one of
// [Extras]: only [Prepare] removes it.
const ToolState Extra = "toolState"

// Prepare implements prepare_handoff_context of the SW4RM document ("Trimming Large Contexts") for the
// context in an SW4RM message. It keeps the last turns, of any kind, and the active calls and pending
// approvals of the tool state. It records the length of the history and whether it was trimmed in the
// metadata. The other metadata stay. If anything was removed, the metadata includes a [Record]; it is an
// error if its place has another value.
//
// Prepare uses the options Format, Last (0 means [DefaultLast]), Meter and Tokenizer. A prepared context is
// returned unchanged, and so is a request without a context. Result.Changed reports whether something was
// removed.
func Prepare(doc *jsonstream.Document, limits jsonstream.Limits, o Options) (Result, error) {
	h, err := history.Of(doc, o.Format, limits)
	if err != nil {
		return Result{}, err
	}
	if h.Layout().ToolState == "" {
		return Result{}, fmt.Errorf("only SW4RM contexts can be prepared: found %s; use trim", h.Format)
	}
	if h.Format != h.ContextFormat && !h.Carrier().Exists() || h.Root.Kind() != jsonstream.Object {
		return Result{Text: doc.Raw().Bytes, Format: h.Format}, nil
	}
	o = Options{Format: o.Format, Last: o.Last, Meter: o.Meter, Tokenizer: o.Tokenizer, Method: "none"}
	if o.Last <= 0 {
		o.Last = DefaultLast
	}
	d, err := newDraft(h, doc.Raw().Bytes, o)
	if err != nil {
		return Result{}, err
	}
	d.countEarlier()
	for i := range len(d.turns) - o.Last {
		d.set(i, filtered)
	}
	if gone := d.reduceState(); gone == 0 && !d.changed() {
		return d.note(doc)
	}
	if err := checkPlace(h); err != nil {
		return Result{}, err
	}
	r, _, err := d.finish(summarize.Summary{}) // no limit can be exceeded
	return r, err
}

// countEarlier reads the history's length from the metadata if an earlier trim left no record.
func (d *draft) countEarlier() {
	layout := d.h.Layout()
	length, err := strconv.Atoi(string(d.h.Root.At(layout.HistoryLength).Raw()))
	if more := length - d.record.OriginalTurns; err == nil && more > 0 && length < unlimited && d.h.Root.At(layout.Trimmed).Kind() == jsonstream.True {
		d.record.DroppedTurns += more
		d.record.OriginalTurns = length
	}
}

// note adds the missing metadata to a context without removed turns.
func (d *draft) note(doc *jsonstream.Document) (Result, error) {
	r := Result{Text: doc.Raw().Bytes, Format: d.h.Format, Record: d.record}
	e := edit(d.h.Context())
	for _, s := range d.cut.extras {
		e.put(s.pointer, s.text)
	}
	if err := checkHolder(d.h); err != nil {
		return Result{}, err
	}
	layout, place := d.h.Layout(), holder(d.h.ContextFormat)
	if d.h.Root.Get(place).Kind() != jsonstream.Object {
		e.put("/"+place, []byte("{}"))
	}
	length, trimmed := strconv.Itoa(d.record.OriginalTurns), strconv.FormatBool(d.record.DroppedTurns > 0)
	if d.cut.extras == nil && string(d.h.Root.At(layout.HistoryLength).Raw()) == length && string(d.h.Root.At(layout.Trimmed).Raw()) == trimmed {
		return r, nil
	}
	e.put(layout.HistoryLength, []byte(length))
	e.put(layout.Trimmed, []byte(trimmed))
	if e.err != nil {
		return Result{}, e.err
	}
	text, err := d.h.Message(e.text())
	r.Text = jsonstream.AppendCompact(nil, text)
	return r, err
}

// reduceState reduces the tool state to the members that stay, and returns the number of removed elements.
func (d *draft) reduceState() (gone int) {
	layout := d.h.Layout()
	state := d.h.Root.At(layout.ToolState)
	if state.Kind() != jsonstream.Object {
		return 0
	}
	text := []byte{'{'}
	kept := 0
	for _, name := range layout.ToolStateKeeps {
		value := []byte("[]")
		if v := state.Get(name); v.Exists() {
			value = v.Raw()
			kept++
		}
		text = appendMember(jsonstream.AppendComma(text), name, value)
	}
	gone = state.Len() - kept
	if gone > 0 || kept < len(layout.ToolStateKeeps) {
		d.cut.extras = append(d.cut.extras, sacrifice{extra: ToolState, pointer: layout.ToolState, gone: gone, text: append(text, '}')})
	}
	return gone
}
