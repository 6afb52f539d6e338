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

// besideBody is how much a line may have beside the body, in bytes: also the bound of the
// first one.
const besideBody = 64 << 10

// lineLimit returns how long a line may be, in bytes, when a body may have maxBytes.
func lineLimit(maxBytes int64) int64 {
	const most = 1 << 40 // no overflow for hostile numbers
	maxBytes = min(max(maxBytes, transport.DefaultMaxBytes), most)
	return (maxBytes+2)/3*4 + besideBody // base64 writes three bytes as four
}

// errCut says that the last line has no end: who wrote it has ended.
var errCut = errors.New("the last line has no end")

// readLine returns the next line without its end. The error is [io.EOF] at the end, errCut if
// the last line has no line feed, and says so when the line is longer than limit.
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

// maxQuoted is how much of a line that is wrong is shown, in bytes.
const maxQuoted = 80

// quote shows a text that is wrong: its beginning, without control characters.
func quote[T string | []byte](text T) string {
	quoted := strconv.QuoteToASCII(string(text[:min(len(text), maxQuoted)]))
	if len(text) > maxQuoted {
		quoted += "…"
	}
	return quoted
}

// cut shortens a text to some bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// A lineWriter writes lines from several goroutines, whole and in turn, as many at once as are
// there.
type lineWriter struct {
	lines chan []byte
	done  chan struct{} // closed when nothing is written any more
	err   error         // why, once done is closed
}

// newLineWriter starts writing, until end is closed, and then what is left.
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
