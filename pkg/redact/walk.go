package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// A piece is a part of a document to be replaced.
type piece struct {
	start, end int // in the document
	class      privacy.Class
	kind       string
	value      string           // the characters
	number     bool             // it is a JSON number
	entire     bool             // it is a whole JSON value
	depth      int              // of JSON within strings
	name       bool             // it is in the name of a member
	at         jsonstream.Value // the containing string or number, of the message or of a carried document
	nested     bool             // it is in JSON in a string
	score      float64
	offset     int // in the text of at, or of the JSON nested in it
	// carried is the content of a base64 string with its pieces; the other fields are then unused.
	carried []byte
	inside  []piece
}

// A walk searches a document for personal data.
type walk struct {
	scanner  *privacy.Scanner
	limits   jsonstream.Limits
	format   format.Format
	root     jsonstream.Value
	carriers []jsonstream.Value
	parts    []part // messages with identifiers

	apart         bool
	own           bool       // the policy has its own patterns
	always, never [][]string // reference tokens of pointers
	pieces        []piece
	kept          []Kept
	matches       []privacy.Match
	depth         int              // of JSON within strings
	outer         jsonstream.Value // the string that contains that JSON
}

func newWalk(doc *jsonstream.Document, f format.Format, o Options) *walk {
	w := &walk{scanner: o.Scanner, limits: o.Limits, format: f, apart: o.Apart, root: doc.Root(), carriers: history.Carriers(doc.Root(), f), parts: partsOf(doc.Root(), f)}
	policy := o.Scanner.Policy()
	w.own = len(policy.Patterns) > 0
	w.always, w.never = pointers(policy.Always), pointers(policy.Never)
	return w
}

func pointers(all []string) [][]string {
	var tokens [][]string
	for _, pointer := range all {
		t, _ := jsonstream.SplitPointer(pointer)
		tokens = append(tokens, t)
	}
	return tokens
}

// matchesAny reports whether one of a list of pointers, in which "*" matches any token, refers to a
// value. holder is the pointer of its carrier.
func matchesAny(list [][]string, v jsonstream.Value, holder string) bool {
	if len(list) == 0 {
		return false // constructing the pointer of every value is slow
	}
	if holder == "" {
		return slices.ContainsFunc(list, func(want []string) bool { return leadsTo(want, v) })
	}
	tokens, _ := jsonstream.SplitPointer(holder + v.Pointer())
	return slices.ContainsFunc(list, func(want []string) bool {
		return slices.EqualFunc(want, tokens, func(a, b string) bool { return a == "*" || a == b })
	})
}

// leadsTo reports whether a pointer refers to a value, without constructing the value's own.
func leadsTo(pointer []string, v jsonstream.Value) bool {
	for _, token := range slices.Backward(pointer) {
		parent := v.Parent()
		if !parent.Exists() {
			return false
		}
		if token != "*" && (v.RawName() != nil && v.Name() != token || v.RawName() == nil && strconv.Itoa(v.Index()) != token) {
			return false
		}
		v = parent
	}
	return !v.Parent().Exists()
}

// document walks a value and its descendants; holder is the pointer of its carrier.
func (w *walk) document(v jsonstream.Value, holder string) {
	if matchesAny(w.never, v, holder) {
		return
	}
	if matchesAny(w.always, v, holder) {
		w.whole(v)
		return
	}
	switch v.Kind() {
	case jsonstream.Object:
		for name, member := range v.Members() {
			if w.mayHold(name) {
				w.text(member.RawName(), member.NameOffset(), "", name, true, member, holder)
			}
			w.document(member, holder)
		}
	case jsonstream.Array:
		for _, element := range v.Elements() {
			w.document(element, holder)
		}
	case jsonstream.String:
		w.str(v, holder)
	case jsonstream.Number:
		w.number(v, holder)
	}
}

// mayHold reports whether the name of a member may contain personal data. It is a prefilter: names
// are many, and few do.
func (w *walk) mayHold(name string) bool {
	for i := range len(name) {
		if b := name[i]; b == ' ' || b == '@' || b >= utf8.RuneSelf || b <= '9' && b >= '0' && len(name) >= 6 {
			return true
		}
	}
	return w.own
}

// memberName returns the name that labels a value: its own, or that of its array.
func memberName(v jsonstream.Value) string {
	for v.RawName() == nil && v.Parent().Exists() {
		v = v.Parent()
	}
	return v.Name()
}

func (w *walk) str(v jsonstream.Value, holder string) {
	if slices.Contains(w.carriers, v) && holder == "" {
		w.carrier(v)
		return
	}
	text := v.Text()
	if len(text) < 2 {
		return
	}
	if b := text[0]; (b == '{' || b == '[') && w.depth < 8 {
		if inner, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), w.limits); err == nil {
			w.within(v, inner, holder)
			return
		}
	}
	w.text(v.Raw(), v.Offset(), memberName(v), text, false, v, holder)
}

// within walks JSON in a string; its pieces are pieces of the string.
func (w *walk) within(v jsonstream.Value, inner *jsonstream.Document, holder string) {
	first := len(w.pieces)
	carriers := w.carriers
	w.carriers = nil
	w.depth++
	if w.depth == 1 {
		w.outer = v
	}
	w.document(inner.Root(), holder+v.Pointer())
	w.depth--
	w.carriers = carriers
	offsets := jsonstream.NewOffsets(v.Raw())
	for i := range w.pieces[first:] {
		p := &w.pieces[first+i]
		p.start, p.end = v.Offset()+offsets.Of(p.start), v.Offset()+offsets.Of(p.end)
	}
}

