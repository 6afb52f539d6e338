package jsonstream

import (
	"bytes"
	"errors"
	"io"
)

// blockBytes is the approximate length of a block.
const blockBytes = 512 << 10

// A LinesFile is a file of JSON Lines that must not change while it is read. Several goroutines may read it
// at once.
type LinesFile struct {
	In    io.ReaderAt
	Start Position // where the first value begins
	End   int64    // the offset after the last value
}

// Blocks cuts JSON Lines into blocks of whole lines, so that a long text need not be in memory. The
// documents of the blocks have the same values, pointers and positions as one document of the whole text,
// and parsing them in order finds the same first error. Blocks is for one goroutine.
type Blocks struct {
	r      io.Reader
	limits Limits
	at     Position // of the first byte in rest
	first  int      // the number of values before rest
	rest   []byte   // bytes read and not yet returned, from the first line that is not blank
	err    error    // of r
}

// NewBlocks returns the blocks of r, which begins at a position of the original text where a value begins.
// MaxBytes bounds a line, as in [ParseLines]; the text may have any length.
func NewBlocks(r io.Reader, at Position, limits Limits) *Blocks {
	return &Blocks{r: r, limits: limits, at: at}
}

// Next returns the next block, which has at least one line that is not blank and belongs to the caller. The
// error is [io.EOF] at the end, the reader's error, or a [*SyntaxError] for a line that is too long. All
// are final.
func (b *Blocks) Next() (Raw, error) {
	end := 0 // the end of the whole lines in rest
	for {
		b.skipBlank()
		if end = bytes.LastIndexByte(b.rest, '\n') + 1; b.err != nil {
			end = len(b.rest)
		}
		if len(b.rest) >= blockBytes && end > 0 || b.err != nil {
			break
		}
		if begin := skipSpace(b.rest, 0); end == 0 && int64(len(b.rest)-begin) > b.limits.maxBytes() {
			return Raw{}, b.fail(tooLarge(b.at.advance(b.rest[:begin]), b.limits.maxBytes()))
		}
		b.fill()
	}
	if !errors.Is(b.err, io.EOF) && b.err != nil {
		return Raw{}, b.err
	}
	if end == 0 {
		return Raw{}, io.EOF
	}
	raw := Raw{Bytes: b.rest[:end:end], Start: b.at, Lines: true, First: b.first}
	rest := append(make([]byte, 0, blockBytes+blockBytes/4), b.rest[end:]...)
	for line := range bytes.Lines(raw.Bytes) {
		if skipSpace(line, 0) < len(line) {
			b.first++
		}
	}
	b.at = b.at.advance(raw.Bytes)
	b.rest = rest
	for b.skipBlank(); b.err == nil && skipSpace(b.rest, 0) == len(b.rest); b.skipBlank() {
		b.fill()
	}
	raw.More = len(b.rest) > 0
	return raw, nil
}

// skipBlank skips blank lines, and white space without a line end, at the beginning of rest.
func (b *Blocks) skipBlank() {
	begin := skipSpace(b.rest, 0)
	if begin < len(b.rest) || b.err == nil && begin < blockBytes {
		begin = bytes.LastIndexByte(b.rest[:begin], '\n') + 1
	}
	b.at = b.at.advance(b.rest[:begin])
	b.rest = b.rest[begin:]
}

// fail ends the blocks.
func (b *Blocks) fail(err error) error {
	b.rest, b.err = nil, err
	return err
}

// fill reads more input.
func (b *Blocks) fill() {
	if len(b.rest) == cap(b.rest) {
		b.rest = append(make([]byte, 0, max(2*len(b.rest), blockBytes+blockBytes/4)), b.rest...)
	}
	n, err := b.r.Read(b.rest[len(b.rest):cap(b.rest)])
	b.rest, b.err = b.rest[:len(b.rest)+n], err
}
