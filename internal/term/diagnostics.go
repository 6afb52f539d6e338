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

// A Hint is an error with advice on the next line.
type Hint struct {
	Err    error
	Advice string
}

// WithHint returns err with advice on the next line.
func WithHint(err error, advice string) error { return Hint{err, advice} }

func (h Hint) Error() string { return h.Err.Error() }

func (h Hint) Unwrap() error { return h.Err }

// PrintError prints an error, which may contain names with any characters, with the flags that help. Joined
// errors are printed on a line each.
func PrintError(stderr io.Writer, err error) {
	for _, line := range errorLines(err) {
		fmt.Fprintf(stderr, "handoff: %s\n", oneLine(line))
	}
}

// maxLine is the maximum length of a line of a diagnostic, in bytes: quoted text may be as long as a message.
const maxLine = 32 << 10

// oneLine returns the beginning of a line, with a mark if it was cut.
func oneLine(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + fmt.Sprintf("… (%d bytes more)", len(line)-maxLine)
}

// errorLines returns the lines of an error as visible text: one for each joined error, with the common prefix
// and its remedy. A line feed in the text of an error does not end a line.
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

// Warn prints a warning about a run that continues.
func Warn(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "handoff: warning: %s\n", oneLine(Visible(text)))
}

// Note prints a note about a run that works as requested.
func Note(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "handoff: note: %s\n", oneLine(Visible(text)))
}

// PlainError removes the operation and the paths from a file error; every message has the path before it.
func PlainError(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
