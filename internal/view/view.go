// Package view provides the readings of a text: the texts that a language model may read in it
// after removing disguises and encodings.
//
// Every [Reading] maps back to the bytes of the original text, so that findings in a reading can be
// located in the original. An encoding is not suspicious in itself, and a reading is not a finding;
// characters without an honest use are an [Oddity].
//
// Typographic quotes, dashes and runs of white space alone do not cause a reading: searches must
// allow for them.
//
// There are no readings of words split by line breaks or full stops, nor of codes that need a key
// or instructions: Morse code, letter tables, acrostics.
//
// All functions accept any bytes, including invalid UTF-8, take linear time, and are safe for
// concurrent use.
package view

import "iter"

// A Kind is the kind of a reading.
type Kind string

// The kinds of readings. The first ones are the whole text with something changed in place,
// cumulatively. The kinds from Base64 on have only the extracted pieces of the text, separated by
// empty lines.
const (
	Folded   Kind = "folded"   // look-alikes, invisible characters and ornaments replaced
	Percent  Kind = "percent"  // percent escapes and quoted-printable
	Entities Kind = "entities" // HTML character references
	Escapes  Kind = "escapes"  // backslash escapes
	Spaced   Kind = "spaced"   // spaced letters joined
	Parted   Kind = "parted"   // joined words separated at capitals and joints
	Leet     Kind = "leet"     // digits and signs replaced by letters

	ROT13    Kind = "rot13"    // each letter thirteen places on
	Reversed Kind = "reversed" // the whole text reversed, or each of its words

	Base64    Kind = "base64"
	Base32    Kind = "base32"
	Hex       Kind = "hex"
	Binary    Kind = "binary"
	Tags      Kind = "tags"      // the text in tag characters
	Selectors Kind = "selectors" // the text in variation selectors
	Hidden    Kind = "hidden"    // comments, invisible elements, alt and title texts
)

// A Reading is an alternative reading of a text.
type Reading struct {
	Kind Kind // the last step that led to it
	Text string

	from *source
}

// Origin returns the range, in bytes of the text given to [Of], that Text[start:end] comes from.
// Positions outside Text are clamped.
func (r Reading) Origin(start, end int) (offset, length int) {
	start = min(max(start, 0), len(r.Text))
	end = min(max(end, start), len(r.Text))
	for s := r.from; s != nil; s = s.parent {
		start, end = s.locate(start, end)
	}
	return start, end - start
}

// Of yields the significantly different readings of text, most literal first. A text of several
// hundred kilobytes is read in overlapping parts, so the same place may be read twice. The total
// length of the readings is at most a small multiple of the length of text; for a text contrived to
// have more, the last ones are missing.
func Of(text string) iter.Seq[Reading] {
	return func(yield func(Reading) bool) {
		r := reader{yield: yield, left: maxGrowth*len(text) + minGrowth}
		r.read(Reading{Text: text, from: &source{}}, 0)
	}
}

// Plain reports whether text has neither readings nor oddities. It is much faster than [Of] and
// [Oddities], and may return false for a text that has none.
func Plain(text string) bool { return look(text, ^signs(0)) == 0 }
