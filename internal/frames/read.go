package frames

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A NotFoundError reports a message that is not in the index.
type NotFoundError struct{ what string }

func (e *NotFoundError) Error() string { return "has no message " + e.what }

// NotFound returns the error for a missing message: one of a number, of n messages, or, if number is 0, one
// with an id.
func NotFound(number, n int, id string) *NotFoundError {
	if number > 0 {
		return &NotFoundError{fmt.Sprintf("%d: it has %d", number, n)}
	}
	return &NotFoundError{fmt.Sprintf("with the handoffId %q", id)}
}

// ByNumber returns the entry of message number, from 1. The error is a [*NotFoundError], or reports
// an invalid line.
func ByNumber(index io.Reader, number int, limits jsonstream.Limits) (Entry, error) {
	lines := 0
	for e, err := range entries(index, limits) {
		if err != nil || e.Index == number-1 {
			return e, err
		}
		lines++
	}
	return Entry{}, NotFound(number, lines, "")
}

// ByID returns the entries of the messages with an id, in their order. Its errors are as for
// [ByNumber].
func ByID(index io.Reader, id string, limits jsonstream.Limits) ([]Entry, error) {
	var found []Entry
	for e, err := range entries(index, limits) {
		if err != nil {
			return nil, err
		}
		if e.HandoffID == id {
			found = append(found, e)
		}
	}
	if found == nil {
		return nil, NotFound(0, 0, id)
	}
	return found, nil
}

// entries yields the lines of an index and, last, any error. An index has at least one line.
func entries(index io.Reader, limits jsonstream.Limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := jsonstream.NewSplitter(index, limits)
		for n := 0; ; n++ {
			raw, err := lines.Next()
			switch {
			case err == io.EOF && n > 0:
				return
			case err == io.EOF:
				raw, err = jsonstream.NewRaw(nil), nil
			}
			e := Entry{Index: -1, Offset: -1}
			if err == nil {
				err = json.Unmarshal(raw.Bytes, &e)
			}
			if err == nil && (e.Index != n || e.Offset < 0 || e.Length <= 0 || e.ContentLength <= 0) {
				err = errors.New("not a line of an index")
			}
			if err != nil {
				err = fmt.Errorf("line %d: %w", raw.Start.Line, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Read yields the content of the frame of each line, a message and a line feed; lines are in the
// order of the index. It seeks if data can, and reads only these frames. Any error is yielded last:
// the data does not match the index, cannot be read, or has a message longer than limits allow
// ([jsonstream.ErrTooLarge]).
func Read(data io.Reader, lines []Entry, o compress.ReaderOptions, limits jsonstream.Limits) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		at := int64(0)
		for _, e := range lines {
			text, err := []byte(nil), skip(data, e.Offset-at)
			if err == nil {
				text, err = e.read(data, o, limits)
			}
			if !yield(text, err) || err != nil {
				return
			}
			at = e.Offset + e.Length
		}
	}
}

// read returns the content of the frame at the start of data, if it matches the entry.
func (e Entry) read(data io.Reader, o compress.ReaderOptions, limits jsonstream.Limits) ([]byte, error) {
	frame := compress.NewReader(io.LimitReader(data, e.Length), o)
	defer frame.Close() // read only: the error can be ignored
	longest := cmp.Or(limits.MaxBytes, jsonstream.DefaultMaxBytes)
	text, err := io.ReadAll(io.LimitReader(frame, longest+1))
	switch {
	case errors.Is(err, compress.ErrCorrupt):
		return nil, notIndexed(err)
	case err != nil:
		return nil, err
	case int64(len(text)) > longest:
		return nil, tooLong(longest)
	case frame.Codec() == compress.None, int64(len(text)) != e.ContentLength:
		return nil, notIndexed(errors.New("its place contains something else"))
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return nil, notIndexed(err)
	}
	if !history.HasID(doc.Root(), e.HandoffID) {
		return nil, notIndexed(fmt.Errorf("the message at its place is %q", history.ID(doc.Root(), "")))
	}
	return text, nil
}

func notIndexed(err error) error {
	return fmt.Errorf("the index does not belong to this data: %w", err)
}

// tooLong is the error for content of more than that many bytes.
type tooLong int64

func (max tooLong) Error() string { return fmt.Sprintf("longer than %d bytes", int64(max)) }

func (tooLong) Unwrap() error { return jsonstream.ErrTooLarge }

// skip skips n bytes of data.
func skip(data io.Reader, n int64) error {
	if n < 0 {
		return notIndexed(errors.New("its places are not in order"))
	}
	if file, ok := data.(io.Seeker); ok {
		if _, err := file.Seek(n, io.SeekCurrent); err == nil {
			return nil
		}
	}
	_, err := io.CopyN(io.Discard, data, n) // not seekable, such as a pipe
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = notIndexed(err)
	}
	return err
}
