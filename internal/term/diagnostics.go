package term

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/eaapl/handoff/internal/remedy"
)

// A Hint is an error with advice for the next line.
type Hint struct {
	Err    error
	Advice string
}

// WithHint returns err with advice for the next line.
func WithHint(err error, advice string) error { return Hint{err, advice} }

func (h Hint) Error() string { return h.Err.Error() }

func (h Hint) Unwrap() error { return h.Err }

// PrintError prints an error, which may name files and words of any characters, and which
// flags help: a line for each of those that were joined.
func PrintError(stderr io.Writer, err error) {
	for _, line := range errorLines(err) {
		fmt.Fprintf(stderr, "handoff: %s\n", oneLine(line))
	}
}

// maxLine is how long a line of a diagnosis may be, in bytes: what it quotes may be as long as a
// message.
const maxLine = 32 << 10

// oneLine returns the beginning of a line, with a mark where it was cut.
func oneLine(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + fmt.Sprintf("… (%d bytes more)", len(line)-maxLine)
}

// errorLines returns the text of an error, visible: a line for each of those that were
// joined, with what was put before all of them, and its remedy. A line feed in the text of one error is
// never the end of a line.
func errorLines(err error) []string {
	text := err.Error()
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		var lines, texts []string
		for _, one := range e.Unwrap() {
			lines = append(lines, errorLines(one)...)
			texts = append(texts, one.Error())
		}
		if strings.Join(texts, "\n") == text {
			return lines
		}
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		if inner == nil {
			break
		}
		if before, ok := strings.CutSuffix(text, inner.Error()); ok {
			lines := errorLines(inner)
			for i, line := range lines {
				lines[i] = Visible(before) + line
			}
			return lines
		}
	}
	return []string{Visible(text + remedy.Of(err))}
}

// Warn prints what a user should know of a run that continues.
func Warn(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "handoff: warning: %s\n", oneLine(Visible(text)))
}

// Note prints what a user may want to know of a run that did as it was told.
func Note(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "handoff: note: %s\n", oneLine(Visible(text)))
}

// PlainError takes the operation and the paths off a file error; every message has the
// path before it.
func PlainError(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
