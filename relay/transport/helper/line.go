package helper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/relay/transport"
)

// besideBody is the maximum number of bytes of a line in addition to the body. It is also the limit
// of the first line.
const besideBody = 64 << 10

// lineLimit returns the maximum length of a line in bytes for bodies of up to maxBytes.
func lineLimit(maxBytes int64) int64 {
	const most = 1 << 40 // no overflow for hostile numbers
	maxBytes = min(max(maxBytes, transport.DefaultMaxBytes), most)
	return (maxBytes+2)/3*4 + besideBody // base64 encodes three bytes as four
}

// errCut reports an unterminated last line: its writer has ended.
var errCut = errors.New("the last line is incomplete")

// readLine returns the next line without its line feed. The error is [io.EOF] at the end, errCut for
// an unterminated last line, and another error if the line is longer than limit.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if int64(len(line)+len(part)) > limit+1 {
			line = append(line, part[:min(len(part), maxQuoted)]...)
			return nil, fmt.Errorf("a line of more than %d bytes: %s", limit, quote(line))
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case err == io.EOF && len(line) > 0:
			return nil, errCut
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// maxQuoted is the maximum number of bytes quoted from an invalid line.
const maxQuoted = 80

// quote returns the beginning of an invalid text, without control characters.
func quote[T string | []byte](text T) string {
	quoted := strconv.QuoteToASCII(string(text[:min(len(text), maxQuoted)]))
	if len(text) > maxQuoted {
		quoted += "…"
	}
	return quoted
}

// cut shortens a text to the given number of bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// A lineWriter writes lines from several goroutines, whole and in order, with one write for all
// pending lines.
type lineWriter struct {
	lines chan []byte
	done  chan struct{} // closed when writing has ended
	err   error         // the reason, once done is closed
}

// newLineWriter starts writing. When end is closed, it writes the pending lines and stops.
func newLineWriter(w io.Writer, end <-chan struct{}) *lineWriter {
	l := &lineWriter{lines: make(chan []byte, 64), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		b := bufio.NewWriterSize(w, 64<<10)
		for l.err == nil {
			select {
			case line := <-l.lines:
				l.err = l.write(b, line)
			case <-end:
				for l.err == nil && len(l.lines) > 0 {
					l.err = l.write(b, <-l.lines)
				}
				return
			}
		}
	}()
	return l
}

func (l *lineWriter) write(b *bufio.Writer, line []byte) error {
	_, err := b.Write(append(line, '\n'))
	if err == nil && len(l.lines) == 0 {
		err = b.Flush()
	}
	return err
}
