package trim

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/undo"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An entry is the data that one trim removed from a message, sufficient to restore it.
type entry struct {
	// SHA256 is the digest in the [Record] or, if the message has no place for a record, the digest of the
	// trimmed context. Removed is then the digest otherwise in the record.
	SHA256    string        `json:"sha256"`
	Removed   string        `json:"removed,omitzero"`
	HandoffID string        `json:"handoffId,omitzero"` // see [history.ID]
	Format    format.Format `json:"format"`
	Summary   bool          `json:"summary,omitzero"` // a turn of the message summarises the removed ones
	Turns     []entryTurn   `json:"turns"`
	Members   []entryMember `json:"members"` // in the order in which they were changed
	// Carrier is the base64 string of the context, unless [history.History.Carry] returns the same for its
	// compact text.
	Carrier jsontext.Value `json:"carrier,omitzero"`
	// Lines replaces Turns for a message that is JSON Lines.
	Lines *undo.Change `json:"lines,omitzero"`
}

// An entryTurn is a turn that was removed or edited.
type entryTurn struct {
	List  string         `json:"list"`           // the member that held it; "" if the message is the list
	Index int            `json:"index"`          // in the list before the trim
	Kept  bool           `json:"kept,omitzero"`  // it was edited, and remains in the message
	Whole bool           `json:"whole,omitzero"` // the member was this string, not a list
	Turn  jsontext.Value `json:"turn"`
}

// An entryMember is the old value of a member; nil if there was none.
type entryMember struct {
	Pointer string         `json:"pointer"`
	Index   int            `json:"index,omitzero"` // in its object, if it was removed
	Value   jsontext.Value `json:"value,omitzero"`
}

// gone yields the turns in the entry and their fates, in the order of their lists.
func (d *draft) gone(yield func(f fate, t conversation.Turn) bool) {
	besides, isHidden := d.besides, d.hidden()
	before := func(list, index int) bool {
		for ; len(besides) > 0 && (besides[0].list < list || besides[0].list == list && besides[0].index < index); besides = besides[1:] {
			b := besides[0]
			if isHidden(b) && !yield(removed, conversation.Turn{Value: b.value, List: b.list, Index: b.index}) {
				return false
			}
		}
		return true
	}
	for _, i := range d.inText() {
		t := d.h.Turns[i]
		if f := d.turns[i].fate; f != kept && (!before(t.List, t.Index) || !yield(f, t)) {
			return
		}
	}
	before(len(d.h.Lists), 0)
}

// digest returns the SHA-256 of [Record].
func (d *draft) digest() string {
	var turns []jsonstream.Value
	for _, t := range d.gone {
		turns = append(turns, t.Value)
	}
	for _, s := range d.cut.extras {
		turns = append(turns, d.h.Root.At(s.pointer))
	}
	return digest(turns)
}

// digest returns the SHA-256 of the canonical form of an array. Elements without a canonical form, because
// of a number beyond the range of a double, are compact JSON.
func digest(turns []jsonstream.Value) string {
	sum := sha256.New()
	var scratch []byte
	for i, t := range turns {
		text := append(scratch[:0], '[')
		if i > 0 {
			text[0] = ','
		}
		scratch = appendCanonical(text, t)
		sum.Write(scratch)
	}
	sum.Write([]byte{']'})
	return hex.EncodeToString(sum.Sum(nil))
}

// contextDigest returns the SHA-256 of the canonical form of a context, or of its compact JSON if it has
// none. An archive identifies messages without a record by it.
func contextDigest(root jsonstream.Value) string {
	sum := sha256.Sum256(appendCanonical(nil, root))
	return hex.EncodeToString(sum[:])
}

// appendCanonical appends the canonical form of a value, or compact JSON if it has none.
func appendCanonical(dst []byte, v jsonstream.Value) []byte {
	canonical, err := jsonstream.AppendCanonical(dst, v, jsonstream.CanonicalOptions{})
	if err != nil {
		return jsonstream.AppendCompact(dst, v.Raw())
	}
	return canonical
}

// archive returns the entry of a finished draft.
func (d *draft) archive(e *editor, r Result) []byte {
	taken := entry{SHA256: r.Record.SHA256, HandoffID: d.h.ID(), Format: d.h.Format}
	if isKnownByDigest(d.h) {
		taken.SHA256, taken.Removed = contextDigest(e.value("")), r.Record.SHA256
	}
	taken.Carrier = carrierOf(d.h)
	taken.Summary = d.h.Layout().Summary == "" && d.summarises(len(d.cut.turns))
	for _, m := range e.members {
		if r.Cost != "" && slices.Contains(d.h.Layout().Signature, strings.TrimPrefix(m.pointer, "/")) {
			continue // it does not include the cost added since
		}
		member := entryMember{Pointer: m.pointer, Index: m.index}
		if m.value != nil {
			member.Value = jsonstream.AppendCompact(nil, m.value)
		}
		taken.Members = append(taken.Members, member)
	}
	if d.isLines() {
		change := undo.Of(d.h.Context().Raw().Bytes, r.Text)
		taken.Lines = &change
	}
	text, err := json.Marshal(taken, json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		panic(err) // strings, numbers and valid JSON
	}
	if d.isLines() {
		return text
	}
	// json.Marshal would check the turns again, which takes as long as counting their
	// tokens.
	const turns = `"turns":[`
	head, tail, _ := bytes.Cut(text, []byte(turns))
	text = make([]byte, 0, len(text)+d.before.bytes)
	text = append(append(text, head...), turns...)
	return append(d.appendTurns(text), tail...)
}

