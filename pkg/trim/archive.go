package trim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Archive is a text whose lines are [Result.Archive] values. Its entries are indexed, not held in
// memory. It is safe for concurrent use if its text is.
type Archive struct {
	text    io.ReaderAt
	entries map[string][]span // by digest, in text order
}

// A span is the place of a line in a text, in bytes.
type span struct{ offset, length int64 }

// NewArchive reads a text once to index the entries. Lines that are not entries, because another program
// wrote them or they were cut off, are ignored.
func NewArchive(text io.ReaderAt) (*Archive, error) {
	a := &Archive{text, map[string][]span{}}
	lines := bufio.NewReaderSize(io.NewSectionReader(text, 0, math.MaxInt64), 1<<20)
	var at span
	sum := ""
	for {
		part, err := lines.ReadSlice('\n')
		if at.length == 0 {
			sum = digestOf(part)
		}
		at.length += int64(len(part))
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			return a, nil // a line without a line end was cut off
		case err != nil:
			return nil, err
		case sum != "":
			a.entries[sum] = append(a.entries[sum], at)
		}
		at = span{offset: at.offset + at.length}
	}
}

// digestOf returns the digest of the entry that begins with line, "" if it is not an entry.
func digestOf(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte(`{"sha256":"`))
	sum, _, closed := bytes.Cut(rest, []byte{'"'})
	if !ok || !closed {
		return ""
	}
	return string(sum)
}

// find returns the entry with a digest for the message with this id, or else for a message without an id:
// the last one if there are several. The error wraps [ErrNoEntry] if there is none. Messages without a
// record may be equal after a trim: if different turns were removed from them, find returns an error.
func (a *Archive) find(sum, id string) (*entry, error) {
	var found *entry
	for _, at := range slices.Backward(a.entries[sum]) {
		line := make([]byte, at.length)
		if _, err := a.text.ReadAt(line, at.offset); err != nil {
			return nil, err
		}
		e := &entry{}
		if err := json.Unmarshal(line, e); err != nil {
			return nil, fmt.Errorf("the archive was changed: %w", jsonError(err))
		}
		if e.HandoffID != id && e.HandoffID != "" {
			continue
		}
		if found != nil && found.HandoffID == e.HandoffID && found.Removed != e.Removed {
			return nil, errors.New("the archive has entries of different messages that became equal: restore the message from its own archive")
		}
		if e.HandoffID == id && e.Removed == "" {
			return e, nil
		}
		if found == nil || found.HandoffID != id && e.HandoffID == id {
			found = e
		}
	}
	if found == nil {
		return nil, ErrNoEntry
	}
	return found, nil
}

// ErrNoEntry reports that an archive has no entry for a trim of a message.
var ErrNoEntry = errors.New("the archive has no entry for the message")

// Restore undoes every trim of a message, the last one first, in format f or in the detected format if f is
// "". In a MACP transcript it restores every context (see [history.All]). A message that was never trimmed
// is returned unchanged, unless its format has no place for a record: such a message is identified by its
// content, and the archive must have an entry for it. The error is that of [history.Of], wraps
// [ErrNoEntry], or describes how the entry and the message contradict each other.
func (a *Archive) Restore(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) ([]byte, error) {
	all, err := history.All(doc, f, limits)
	if err != nil {
		return nil, err
	}
	old := doc.Raw()
	var text []byte
	from := 0
	for _, h := range slices.Backward(all) { // in text order
		value, err := a.restore(h)
		if h != all[0] && isKnownByDigest(h) && errors.Is(err, ErrNoEntry) {
			continue // possibly never trimmed
		}
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if !h.Carrier().Exists() {
			return value, nil
		}
		at := int(h.Carrier().Position().Offset - old.Start.Offset)
		text = append(append(text, old.Bytes[from:at]...), value...)
		from = at + len(h.Carrier().Raw())
	}
	if text == nil {
		return old.Bytes, nil
	}
	return jsonstream.AppendCompact(nil, append(text, old.Bytes[from:]...)), nil
}

// restore undoes every trim of one context, and returns its new carrier; nil if it was
// never trimmed.
func (a *Archive) restore(h *history.History) (value []byte, err error) {
	seen := map[string]bool{} // records
	for {
		record, sum := recorded(h), ""
		switch {
		case isKnownByDigest(h):
			sum = contextDigest(h.Root)
		case !record.Exists():
			return value, nil
		default:
			sum = record.Get("sha256").Text()
		}
		key := sum + string(record.Raw())
		if seen[key] {
			return nil, fmt.Errorf("the trim with sha256 %s: its entry restores the same trimmed message; the archive was changed", sum)
		}
		seen[key] = true
		entry, err := a.find(sum, h.ID())
		if errors.Is(err, ErrNoEntry) && isKnownByDigest(h) {
			if value != nil {
				return value, nil // no earlier trim
			}
			return nil, fmt.Errorf("%w: the format %s has no place for a record of the trim, and no trim of the archive resulted in the sha256 %s", err, h.ContextFormat, sum)
		}
		if err != nil {
			return nil, fmt.Errorf("the trim with sha256 %s: %w", sum, err)
		}
		if isKnownByDigest(h) && entry.Format != h.Format && !h.Carrier().Exists() {
			// The format may have been recognisable only by the removed turns.
			if h, err = history.Of(h.Context(), entry.Format, jsonstream.Unlimited()); err != nil {
				return nil, fmt.Errorf("the trim with sha256 %s: %w", sum, err)
			}
		}
		text, err := entry.restore(h)
		if err != nil {
			return nil, fmt.Errorf("the trim with sha256 %s: %w", sum, err)
		}
		context, err := jsonstream.Parse(h.Context().Raw().With(text), jsonstream.Unlimited())
		if err != nil {
			return nil, err
		}
		value, h = entry.carry(h, text), h.With(context)
	}
}
