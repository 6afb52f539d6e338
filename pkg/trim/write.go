package trim

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// Extractive is the method of [summarize.Extractive].
const Extractive = "extractive"

// finish writes the message by the plan, with the summary of the cut. over is the excess over the planned
// size, nil if there is none.
func (d *draft) finish(summary summarize.Summary) (r Result, over *size, err error) {
	r = Result{Format: d.h.Format, Changed: true, Summarised: d.summarises(len(d.cut.turns)), Usage: d.usage, FellBack: d.fellBack}
	layout := d.h.Layout()
	e, err := d.writeTurns(summary.Text)
	if err != nil {
		return Result{}, nil, err
	}
	for _, s := range d.cut.extras {
		e.set(s.pointer, s.text)
	}
	d.moveEvidence(e)
	if layout.Summary != "" && d.summarises(len(d.cut.turns)) {
		e.set("/"+layout.Summary, quote(summary.Text))
	}
	charge, err := d.charge(d.usage)
	if err != nil {
		return Result{}, nil, err
	}
	r.Cost, r.Share = charge.cost, charge.share
	for _, sum := range charge.sums {
		e.put(sum.pointer, sum.value) // not recorded: the cost stays when a message is restored
	}
	for _, name := range layout.Signature {
		if e.root.Child(name) != nil {
			e.remove("/" + name)
			r.Signed = true
		}
	}
	after := d.writeRecord(e, summary.Text, &r.Record)
	if e.err != nil {
		return Result{}, nil, e.err
	}
	text, err := d.h.Message(e.text())
	if err != nil {
		return Result{}, nil, err
	}
	if r.Text = text; !d.isLines() {
		r.Text = jsonstream.AppendCompact(nil, text)
	}
	if after := (size{after, len(r.Text)}); !d.within(after) {
		limits := d.limits()
		d.learn(summary.Text)
		return Result{}, &size{max(after.tokens-limits.tokens, 0), max(after.bytes-limits.bytes, 0)}, nil
	}
	r.Gone = r.Record.DroppedTurns - d.record.DroppedTurns
	r.Archive = d.archive(e, r)
	return r, nil, nil
}

// learn records the bytes per token of a summary that was too long.
func (d *draft) learn(summary string) {
	if n := d.o.Meter.Count(summary); n > 0 {
		d.tokenBytes = max(d.tokenBytes, (len(quote(summary))+n-1)/n)
	}
}

// summaryFrame returns the size of an empty summary.
func (d *draft) summaryFrame() size {
	if name := d.h.Layout().Summary; name != "" {
		return size{0, len(`,"":""`) + len(name)}
	}
	turn := d.summaryTurn("")
	return size{d.measure(turn), d.h.Encoded(len(turn) + len(","))}
}

// writeTurns writes the remaining turns. If the format has no member for a summary, the summary takes the
// place of the first removed turn.
func (d *draft) writeTurns(summary string) (*editor, error) {
	at := -1
	if d.h.Layout().Summary == "" && d.summarises(len(d.cut.turns)) {
		at = d.cut.turns[0]
		if d.former >= 0 {
			at = min(at, d.former)
		}
	}
	if d.isLines() {
		return d.writeLines(at, summary)
	}
	e := edit(d.h.Context())
	d.writeLists(e, at, summary)
	return e, e.err
}

