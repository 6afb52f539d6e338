package convert

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A residue says in what a message differs from what its translation gives when it is
// translated back. It is a JSON object:
//
//	format   the message's format
//	shape    how the message was written: a hint for writing it again
//	seed, budget   the options of the conversion, where they were given
//	made     the digests of the values that were made up, by their member
//	unknown  the members that were not known, so that something stood in for them
//	members  the differences beside the turns: at, was, value
//	turns    the differences in the turns: was, nth, and put or edit
//	signed   the digest of what the message's signature covers
//	text     the text of an encoded object, where it is not the one that is written here
//	place    what stood in the place of the residue's holder, if that could not hold it
type residue struct {
	format       format.Format
	shape        node
	seed, budget string
	made         node // digests by member
	unknown      node // members
	members      []entry
	turns        []hunk
	signed       digest // of what the signature of a canonical message covers
	was          digest // of the object whose text is in text
	text         node
	place        node
}

// textPlaces are where the views have an object that may be encoded.
var textPlaces = map[format.Format]string{
	format.SW4RMRequest: "/context_snapshot",
	format.MACP:         contextMessage + "/payload/context",
}

// note notes what makes the message doc of the view that its translation gives.
func (r *residue) note(doc, given node) {
	f := r.format
	want := view(f, doc)
	skip := listsIn(f, given, want)
	r.turns = alignTurns(given, want, codecs[f].lists, skip)
	r.members = differences(given, want, skip)
	if f == format.EAAPL && doc.get("signature") != none {
		r.signed = doc.with("signature", none).digest()
	}
	if place := textPlaces[f]; place != "" {
		original := doc.get("context_snapshot")
		if f == format.MACP {
			original = rawContext(doc)
		}
		if o := want.at(place); o.get("form").str() == formBase64 && !same(shut(o), original) {
			r.was, r.text = o.get("value").digest(), original
		}
	}
	if got, _ := r.restore(given); !same(got, doc) {
		r.turns = nil
		r.members = []entry{{"", given.digest(), want}}
	}
}

// rawContext returns the context of a transcript as it is written.
func rawContext(doc node) node {
	messages := doc.get("messages")
	if i := mappedMessages(messages)[2]; i >= 0 {
		return messages.at(fmt.Sprintf("/%d/payload/context", i))
	}
	return none
}

// listsIn returns where both views have a list of turns.
func listsIn(f format.Format, a, b node) []string {
	var lists []string
	for _, at := range codecs[f].lists {
		if a.at(at).is(jsonstream.Array) && b.at(at).is(jsonstream.Array) {
			lists = append(lists, at)
		}
	}
	return lists
}

// restore makes the message of the view of what its translation gives. What no longer
// applies is left out, and its places are returned.
func (r residue) restore(given node) (doc node, missed []string) {
	v, missed := applyTurns(given, codecs[r.format].lists, r.turns)
	v, more := apply(v, r.members, false)
	missed = append(missed, more...)
	if !v.is(jsonstream.Object) {
		v = given
	}
	if place := textPlaces[r.format]; r.text != none && place != "" {
		if value := v.at(place + "/value"); value != none && value.digest() == r.was {
			v = v.set(place, opened(formRaw, r.text))
		}
	}
	doc = unview(r.format, v)
	if r.signed != (digest{}) && doc.get("signature") != none {
		if bare := doc.with("signature", none); bare.digest() != r.signed {
			return bare, append(missed, "/signature")
		}
	}
	return doc, missed
}

// pack writes the residue as JSON.
func (r residue) pack() node {
	n := object(member{name: "format", value: text(string(r.format))})
	add := func(name string, value node) {
		if value != none && (isText(value) || !value.empty()) {
			n = n.with(name, value)
		}
	}
	add("shape", r.shape)
	if r.seed != "" {
		add("seed", text(r.seed))
	}
	if r.budget != "" {
		add("budget", text(r.budget))
	}
	add("made", r.made)
	add("unknown", r.unknown)
	add("members", packEntries(r.members))
	add("turns", packHunks(r.turns))
	if r.signed != (digest{}) {
		add("signed", text(r.signed.text()))
	}
	if r.text != none {
		add("text", object(member{name: "was", value: text(r.was.text())}, member{name: "value", value: r.text}))
	}
	if r.place != none {
		n = n.with("place", r.place)
	}
	return n
}

// unpackResidue reads a residue for a format, and whether there is one.
func unpackResidue(n node, f format.Format) (residue, bool) {
	if isText(n) {
		n, _ = parse([]byte(n.str()))
	}
	if n.get("format").str() != string(f) {
		return residue{}, false
	}
	r := residue{
		format: f, shape: n.get("shape"), seed: n.get("seed").str(), budget: n.get("budget").str(), made: n.get("made"), unknown: n.get("unknown"),
		members: unpackEntries(n.get("members")), turns: unpackHunks(n.get("turns")),
		signed: digestIn(n.get("signed").str()), was: digestIn(n.at("/text/was").str()), text: n.at("/text/value"),
	}
	if (Options{Budget: r.budget}).Check() != nil {
		r.budget = ""
	}
	if place := n.get("place"); place.is(jsonstream.Array) {
		r.place = place
	}
	return r, true
}
