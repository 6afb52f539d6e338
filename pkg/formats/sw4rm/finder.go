package sw4rm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A finder collects problems.
type finder struct {
	problems []Problem
	counts   map[string]int // by rule
	// Of what is inside a snapshot in base64: the string, absent elsewhere.
	snapshot jsonstream.Value
}

const (
	// mostOfRule bounds how many places of one rule are told of.
	mostOfRule = 100
	// longestPointer is where pointers end: a hostile document has names of its own
	// length, and as many problems as it likes.
	longestPointer = 512
	longestQuote   = 60
)

// enter says that what follows is in a snapshot.
func (f *finder) enter(snapshot jsonstream.Value, encoded bool) {
	if encoded {
		f.snapshot = snapshot
	}
}

// fail adds an error about v, or about a member of it that is missing.
func (f *finder) fail(rule string, v jsonstream.Value, member, message string) {
	f.add(rule, v, member, message, false)
}

// warn adds a warning about v.
func (f *finder) warn(rule string, v jsonstream.Value, message string) {
	f.add(rule, v, "", message, true)
}

func (f *finder) add(rule string, v jsonstream.Value, member, message string, warning bool) {
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	if f.counts[rule]++; f.counts[rule] > mostOfRule {
		return
	}
	for v.PointerSize() > longestPointer {
		v, member = v.Parent(), ""
	}
	p := Problem{Rule: rule, Pointer: v.Pointer(), Position: v.Position(), Message: message, Warning: warning}
	if f.snapshot.Exists() {
		p.Pointer, p.Position = f.snapshot.Pointer()+p.Pointer, f.snapshot.Position()
	}
	if member != "" {
		p.Pointer = jsonstream.AppendPointer(p.Pointer, member)
	}
	f.problems = append(f.problems, p)
}

// inOrder returns the problems in the order of the text.
func (f *finder) inOrder() []Problem {
	slices.SortStableFunc(f.problems, func(a, b Problem) int { return cmp.Compare(a.Position.Offset, b.Position.Offset) })
	return f.problems
}

// contextMembers looks for what deserialize_context needs.
func (f *finder) contextMembers(root jsonstream.Value) {
	for _, m := range contextMembers {
		v := root.Get(m.name)
		switch {
		case !v.Exists():
			f.fail("context-member", root, m.name, "missing required field: a HandoffContext has it, be it empty; add "+m.empty)
		case v.Kind() != m.kind:
			f.fail("context-type", v, "", fmt.Sprintf("expected %s, found %s", article(m.kind), found(v)))
		}
	}
}

// text returns a member that is a string. One that is not required may be null.
func (f *finder) text(object jsonstream.Value, name string, required bool) string {
	v := object.Get(name)
	switch {
	case v.Kind() == jsonstream.String:
	case !v.Exists() && required:
		f.fail("", object, name, "missing: it is required; add it, a string")
	case required || v.Exists() && v.Kind() != jsonstream.Null:
		f.fail("", v, "", "expected a string, found "+found(v))
	}
	return v.Text()
}

// names returns the strings of an array, each once.
func (f *finder) names(object jsonstream.Value, name string, required bool) []string {
	list := object.Get(name)
	switch {
	case list.Kind() == jsonstream.Array:
	case !list.Exists() && required:
		f.fail("", object, name, "missing: it is required; add it, an array of strings")
	case list.Exists():
		f.fail("", list, "", "expected an array of strings, found "+found(list))
	}
	seen := map[string]bool{}
	var names []string
	for _, v := range list.Elements() {
		if v.Kind() != jsonstream.String {
			f.fail("", v, "", "expected a string, found "+found(v))
		} else if text := v.Text(); !seen[text] {
			seen[text] = true
			names = append(names, text)
		}
	}
	return names
}

// found shows a value, short and on one line.
func found(v jsonstream.Value) string {
	switch v.Kind() {
	case jsonstream.String:
		return quoted(v.Text())
	case jsonstream.Number:
		return "the number " + shorten(string(v.Raw()))
	case jsonstream.Object, jsonstream.Array:
		return article(v.Kind())
	default:
		return string(v.Raw())
	}
}

func article(k jsonstream.Kind) string {
	switch k {
	case jsonstream.Object, jsonstream.Array:
		return "an " + k.String()
	case jsonstream.Null, jsonstream.Absent:
		return k.String()
	default:
		return "a " + k.String()
	}
}

// quoted shows a text, short and on one line.
func quoted(text string) string { return strconv.QuoteToGraphic(shorten(text)) }

func shorten(text string) string {
	for i, n := 0, 0; i < len(text); n++ {
		if n == longestQuote {
			return text[:i] + "…"
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text
}
