package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Report lists the effects of a conversion on every member of a message.
type Report struct {
	From format.Format `json:"from"`
	To   format.Format `json:"to"`
	// Restored reports that the source carried the message that it was made of.
	Restored bool      `json:"restored,omitzero"`
	Mapped   []Mapping `json:"mapped,omitempty"`
	// Implied are the members of the source that are the same in every message of its format, or that
	// follow from the rest of the target: they are restored without being carried.
	Implied []string          `json:"implied,omitempty"`
	Carried []Carried         `json:"carried,omitempty"`
	MadeUp  []exchange.MadeUp `json:"madeUp,omitempty"`
	// Changed are the places in the target whose carried values no longer apply, since the source was
	// changed after it was made.
	Changed []Change `json:"changed,omitempty"`
	// Filled are the rules that the source breaks; only with [Options.Lenient].
	Filled SourceErrors `json:"filled,omitempty"`
	// Signature is the place of a signature in the source, which does not cover the
	// target.
	Signature string `json:"signature,omitempty"`
}

// A Mapping is a value with a place in both formats. The places are JSON Pointers, continued into encoded
// contexts.
type Mapping struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Turns int    `json:"turns,omitzero"` // the number of turns, for a conversation
}

// A Carried is a value of the source without a place in the target.
type Carried struct {
	Pointer string `json:"pointer"` // in the source
	Place   string `json:"place"`   // in the target
	Turns   int    `json:"turns,omitzero"`
}

// A Change is a place in the target whose carried value no longer applies.
type Change struct {
	Pointer string `json:"pointer"`
	Turns   int    `json:"turns,omitzero"` // the number of turns, for a conversation
}

// describe fills a report.
func (t trace) describe(c conversion, r *Report, source, target tree.Node) {
	from, to := newShower(c.from, source), newShower(c.to, target)
	r.Restored = t.restored
	written, _ := c.to.read(target)
	for i, v := range t.meaning.Values {
		if v == tree.None {
			continue
		}
		m := Mapping{From: from.pointer(t.meaning.At[i]), To: to.row(i)}
		if written.Values[i] != tree.None {
			m.To = to.pointer(written.At[i])
		}
		r.Mapped = append(r.Mapped, m)
	}
	counts := []int{len(t.meaning.Turns)}
	if c.from.Counts != nil {
		counts = c.from.Counts(t.shape, len(t.meaning.Turns))
	}
	for i, n := range counts {
		if n > 0 {
			r.Mapped = append(r.Mapped, Mapping{From: from.pointer(c.from.lists[i]), To: to.turns(), Turns: n})
		}
	}
	t.describeCarried(r, from)
	t.describeMadeUp(r, from, to)
	t.describeChanged(r, to)
	if c.from.Signature != nil && source.Get(c.from.Signature[0]) != tree.None {
		r.Signature = "/" + c.from.Signature[0]
	}
	bare, _, _ := strip(c.from, source, c.to)
	r.Implied = from.implied(c.from.view(bare), *r)
}

func (t trace) describeCarried(r *Report, from shower) {
	for _, e := range t.residue.members {
		if e.value != tree.None {
			r.Carried = append(r.Carried, Carried{Pointer: from.pointer(e.at), Place: t.place})
		}
	}
	r.Carried = slices.Compact(r.Carried) // several values are of one array
	if n := len(t.residue.turns); n > 0 {
		r.Carried = append(r.Carried, Carried{Pointer: from.turns(), Place: t.place, Turns: n})
	}
	if t.residue.text.text != tree.None {
		r.Carried = append(r.Carried, Carried{Pointer: from.pointer(from.Encoded), Place: t.place})
	}
}

func (t trace) describeMadeUp(r *Report, from, to shower) {
	r.MadeUp = slices.Grow(r.MadeUp, len(t.made))
	for _, m := range t.made {
		for i, place := range to.Places {
			if place != m.Pointer {
				continue
			}
			m.Source = from.row(i)
			if t.meaning.Values[i] != tree.None {
				m.Source = from.pointer(t.meaning.At[i])
			}
		}
		m.Pointer = to.pointer(m.Pointer)
		r.MadeUp = append(r.MadeUp, m)
	}
	if len(t.calls) == 0 {
		return
	}
	made := map[tree.Node]bool{}
	for _, call := range t.calls {
		made[call] = true
	}
	for _, list := range to.lists {
		at := to.pointer(list)
		for i, item := range tree.Elements(to.doc.At(at)) {
			if made[item] { // and not removed by the residue
				r.MadeUp = append(r.MadeUp, exchange.MadeUp{
					Pointer: fmt.Sprintf("%s/%d", at, i), Value: item.Compact(), Rule: "the call of this result is missing", Source: from.turns(),
				})
			}
		}
	}
}

func (t trace) describeChanged(r *Report, to shower) {
	slices.Sort(t.missed)
	turns := 0
	for _, at := range t.missed {
		if slices.Contains(to.lists, at) {
			turns++
		} else {
			r.Changed = append(r.Changed, Change{Pointer: to.pointer(at)})
		}
	}
	if turns > 0 {
		r.Changed = append(r.Changed, Change{to.turns(), turns})
	}
}

// A shower converts places in the view of a message to places in the message, continued into encoded
// values.
type shower struct {
	side
	doc    tree.Node
	locate func(pointer string) string
}

func newShower(s side, doc tree.Node) shower {
	if s.Locate == nil {
		return shower{s, doc, func(pointer string) string { return pointer }}
	}
	return shower{s, doc, s.Locate(doc)}
}

// row returns the place of a row in the format.
func (s shower) row(i int) string {
	if place := s.Places[i]; place != "" {
		return s.pointer(place)
	}
	return s.pointer(s.BriefText + exchange.Rows[i].Member)
}

// turns returns the place of the first list of turns.
func (s shower) turns() string { return s.pointer(s.lists[0]) }

// pointer converts a place in the view to one in the message.
func (s shower) pointer(pointer string) string {
	if s.Wrapped != "" {
		tokens, _ := jsonstream.SplitPointer(pointer)
		pointer = ""
		for i, token := range tokens {
			if i == 0 || tokens[i-1] != s.Wrapped || token != "value" && token != "form" {
				pointer = jsonstream.AppendPointer(pointer, token)
			}
		}
	}
	return s.locate(pointer)
}

// implied returns the members of a view that a report does not list.
func (s shower) implied(view tree.Node, r Report) []string {
	reported, above := map[string]bool{}, map[string]bool{}
	note := func(pointer string) {
		reported[pointer] = true
		for i, c := range pointer {
			if c == '/' {
				above[pointer[:i]] = true
			}
		}
	}
	for _, m := range r.Mapped {
		note(m.From)
	}
	for _, m := range r.Carried {
		note(m.Pointer)
	}
	var implied []string
	var walk func(n tree.Node, at string)
	walk = func(n tree.Node, at string) {
		for m := n.Children(); m.Next(); {
			below := jsonstream.AppendPointer(at, m.Name)
			shown := s.pointer(below)
			switch {
			case reported[shown] || s.isOfView(below):
			case !above[shown]:
				implied = append(implied, shown)
			case m.Value.Is(jsonstream.Object):
				walk(m.Value, below)
			}
		}
	}
	if !reported[""] {
		walk(view, "")
	}
	return implied
}

// isOfView reports whether a place exists only in the view, or represents several places.
func (s shower) isOfView(at string) bool {
	return slices.Contains(s.ViewOnly, at) || s.Wrapped != "" && strings.HasSuffix(at, "/"+s.Wrapped+"/form")
}
