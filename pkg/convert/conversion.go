package convert

import (
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// A conversion converts from one format to another. Its steps have the names used in the package
// documentation: convert, base, attach and valid.
type conversion struct {
	from, to side
	given    exchange.Given
}

func (c conversion) back(s exchange.Given) conversion { return conversion{c.to, c.from, s} }

// A trace is the record of a conversion.
type trace struct {
	meaning  exchange.Meaning
	shape    tree.Node // of the source
	made     []exchange.MadeUp
	calls    []tree.Node    // items added for results without a call
	residue  residue        // carried by the target
	place    string         // place of the residue
	restored bool           // from the carried data of the source
	given    exchange.Given // of the conversion that made the source, if it is restored
	missed   []string       // places whose carried values no longer apply
}

// convert returns the source in the other format: its base, if the source was made by a conversion, and
// otherwise its translation with a residue for the conversion back.
func (c conversion) convert(source tree.Node) (tree.Node, trace) {
	base, t := c.base(source)
	if c.valid(source, base, t) {
		return base, t
	}
	return c.attach(source, base, t)
}

// valid reports whether the source was made by a conversion: whether converting its base gives the source.
func (c conversion) valid(source, base tree.Node, t trace) bool {
	if !t.restored {
		return false
	}
	back := c.back(t.given)
	further, u := back.base(base)
	again, _ := back.attach(base, further, u)
	return tree.Same(again, source) && !back.valid(base, further, u)
}

// base returns the message that the source was made of, if it carries a residue for that, and otherwise its
// bare translation.
func (c conversion) base(source tree.Node) (tree.Node, trace) {
	bare, r, ok := strip(c.from, source, c.to)
	m, shape := c.from.read(bare)
	t := trace{meaning: m, shape: shape, restored: ok, given: r.given}
	if !ok {
		k := &exchange.Maker{Given: c.given, Source: source}
		target := c.to.message(c.to.write(m, tree.None, k))
		t.made, t.calls = k.Made, k.Calls
		return target, t
	}
	k := c.restorer(r, source)
	target, missed := r.apply(c.to, c.translate(m, r, k))
	if made := k.Made; k.Reveal(missed) {
		target, missed = r.apply(c.to, c.translate(m, r, k))
	} else {
		k.Made = made
	}
	t.missed, t.made, t.calls = missed, k.Made, k.Calls
	return target, t
}

// attach returns the base of the source with a residue that restores the source.
func (c conversion) attach(source, base tree.Node, t trace) (tree.Node, trace) {
	said, _ := c.to.read(base)
	r := residue{format: c.from.Name, shape: t.shape, given: c.given, made: tree.Object()}
	if d := formats.Named(c.to.Name); d.Known != nil && !d.Known.Plain && c.to.Pack == nil {
		r.in = c.to.Name
	}
	for i, row := range exchange.Rows {
		if t.meaning.Values[i] == tree.None && said.Values[i] != tree.None {
			r.made = r.made.With(row.Member, tree.String(said.Values[i].Digest().String()))
		}
	}
	var unknown []tree.Node
	for i, v := range withoutMade(said, r.made).Values {
		if v == tree.None && c.from.Demands {
			unknown = append(unknown, tree.String(exchange.Rows[i].Member))
		}
	}
	r.unknown = tree.Array(unknown...)
	back := c.back(exchange.Given{})
	r.patch = patchOf(c.from, back.translate(said, r, back.restorer(r, base)), source)
	t.residue = r
	base, t.place = store(c.to, base, r)
	return base, t
}

// translate returns the view of a meaning in the format of a residue, before the residue's patch.
func (c conversion) translate(m exchange.Meaning, r residue, k *exchange.Maker) tree.Node {
	return c.to.write(withoutMade(m, r.made), r.shape, k)
}

// withoutMade returns the meaning without made-up values, which are recognised by their digests.
func withoutMade(m exchange.Meaning, made tree.Node) exchange.Meaning {
	for i, row := range exchange.Rows {
		if was := made.Get(row.Member); m.Values[i] != tree.None && tree.IsString(was) && was.Text() == m.Values[i].Digest().String() {
			m.Values[i] = tree.None
		}
	}
	return m
}

// restorer returns the maker of the values that the translation of a message with a residue needs. It makes
// up the values that were known when the residue was made and are missing now.
func (c conversion) restorer(r residue, source tree.Node) *exchange.Maker {
	k := &exchange.Maker{Given: c.given, Source: source, Restoring: true, Known: map[string]bool{}}
	for _, place := range c.to.Places {
		k.Known[place] = true
	}
	for _, member := range tree.Elements(r.unknown) {
		for i, row := range exchange.Rows {
			if row.Member == member.Text() {
				delete(k.Known, c.to.Places[i])
			}
		}
	}
	return k
}