// writeLines is like writeTurns, but for a message that is JSON Lines, with the summary before turn at.
func (d *draft) writeLines(at int, summary string) (*editor, error) {
	var turns []history.Line
	for i, t := range d.h.Turns {
		if i == at {
			doc, err := parse(d.summaryTurn(summary))
			if err != nil {
				return nil, err
			}
			turns = append(turns, history.Line{Of: -1, Value: doc.Root()})
		}
		switch d.turns[i].fate {
		case kept:
			turns = append(turns, history.Line{Of: i, Value: t.Value})
		case edited:
			doc, err := parse(d.turns[i].text)
			if err != nil {
				return nil, err
			}
			turns = append(turns, history.Line{Of: i, Value: doc.Root()})
		}
	}
	text, err := d.h.WithTurns(turns)
	if err != nil {
		return nil, err
	}
	doc, err := jsonstream.Parse(d.h.Context().Raw().With(text), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	return edit(doc), nil
}

// writeLists writes the lists, with the summary before turn at.
func (d *draft) writeLists(e *editor, at int, summary string) {
	texts := make([][]byte, len(d.h.Lists))
	for i := range texts {
		texts[i] = []byte{'['}
	}
	changed := make([]bool, len(d.h.Lists))
	besides, isHidden := d.besides, d.hidden()
	before := func(list, index int) { // writes the besides before an element
		for ; len(besides) > 0 && (besides[0].list < list || besides[0].list == list && besides[0].index < index); besides = besides[1:] {
			if !isHidden(besides[0]) {
				text := &texts[besides[0].list]
				*text = append(jsonstream.AppendComma(*text), d.compact(besides[0].value)...)
			}
		}
	}
	for _, i := range d.inText() {
		t := d.h.Turns[i]
		before(t.List, t.Index)
		list := &texts[t.List]
		if i == at {
			*list = append(jsonstream.AppendComma(*list), d.summaryTurn(summary)...)
		}
		f := d.turns[i].fate
		if f == kept || f == edited {
			*list = append(jsonstream.AppendComma(*list), d.turns[i].text...)
		}
		changed[t.List] = changed[t.List] || f != kept
	}
	before(len(texts), 0)
	for i, list := range d.h.Lists {
		if changed[i] {
			e.put(list.Pointer(), append(texts[i], ']'))
		}
	}
}

// writeRecord writes the record, if the format has a place for it, and returns the number of tokens of the
// message.
func (d *draft) writeRecord(e *editor, summary string, r *Record) (tokens int) {
	*r = d.record
	for i, t := range d.turns {
		if (t.fate == removed || t.fate == filtered) && i != d.former {
			r.DroppedTurns++
		}
	}
	r.TokensBefore, r.Tokenizer, r.Method = d.before.tokens, d.o.Tokenizer, d.o.Method
	r.Model = valid(d.usage.Model)
	r.SHA256 = d.digest()
	for _, s := range d.cut.extras {
		if s.gone > 0 {
			r.give(s.extra, s.gone)
		}
	}
	if !hasNotes(d.h) {
		r.TokensAfter = d.count(e.value(""), summary, "")
		return r.TokensAfter
	}
	place := holder(d.h.ContextFormat)
	if e.kind("/"+place) != jsonstream.Object {
		e.set("/"+place, []byte("{}"))
	}
	if layout := d.h.Layout(); layout.HistoryLength != "" {
		e.set(layout.HistoryLength, fmt.Append(nil, r.OriginalTurns))
		e.set(layout.Trimmed, strconv.AppendBool(nil, r.DroppedTurns > 0))
	}
	// The record is part of the text it counts: a second count is exact, since numbers of equal length have
	// equally many tokens.
	others := d.count(e.value(""), summary, place)
	for attempt := 1; ; attempt++ {
		e.set("/"+place+"/"+recordMember, r.text())
		tokens = others + d.o.Meter.Value(e.value("/"+place))
		if tokens == r.TokensAfter || attempt == maxAttempts {
			return tokens
		}
		r.TokensAfter = tokens
	}
}

// count returns the number of tokens of the message as written, except for one member; "" for none.
func (d *draft) count(root jsonstream.Value, summary, but string) int {
	tokens := 0
	for i, list := range d.h.Lists {
		if list.Alone {
			tokens += d.o.Meter.PerTurn
			continue
		}
		tokens += d.listSize(i).tokens
	}
	turns := d.stays()
	if d.former >= 0 && d.turns[d.former].fate == kept {
		turns++
	}
	if d.h.Layout().Summary == "" && d.summarises(len(d.cut.turns)) {
		tokens += d.measure(d.summaryTurn(summary))
		turns++
	}
	if turns > 0 {
		tokens += d.o.Meter.PerReply
	}
	for name, v := range root.Members() {
		before, counted := d.members[name]
		switch {
		case name == but && but != "", slices.ContainsFunc(d.h.Lists, func(l history.List) bool { return l.Name == name && l.HasTurns() }):
		case counted && bytes.Equal(before.raw, v.Raw()):
			tokens += before.tokens
		default:
			tokens += d.o.Meter.Value(v)
		}
	}
	return tokens
}

// valid returns a text as it will be decoded from JSON: with invalid UTF-8 replaced.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // it replaces invalid UTF-8
	return quoted
}
