package convert

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A side is one of the formats of a conversion.
type side struct {
	*format.Descriptor
	*exchange.Codec
	lists []string // the places of turns in the view, including other formats in a context
}

// sideOf returns the side of a format that can be converted.
func sideOf(f format.Format) side {
	d := formats.Named(f)
	s := side{d, d.Exchange, d.Exchange.Lists}
	if s.Context == "" {
		return s
	}
	s.lists = slices.Clone(s.lists)
	for _, other := range contexts() {
		for _, list := range other.Lists {
			s.lists = append(s.lists, s.Context+other.plain(list))
		}
	}
	return s
}

// contexts returns the formats whose messages another message may carry: contexts that are recognised by a
// member of their own. The canonical format is excluded.
func contexts() []side {
	var all []side
	for _, d := range formats.All() {
		if d.Exchange != nil && d.Turns != nil && d.Name != format.EAAPL && d.Known == nil {
			all = append(all, side{d, d.Exchange, d.Exchange.Lists})
		}
	}
	return all
}

// others returns functions to read and write contexts of other formats in a message.
func others() exchange.Others { return exchange.Others{Read: readContext, Write: writeContext} }

// readContext reads a context. Its format is known by its first member for turns.
func readContext(context tree.Node) (name string, m exchange.Meaning, ok bool) {
	for _, s := range contexts() {
		if context.Get(s.Turns[0]) == tree.None {
			continue
		}
		m, _ := s.read(context)
		for i, at := range m.At {
			m.At[i] = s.plain(at)
		}
		return string(s.Name), m, true
	}
	return "", m, false
}

func writeContext(name string, m exchange.Meaning) (tree.Node, bool) {
	for _, s := range contexts() {
		if string(s.Name) == name {
			return s.message(s.write(m, tree.None, nil)), true
		}
	}
	return tree.None, false
}

// view returns a message with its encoded parts decoded; message is its inverse.
func (s side) view(message tree.Node) tree.Node {
	if s.Open == nil {
		return message
	}
	return s.Open(message)
}

func (s side) message(view tree.Node) tree.Node {
	if s.Shut == nil {
		return view
	}
	return s.Shut(view)
}

// read returns the meaning of a message, and its shape.
func (s side) read(message tree.Node) (exchange.Meaning, tree.Node) {
	return s.Read(s.view(message), others())
}

// write returns the view of a message with a meaning.
func (s side) write(m exchange.Meaning, shape tree.Node, k *exchange.Maker) tree.Node {
	return s.Write(m, shape, k, others())
}

// bothLists returns the lists of turns that two views of the format both have.
func (s side) bothLists(a, b tree.Node) []string {
	var both []string
	for _, at := range s.lists {
		if a.At(at).Is(jsonstream.Array) && b.At(at).Is(jsonstream.Array) {
			both = append(both, at)
		}
	}
	return both
}

// plain converts a place in the view to one in the message, for a format whose messages have the same
// names.
func (s side) plain(pointer string) string {
	if s.Wrapped == "" {
		return pointer
	}
	return strings.Replace(pointer, "/"+s.Wrapped+"/value", "/"+s.Wrapped, 1)
}
