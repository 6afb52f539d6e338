// Package redact replaces personal data in messages and restores it.
//
// A value has the same replacement wherever it occurs: <PERSON_1>, or with a [Key]
// <PERSON_4f7kq2m9xw>, which is the same in every message and reveals nothing without the key. A
// vault restores a redacted message byte for byte if it is unchanged. In a changed message, or an
// answer to it, every replacement known to the vault is restored.
//
// Only the bytes of personal data are replaced: in strings, names of members, numbers, JSON within
// strings, and base64 data of a carrier.
package redact

import (
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// Options configure redaction.
type Options struct {
	// Scanner finds the personal data.
	Scanner *privacy.Scanner
	// Key derives the replacements. Without a key, they are numbered within each message.
	Key *Key
	// KeepFormat replaces values by others of the same format: an e-mail address by one at
	// example.com, digits by digits with a valid check digit.
	KeepFormat bool
	// Vault requests entries for a vault, which needs a key.
	Vault bool
	// Apart requests Undo and Data in the [Result]. Values that the policy always redacts are then
	// replaced as a whole, of any kind; ids are replaced like other values; and a signature stays
	// unless the policy lists it.
	Apart bool
	// Sign signs a message again after its signature was removed; nil leaves it unsigned.
	Sign func(text []byte) ([]byte, error)
	// Format is the format of the messages; "" means detect it.
	Format format.Format
	// Limits bound carried documents.
	Limits jsonstream.Limits
}

// A Result is a redacted message.
type Result struct {
	Text   []byte
	Format format.Format // "" if unknown
	// Replaced is the number of replaced places of each class, and Values the number of values.
	Replaced map[privacy.Class]int
	Values   int
	// Kept is the personal data that was kept in members that programs use as identifiers.
	Kept []Kept
	// Signed reports that the message, or a handoff in it, had a signature that no longer holds: it
	// was removed or made again.
	Signed bool
	// Typed reports that numbers have become strings.
	Typed bool
	// Entry is a line for the vault, without a line end; nil if nothing was replaced.
	Entry []byte
	// Undo and Data are set with [Options.Apart]: the changes for [Restore], and the replaced data
	// in the order of the message.
	Undo []Change
	Data []Datum
}

// A Change is a part of a redacted text and its original. Its JSON form is part of the vault
// format.
type Change struct {
	Start  int    `json:"s"`
	End    int    `json:"e"`
	Before []byte `json:"b"`
}

// Restore undoes the changes of a text, which must be in order. It reports whether they fit the
// text.
func Restore(text []byte, changes []Change) (original []byte, ok bool) {
	at := 0
	for _, c := range changes {
		if c.Start < at || c.End < c.Start || c.End > len(text) {
			return nil, false
		}
		original = append(append(original, text[at:c.Start]...), c.Before...)
		at = c.End
	}
	return append(original, text[at:]...), true
}

// A Datum is a replaced value.
type Datum struct {
	Pointer string // of the value; for the name of a member, of its object
	InName  bool
	Class   privacy.Class
	Value   string // the characters; for [Hidden], JSON unless a string
}

// Kept is personal data that was not replaced.
type Kept struct {
	Pointer string        `json:"pointer"`
	Class   privacy.Class `json:"class"`
}

// Message redacts a message or any other JSON document. On error, the message is unchanged.
func Message(doc *jsonstream.Document, o Options) (Result, error) {
	if o.Vault && o.Key == nil {
		return Result{}, errors.New("a vault needs a key")
	}
	f := o.Format
	if f == "" {
		f, _ = formats.Detect(doc.Root())
	}
	w := newWalk(doc, f, o)
	w.document(doc.Root(), "")
	r := Result{Text: doc.Raw().Bytes, Format: f, Kept: w.kept, Replaced: map[privacy.Class]int{}}
	if len(w.pieces) == 0 {
		return r, nil
	}
	names := newNaming(o, w)
	text, undo := names.splice(doc.Raw().Bytes, w.pieces)
	r.Replaced, r.Values, r.Typed = names.replaced, len(names.byValue), names.typed
	redacted, err := jsonstream.Parse(doc.Raw().With(text), jsonstream.Unlimited())
	if err != nil {
		return Result{}, fmt.Errorf("two members of an object would have the same name: exclude their names by the policy's never: %w", err)
	}
	r.Text = text
	if o.Apart {
		r.Undo, r.Data = undo, data(w.pieces)
		return r, nil
	}
	if r.Text, r.Signed, err = o.signAgain(doc.Root(), redacted.Root(), f); err != nil {
		return Result{}, fmt.Errorf("signing again: %w", err)
	}
	if r.Signed {
		undo = []Change{{0, len(r.Text), slices.Clone(doc.Raw().Bytes)}} // it is restored as a whole
	}
	if o.Vault {
		r.Entry, err = o.Key.entry(r.Text, undo, names.values())
	}
	return r, err
}
