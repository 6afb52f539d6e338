package convert

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A residue is what a message carries for the one that it was made of: how to translate it
// back, and the patch that makes of this translation what it was made of. In the message it
// is a JSON object:
//
//	format   the format of what it was made of
//	shape    how that was written: a hint for writing it again
//	seed, budget   the options of the conversion, where they were given
//	made     the digests of the values that were made up, by their member
//	unknown  the members that were not known, so that something replaced them
//	members  of the patch, other than the turns: at, was, value
//	turns    of the patch: was, nth, and put or edit
//	signed   the digest of what the signature covers
//	text     the text of an encoded object, where it is not the one that is written here
//	place    what was in the place of the residue's holder, if that could not hold it
//	bare     true if the message was an array, which became a member to hold this
type residue struct {
	format format.Format
	shape  tree.Node
	settings
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
	add("shape", r.shape)
	text("seed", r.seed)
	text("budget", r.budget)
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

// unpack reads a residue for a format, and whether there is one. Invalid parts are skipped,
// since anybody can write one.
func unpack(n tree.Node, f format.Format) (residue, bool) {
	if tree.IsString(n) {
		n, _ = tree.Parse([]byte(n.Text()))
	}
	if n.Get("format").Text() != string(f) {
		return residue{}, false
	}
	r := residue{
		format: f, shape: n.Get("shape"), bare: n.Get("bare").Is(jsonstream.True), settings: settings{n.Get("seed").Text(), n.Get("budget").Text()},
		made: n.Get("made"), unknown: n.Get("unknown"),
		patch: patch{
			members: unpackEntries(n.Get("members")), turns: unpackHunks(n.Get("turns")),
			signed: tree.DigestIn(n.Get("signed").Text()),
			text:   recoded{tree.DigestIn(n.At("/text/was").Text()), n.At("/text/value")},
		},
	}
	if (Options{Budget: r.budget}).Check() != nil {
		r.budget = ""
	}
	if place := n.Get("place"); place.Is(jsonstream.Array) {
		r.place = place
	}
	return r, true
}