// carrierOf returns the string with the context, nil if the compact text is enough to restore it.
func carrierOf(h *history.History) jsontext.Value {
	v := h.Carrier()
	if v.Kind() != jsonstream.String {
		return nil
	}
	if bytes.Equal(v.Raw(), h.Carry(jsonstream.AppendCompact(nil, h.Context().Raw().Bytes))) {
		return nil
	}
	return v.Raw()
}

// appendTurns appends the turns of an entry as the elements of an array.
func (d *draft) appendTurns(text []byte) []byte {
	for f, t := range d.gone {
		list := d.h.Lists[t.List]
		text = fmt.Appendf(jsonstream.AppendComma(text), `{"list":"%s","index":%d`, list.Name, t.Index)
		if f == edited {
			text = append(text, `,"kept":true`...)
		}
		if list.Value.Kind() == jsonstream.String {
			text = append(text, `,"whole":true`...)
		}
		text = append(jsonstream.AppendCompact(append(text, `,"turn":`...), t.Value.Raw()), '}')
	}
	return text
}

// restore returns the context before the trim of the entry, as compact JSON or as the original lines.
func (e *entry) restore(h *history.History) ([]byte, error) {
	if e.Lines != nil {
		return e.Lines.Undo(h.Context().Raw().Bytes)
	}
	if err := e.check(h); err != nil {
		return nil, err
	}
	record, err := readRecord(h)
	if err != nil {
		return nil, err
	}
	summary := -1
	if e.Summary {
		summary = formerSummary(h, record)
	}
	ed := edit(h.Context())
	for i, list := range h.Lists {
		if text, changed, err := e.merge(h, i, summary); err != nil {
			return nil, err
		} else if changed {
			ed.put(list.Pointer(), text)
		}
	}
	for _, m := range slices.Backward(e.Members) {
		now := ed.root.At(m.Pointer)
		switch {
		case m.Value != nil:
			ed.insert(m.Pointer, m.Index, m.Value)
		case now != nil && (now.Kind() != jsonstream.Object || now.Len() == 0 || m.Pointer == "/"+holder(h.ContextFormat)+"/"+recordMember):
			ed.remove(m.Pointer)
		}
	}
	if ed.err != nil {
		return nil, ed.err
	}
	return ed.text(), nil
}

// carry returns the carrier of a context: the original one, if the context is restored exactly.
func (e *entry) carry(h *history.History, context []byte) []byte {
	if e.Carrier == nil || h.Carrier().Kind() != jsonstream.String {
		return h.Carry(context)
	}
	doc, err := parse(e.Carrier)
	if err != nil {
		return h.Carry(context)
	}
	was, err := history.Decode(doc.Root(), jsonstream.Unlimited())
	if err != nil || !bytes.Equal(jsonstream.AppendCompact(nil, was.Raw().Bytes), context) {
		return h.Carry(context)
	}
	return e.Carrier
}

// check compares the entry with its digest.
func (e *entry) check(h *history.History) error {
	if e.Format != h.Format {
		return fmt.Errorf("its entry is of a message in the format %s, but this message is in the format %s", e.Format, h.Format)
	}
	var turns []jsonstream.Value
	for _, t := range e.Turns {
		doc, err := parse(t.Turn)
		if err != nil {
			return err
		}
		turns = append(turns, doc.Root())
	}
	for _, m := range e.Members {
		if !slices.ContainsFunc(append(Extras(), ToolState), func(x Extra) bool { return x.pointer(h.ContextFormat) == m.Pointer }) {
			continue
		}
		doc, err := parse(m.Value)
		if err != nil {
			return err
		}
		turns = append(turns, doc.Root())
	}
	want := e.SHA256
	if isKnownByDigest(h) {
		want = e.Removed
	}
	if sum := digest(turns); sum != want {
		return fmt.Errorf("the archive was changed: its content has the sha256 %s", sum)
	}
	return nil
}

// merge restores the turns of the entry in a list, in the place of their summary, if there is one. Turns
// added since stay after them.
func (e *entry) merge(h *history.History, list, summary int) (text []byte, changed bool, err error) {
	name, elements := h.Lists[list].Name, h.Lists[list].Value
	var now []jsonstream.Value
	if elements.Kind() == jsonstream.String {
		now = append(now, elements)
	}
	for i, v := range elements.Elements() {
		if summary >= 0 && h.Turns[summary].List == list && h.Turns[summary].Index == i {
			changed = true
			continue
		}
		now = append(now, v)
	}
	alone := len(now) == 0
	text = []byte{'['}
	length, next := 0, 0
	for _, t := range e.Turns {
		if t.List != name {
			continue
		}
		changed = true
		for ; length < t.Index && next < len(now); next++ {
			text = jsonstream.AppendCompact(jsonstream.AppendComma(text), now[next].Raw())
			length++
		}
		if length != t.Index || t.Kept && next == len(now) {
			return nil, false, fmt.Errorf("%s has too few turns to restore turn %d: the message was changed after the trim", cmp.Or(h.Lists[list].Pointer(), "the message"), t.Index)
		}
		turn := []byte(t.Turn)
		if t.Whole { // an input_history that is one user turn
			if alone {
				return turn, true, nil
			}
			turn = append(append([]byte(`{"role":"user","content":`), turn...), '}')
		}
		text = append(jsonstream.AppendComma(text), turn...)
		length++
		if t.Kept {
			next++
		}
	}
	for ; next < len(now); next++ {
		text = jsonstream.AppendCompact(jsonstream.AppendComma(text), now[next].Raw())
	}
	return append(text, ']'), changed, nil
}
