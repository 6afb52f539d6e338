package convert

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A residue is the carried data for converting a message back: the parameters of the translation, and the
// patch that restores the original message from it. In the message it is a JSON object:
//
//	format   the format of the original message
//	in       the format of the message that holds the residue, if its turns alone may not show it
//	shape    how the original was written: a hint for writing it again
//	seed, budget, from, to, time   the options of the conversion, if set
//	made     the digests of made-up values, by their member
//	unknown  the members that were unknown, and were replaced
//	members  of the patch, other than the turns: at, was, value
//	turns    of the patch: was, nth, and put or edit
//	signed   the digest of the data that the signature covers
//	text     the text of an encoded object, if this package would encode it differently
//	place    the value replaced by the residue's holder, if it could not hold a residue
//	bare     true if the message was an array, which became a member to hold this
type residue struct {
	format  format.Format
	in      format.Format
	shape   tree.Node
	given   exchange.Given
	made    tree.Node // digests by member
	unknown tree.Node // members
	patch
	place tree.Node
	bare  bool
}

// pack writes the residue as JSON.
func (r residue) pack() tree.Node {
	n := tree.Object(tree.Member{Name: "format", Value: tree.String(string(r.format))})
	add := func(name string, value tree.Node) {
		if value != tree.None && (tree.IsString(value) || !value.Empty()) {
			n = n.With(name, value)
		}
	}
	text := func(name, value string) {
		if value != "" {
			add(name, tree.String(value))
		}
	}
	text(exchange.WrittenIn, string(r.in))
	add("shape", r.shape)
	text("seed", r.given.Seed)
	text("budget", r.given.Budget)
	text("from", r.given.From)
	text("to", r.given.To)
	text("time", r.given.Time)
	add("made", r.made)
	add("unknown", r.unknown)
	add("members", packEntries(r.members))
	add("turns", packHunks(r.turns))
	if r.signed != (tree.Digest{}) {
		text("signed", r.signed.String())
	}
	if r.text.text != tree.None {
		add("text", tree.Object(tree.Member{Name: "was", Value: tree.String(r.text.of.String())}, tree.Member{Name: "value", Value: r.text.text}))
	}
	if r.place != tree.None {
		n = n.With("place", r.place)
	}
	if r.bare {
		n = n.With("bare", tree.Bool(true))
	}
	return n
}

// unpack reads a residue for a format, and reports whether there is one. It skips invalid parts, since
// anyone can write one.
func unpack(n tree.Node, f format.Format) (residue, bool) {
	if tree.IsString(n) {
		n, _ = tree.Parse([]byte(n.Text()))
	}
	if n.Get("format").Text() != string(f) {
		return residue{}, false
	}
	r := residue{
		format: f, shape: n.Get("shape"), bare: n.Get("bare").Is(jsonstream.True),
		given: exchange.Given{
			Seed: n.Get("seed").Text(), Budget: n.Get("budget").Text(), From: n.Get("from").Text(), To: n.Get("to").Text(), Time: n.Get("time").Text(),
		},
		made: n.Get("made"), unknown: n.Get("unknown"),
		patch: patch{
			members: unpackEntries(n.Get("members")), turns: unpackHunks(n.Get("turns")),
			signed: tree.DigestIn(n.Get("signed").Text()),
			text:   recodedText{tree.DigestIn(n.At("/text/was").Text()), n.At("/text/value")},
		},
	}
	if (Options{Budget: r.given.Budget}).Check() != nil {
		r.given.Budget = ""
	}
	if (Options{Timestamp: r.given.Time}).Check() != nil {
		r.given.Time = ""
	}
	if place := n.Get("place"); place.Is(jsonstream.Array) {
		r.place = place
	}
	return r, true
}