// text scans a string or the name of a member, whose encoded form is raw at offset at of the
// document.
func (w *walk) text(raw []byte, at int, label, text string, isName bool, v jsonstream.Value, holder string) {
	w.matches = w.scanner.Find(w.matches[:0], label, text)
	if len(w.matches) == 0 {
		return
	}
	if !isName && w.isFixed(v) {
		for _, m := range w.matches {
			w.kept = append(w.kept, Kept{holder + v.Pointer(), m.Class})
		}
		return
	}
	offsets := jsonstream.NewOffsets(raw)
	for _, m := range w.matches {
		w.pieces = append(w.pieces, piece{
			start: at + offsets.Of(m.Start), end: at + offsets.Of(m.End),
			class: m.Class, kind: m.Kind, value: strings.Clone(text[m.Start:m.End]), name: isName, nested: w.depth > 0, offset: m.Start, at: w.place(v), score: m.Score,
		})
	}
}

// number scans a number, which is replaced as a whole or not at all.
func (w *walk) number(v jsonstream.Value, holder string) {
	raw := string(v.Raw())
	if len(raw) < 6 || strings.Trim(raw, "0123456789") != "" {
		return
	}
	w.matches = w.scanner.Find(w.matches[:0], memberName(v), raw)
	if len(w.matches) != 1 || w.matches[0].End-w.matches[0].Start != len(raw) {
		return
	}
	m := w.matches[0]
	if w.isFixed(v) {
		w.kept = append(w.kept, Kept{holder + v.Pointer(), m.Class})
		return
	}
	w.pieces = append(w.pieces, piece{start: v.Offset(), end: v.Offset() + len(raw), class: m.Class, kind: m.Kind, value: raw, number: true, depth: w.depth, at: w.place(v), score: m.Score})
}

// place returns the value of the document that contains v: v itself, or the string with the JSON of
// v.
func (w *walk) place(v jsonstream.Value) jsonstream.Value {
	if w.depth > 0 {
		return w.outer
	}
	return v
}

// Hidden is the class of values that a policy always redacts.
const Hidden privacy.Class = "hidden"

// whole replaces all strings and numbers in a value.
func (w *walk) whole(v jsonstream.Value) {
	if w.apart && w.depth == 0 {
		w.pieces = append(w.pieces, piece{start: v.Offset(), end: v.Offset() + len(v.Raw()), class: Hidden, value: cmp.Or(strings.Clone(v.Text()), string(v.Raw())), entire: true, at: v, score: 1})
		return
	}
	for inner := range v.All() {
		switch inner.Kind() {
		case jsonstream.String:
			if text := inner.Text(); text != "" {
				w.pieces = append(w.pieces, piece{start: inner.Offset() + 1, end: inner.Offset() + len(inner.Raw()) - 1, class: Hidden, value: strings.Clone(text), at: w.place(inner), score: 1})
			}
		case jsonstream.Number:
			w.pieces = append(w.pieces, piece{start: inner.Offset(), end: inner.Offset() + len(inner.Raw()), class: Hidden, value: string(inner.Raw()), number: true, depth: w.depth, at: w.place(inner), score: 1})
		}
	}
}

// isFixed reports whether programs use a value as an identifier: of the message, an agent, a tool
// call or the kind of a value.
func (w *walk) isFixed(v jsonstream.Value) bool {
	if w.apart { // programs get the message only with its data restored
		return false
	}
	name := v.Name()
	switch name {
	case "id", "call_id", "callId", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "role", "type":
		return true
	case "":
		return false
	}
	if strings.HasSuffix(name, "AgentId") || strings.HasSuffix(name, "agent_id") || strings.HasSuffix(name, "_agent") {
		return true
	}
	return slices.ContainsFunc(w.parts, func(p part) bool {
		return p.root == v.Parent() && (slices.Contains(p.layout.IDs, name) || slices.Contains(p.layout.Signature, name))
	})
}

// carrier walks the content of a base64 string: JSON as a document, other text as text. Anything
// else is scanned as encoded.
func (w *walk) carrier(v jsonstream.Value) {
	content, err := history.DecodeBytes(v)
	if err != nil || !utf8.Valid(content) {
		w.text(v.Raw(), v.Offset(), memberName(v), v.Text(), false, v, "")
		return
	}
	inside := *w
	inside.pieces, inside.carriers = nil, nil
	if inner, err := jsonstream.Parse(jsonstream.NewRaw(content), w.limits); err == nil {
		inside.document(inner.Root(), v.Pointer())
	} else {
		for _, m := range w.scanner.Find(nil, memberName(v), string(content)) {
			inside.pieces = append(inside.pieces, piece{start: m.Start, end: m.End, class: m.Class, kind: m.Kind, value: string(content[m.Start:m.End]), score: m.Score})
		}
	}
	w.kept = inside.kept
	if len(inside.pieces) > 0 {
		w.pieces = append(w.pieces, piece{start: v.Offset() + 1, end: v.Offset() + len(v.Raw()) - 1, carried: content, inside: inside.pieces, at: v})
	}
}
