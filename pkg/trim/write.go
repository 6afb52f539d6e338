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

// finish writes the message by the plan, with the summary of the cut. over is by how much
// it came out larger than planned, nil if it did not.
func (d *draft) finish(summary summarize.Summary) (r Result, over *size, err error) {
	r = Result{Format: d.h.Format, Changed: true, Summarised: d.summarises(len(d.cut.turns)), Usage: d.usage, FellBack: d.fellBack}
	e, layout := edit(d.h.Context()), d.h.Layout()
	d.writeLists(e, summary.Text)
	for _, s := range d.cut.extras {
		e.set(s.pointer, s.text)
	}
	if layout.Summary != "" && d.summarises(len(d.cut.turns)) {
		e.set("/"+layout.Summary, quote(summary.Text))
	}
	charge, err := d.charge(d.usage)
	if err != nil {
		return Result{}, nil, err
	}
	r.Cost, r.Share = charge.cost, charge.share
	for _, sum := range charge.sums {
		e.put(sum.pointer, sum.value) // not recorded: the cost remains when a message is restored
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
	r.Text = jsonstream.AppendCompact(nil, text)
	if after := (size{after, len(r.Text)}); !d.within(after) {
		limits := d.limits()
		d.learn(summary.Text)
		return Result{}, &size{max(after.tokens-limits.tokens, 0), max(after.bytes-limits.bytes, 0)}, nil
	}
	r.Gone = r.Record.DroppedTurns - d.record.DroppedTurns
	r.Archive = d.archive(e, r)
	return r, nil, nil
}

// learn notes the bytes per token of a summary that came out too long.
func (d *draft) learn(summary string) {
	if n := d.o.Meter.Count(summary); n > 0 {
		d.tokenBytes = max(d.tokenBytes, (len(quote(summary))+n-1)/n)
	}
}

// summaryTurn returns a summary as a turn that a model takes for a part of the
// conversation, and never for an instruction (section 10.1).
func summaryTurn(text string) []byte {
	return append(append([]byte(`{"role":"assistant","content":`), quote(preamble+text)...), '}')
}

// summaryFrame returns the size of an empty summary.
func (d *draft) summaryFrame() size {
	if name := d.h.Layout().Summary; name != "" {
		return size{0, len(`,"":""`) + len(name)}
	}
	turn := summaryTurn("")
	return size{d.measure(turn), d.h.Encoded(len(turn) + len(","))}
}

// writeLists writes the turns that stay, and the summary in the place of the first turn
// that is cut if the format has no member for it.
func (d *draft) writeLists(e *editor, summary string) {
	at := -1
	if d.h.Layout().Summary == "" && d.summarises(len(d.cut.turns)) {
		at = d.cut.turns[0]
		if d.former >= 0 {
			at = min(at, d.former)
		}
	}
	texts := make([][]byte, len(d.h.Lists))
	for i := range texts {
		texts[i] = []byte{'['}
	}
	changed := make([]bool, len(d.h.Lists))
	for i, t := range d.h.Turns {
		list := &texts[t.List]
		if i == at {
			*list = append(jsonstream.AppendComma(*list), summaryTurn(summary)...)
		}
		f := d.turns[i].fate
		if f == kept || f == edited {
			*list = append(jsonstream.AppendComma(*list), d.turns[i].text...)
		}
		changed[t.List] = changed[t.List] || f != kept
	}
	for i, list := range d.h.Lists {
		if changed[i] {
			e.put("/"+list.Name, append(texts[i], ']'))
		}
	}
}

// writeRecord writes the record, and returns the tokens of the message that includes it.
func (d *draft) writeRecord(e *editor, summary string, r *Record) (tokens int) {
	*r = d.record
	for i, t := range d.turns {
		if (t.fate == removed || t.fate == filtered) && i != d.former {
			r.DroppedTurns++
		}
	}
	r.TokensBefore, r.Tokenizer, r.Method = d.before.tokens, d.o.Tokenizer, d.o.Method
	r.SHA256 = d.digest()
	for _, s := range d.cut.extras {
		if s.gone > 0 {
			r.give(s.extra, s.gone)
		}
	}
	place := holder(d.h.ContextFormat)
	if e.kind("/"+place) != jsonstream.Object {
		e.set("/"+place, []byte("{}"))
	}
	if layout := d.h.Layout(); layout.HistoryLength != "" {
		e.set(layout.HistoryLength, fmt.Append(nil, r.OriginalTurns))
		e.set(layout.Trimmed, strconv.AppendBool(nil, r.DroppedTurns > 0))
	}
	// The record is part of what it counts: a second count is right, since numbers of
	// equal length have equally many tokens.
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

// count returns the tokens of the message as it is written, but for one member.
func (d *draft) count(root jsonstream.Value, summary, but string) int {
	tokens := 0
	for i := range d.h.Lists {
		tokens += d.listSize(i).tokens
	}
	turns := d.stays()
	if d.former >= 0 && d.turns[d.former].fate == kept {
		turns++
	}
	if d.h.Layout().Summary == "" && d.summarises(len(d.cut.turns)) {
		tokens += d.measure(summaryTurn(summary))
		turns++
	}
	if turns > 0 {
		tokens += d.o.Meter.PerReply
	}
	for name, v := range root.Members() {
		before, counted := d.members[name]
		switch {
		case name == but, slices.ContainsFunc(d.h.Lists, func(l history.List) bool { return l.Name == name && l.HasTurns() }):
		case counted && bytes.Equal(before.raw, v.Raw()):
			tokens += before.tokens
		default:
			tokens += d.o.Meter.Value(v)
		}
	}
	return tokens
}

// valid returns a text as it will be read from JSON: with invalid UTF-8 replaced.
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
