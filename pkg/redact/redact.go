// Package redact replaces the personal data in messages, and puts it back.
//
// A value is replaced by the same text wherever it stands: <PERSON_1>, or with a [Key]
// <PERSON_4f7kq2m9xw>, which is the same in every message and tells nothing to whoever does
// not have the key. The replacement of any text can be put back from a vault, byte for byte,
// as long as the message that has it is unchanged; in a message that has changed, or an
// answer to it, every replacement of the vault is.
//
// Only the bytes that are personal data are replaced, in strings, in the names of members,
// in numbers, in JSON within strings, and in what a message carries in base64.
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

// Options say what is replaced by what.
type Options struct {
	// Scanner finds what to replace.
	Scanner *privacy.Scanner
	// Key is what replacements are derived from. Without one, they are numbered within each
	// message.
	Key *Key
	// KeepFormat replaces values by others of their form: an e-mail address by one at
	// example.com, digits by digits whose check digit is right.
	KeepFormat bool
	// Vault tells to make entries for a vault, which needs a key.
	Vault bool
	// Apart tells to return what puts the message back, and what it is that was replaced. Then
	// what the policy always redacts is replaced as a whole, whatever it is, ids are replaced
	// like everything else, and a signature stays, unless the policy names it.
	Apart bool
	// Sign signs a message again whose signature was removed; nil leaves it unsigned.
	Sign func(text []byte) ([]byte, error)
	// Format is that of the messages; "" detects it.
	Format format.Format
	// Limits bound what a message carries.
	Limits jsonstream.Limits
}

// A Result is a redacted message.
type Result struct {
	Text   []byte
	Format format.Format // "" for none that is known
	// Replaced is how many places of each class were replaced, and Values how many values.
	Replaced map[privacy.Class]int
	Values   int
	// Kept are personal data in members that programs identify things by: they were left.
	Kept []Kept
	// Signed reports that the message carried a signature, its own or that of a handoff in it,
	// which no longer holds: it was removed, or made again.
	Signed bool
	// Typed reports that numbers have become strings.
	Typed bool
	// Entry is a line for the vault, without a line end; nil if nothing was replaced.
	Entry []byte
	// Undo and Data are there with [Options.Apart]: what [Restore] needs, and what was
	// replaced, in the order of the message.
	Undo []Change
	Data []Datum
}

// A Change is a part of a redacted text, and what was there before. Its JSON is in the lines
// of vaults.
type Change struct {
	Start  int    `json:"s"`
	End    int    `json:"e"`
	Before []byte `json:"b"`
}

// Restore undoes the changes of a text, which come in its order. It reports whether they can
// be of this text.
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

// A Datum is something that was replaced.
type Datum struct {
	Pointer string // of the value that holds it; for the name of a member that of the object
	InName  bool
	Class   privacy.Class
	Value   string // the characters; of [Hidden] what is not a string as JSON
}

// Kept is personal data that was left.
type Kept struct {
	Pointer string        `json:"pointer"`
	Class   privacy.Class `json:"class"`
}

// Message redacts a message, or any other JSON document. The error is about the message: it
// is left as it is.
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
		return Result{}, fmt.Errorf("two members of an object would have the same name: leave their names alone with the policy's never: %w", err)
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
		undo = []Change{{0, len(r.Text), slices.Clone(doc.Raw().Bytes)}} // it is put back as a whole
	}
	if o.Vault {
		r.Entry, err = o.Key.entry(r.Text, undo, names.values())
	}
	return r, err
}
