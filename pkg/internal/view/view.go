// Package view gives the readings of a text: the ways in which a language model may
// read it once disguise and encoding are taken off.
//
// Every [Reading] maps back to the bytes of the text it was made from, so that what is
// found in a reading can be shown in the original. Being encoded is no sign of anything,
// and a reading is no finding; what cannot be there for an honest reason is an [Oddity].
//
// Typographic quotes, dashes and runs of white space do not make a reading by
// themselves: whoever searches a text allows for them.
//
// There is no reading of words split by line breaks or points, nor of what
// needs a key or a lesson: Morse, tables of letters, acrostics.
//
// All functions take any bytes, invalid UTF-8 too, need time linear in them, and are
// safe for concurrent use.
package view

import "iter"

// A Kind says how a reading came about.
type Kind string

// The kinds of readings. The first ones are the whole text with something changed in
// place, each upon the ones before. Those from Base64 on have only what was found in the
// text: pieces of it, with an empty line between any two.
const (
	Folded   Kind = "folded"   // look-alikes, invisible characters and ornaments made plain
	Percent  Kind = "percent"  // percent escapes and quoted-printable
	Entities Kind = "entities" // HTML character references
	Escapes  Kind = "escapes"  // backslash escapes
	Spaced   Kind = "spaced"   // letters set apart closed up
	Parted   Kind = "parted"   // words written together parted at capitals and joints
	Leet     Kind = "leet"     // digits and signs that stand for letters

	ROT13    Kind = "rot13"    // each letter thirteen places on
	Reversed Kind = "reversed" // all of it backwards, or each of its words

	Base64    Kind = "base64"
	Base32    Kind = "base32"
	Hex       Kind = "hex"
	Binary    Kind = "binary"
	Tags      Kind = "tags"      // what tag characters say
	Selectors Kind = "selectors" // what variation selectors say
	Hidden    Kind = "hidden"    // comments, elements that do not show, alt and title texts
)

// A Reading is one way to read a text other than as it stands.
type Reading struct {
	Kind Kind // the last step taken to it
	Text string

	from *source
}

// Origin returns the place, in bytes of the text given to [Of], that Text[start:end]
// comes from. Positions outside Text are taken as its nearest end.
func (r Reading) Origin(start, end int) (offset, length int) {
	start = min(max(start, 0), len(r.Text))
	end = min(max(end, start), len(r.Text))
	for s := r.from; s != nil; s = s.parent {
		start, end = s.locate(start, end)
	}
	return start, end - start
}

// Of yields the readings of text that differ from it in ways that can matter, most
// literal first. A text of several hundred kilobytes is read in parts that overlap, so
// the same place may be read twice. Together the readings are at most a small multiple
// of text long: of a text that is contrived to have more, the last are missing.
func Of(text string) iter.Seq[Reading] {
	return func(yield func(Reading) bool) {
		r := reader{yield: yield, left: maxGrowth*len(text) + minGrowth}
		r.read(Reading{Text: text, from: &source{}}, 0)
	}
}

// Plain reports whether text has neither readings nor oddities. It is much faster than
// finding out by [Of] and [Oddities], and may say false where there are none.
func Plain(text string) bool { return look(text, ^signs(0)) == 0 }
