package trim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Record is the note about trims in a message: extensions.trim, or metadata.trim in SW4RM, in the context
// if the message carries one. Messages in formats that are sent to models unchanged have no place for it:
// the Record in their [Result] counts only the turns of this trim.
type Record struct {
	OriginalTurns int    `json:"originalTurns"` // without any trim
	DroppedTurns  int    `json:"droppedTurns"`  // in all trims
	TokensBefore  int    `json:"tokensBefore"`  // this and the next members are about the last trim
	TokensAfter   int    `json:"tokensAfter"`
	Tokenizer     string `json:"tokenizer"`
	Method        string `json:"method"`         // the summariser
	Model         string `json:"model,omitzero"` // the model used, according to the summariser
	// SHA256 is the lower-case hexadecimal digest of the canonical form of an array: the original turns
	// that were removed or edited, and the original members with removed elements.
	SHA256  string         `json:"sha256"`
	GivenUp map[string]int `json:"givenUp,omitzero"` // how many elements of other members were removed
}

// hasNotes reports whether the context has a place for a record.
func hasNotes(h *history.History) bool {
	return h.Layout().Notes != "" && h.Root.Kind() == jsonstream.Object // and not a list of turns
}

// isKnownByDigest reports whether the message has a context that cannot hold a record. After trimming, such
// a context can only be identified by the digest of its content, which the archive has.
func isKnownByDigest(h *history.History) bool { return h.ContextFormat != "" && !hasNotes(h) }

// holder returns the member for the record in a context of a format, "" if there is none.
func holder(f format.Format) string { return formats.Named(f).Notes }

const recordMember = "trim"

// recorded returns the record of a message, absent if there is none. A value without a digest belongs to
// another program.
func recorded(h *history.History) jsonstream.Value {
	if !hasNotes(h) {
		return jsonstream.Value{}
	}
	v := h.Root.Get(holder(h.ContextFormat)).Get(recordMember)
	if sum, err := hex.DecodeString(v.Get("sha256").Text()); err != nil || len(sum) != sha256.Size {
		return jsonstream.Value{}
	}
	return v
}

// readRecord returns the record of earlier trims, the zero Record if there is none.
func readRecord(h *history.History) (r Record, err error) {
	v := recorded(h)
	if !v.Exists() {
		return r, nil
	}
	if err := json.Unmarshal(v.Raw(), &r); err != nil {
		return r, fmt.Errorf("%s: not a record of trim: %w", h.Carrier().Pointer()+v.Pointer(), jsonError(err))
	}
	return r, nil
}

// checkHolder returns an error if the place of the record or of the metadata next to it has a value that
// must not be lost.
func checkHolder(h *history.History) error {
	v := h.Root.Get(holder(h.ContextFormat))
	if k := v.Kind(); k != jsonstream.Object && k != jsonstream.Null && k != jsonstream.Absent {
		return fmt.Errorf("%s: expected an object for the record of the trim: found %s; rename this member", h.Carrier().Pointer()+v.Pointer(), k)
	}
	return nil
}

// checkPlace returns an error if there is no place for a record.
func checkPlace(h *history.History) error {
	if !hasNotes(h) {
		return nil
	}
	v := h.Root.Get(holder(h.ContextFormat)).Get(recordMember)
	if v.Exists() && !recorded(h).Exists() {
		return fmt.Errorf("%s: this member is reserved for the record of the trim: found %s that is not a record; rename this member", h.Carrier().Pointer()+v.Pointer(), v.Kind())
	}
	return checkHolder(h)
}

// jsonError converts a decoding error to one without names of Go types.
func jsonError(err error) error {
	if e, ok := err.(*json.SemanticError); ok {
		return fmt.Errorf("%s: unexpected %s", e.JSONPointer, jsonstream.Kind(e.JSONKind))
	}
	return err
}

// recordSize returns the maximum size that the record adds to the message when it replaces the previous
// one.
func (d *draft) recordSize() size {
	if !hasNotes(d.h) {
		return size{}
	}
	r := d.record
	r.DroppedTurns += len(d.turns)
	r.TokensBefore, r.TokensAfter = d.before.tokens, d.before.tokens
	r.Tokenizer, r.Method, r.SHA256 = d.o.Tokenizer, d.o.Method, fmt.Sprintf("%064x", 1)
	for _, e := range d.o.Also {
		r.give(e, len(d.turns))
	}
	text := fmt.Appendf(nil, `%q:{%q:`, holder(d.h.ContextFormat), recordMember)
	text = append(append(text, r.text()...), '}')
	if d.h.Layout().HistoryLength != "" {
		text = append(text, `,"original_history_length":,"trimmed":true`...)
	}
	bound := size{d.o.Meter.Count(string(text)) + 8, d.h.Encoded(len(text) + 32)}
	if before := recorded(d.h); before.Exists() {
		bound = bound.minus(d.sizeOf(before.Raw()))
	}
	return bound
}

func (r Record) text() []byte {
	text, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		panic(err) // strings and integers
	}
	return text
}

func (r *Record) give(e Extra, n int) {
	given := map[string]int{string(e): n}
	for name, m := range r.GivenUp {
		given[name] += m
	}
	r.GivenUp = given
}
