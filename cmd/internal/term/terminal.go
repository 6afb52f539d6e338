package term

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// The bounds of the width that text is laid out for, in columns: on a narrower screen, the terminal
// breaks the lines; longer ones are hard to read.
const (
	MinWidth = 40
	MaxWidth = 120
)

// DefaultWidth is the width of what is laid out, but not for a screen, in columns.
const DefaultWidth = 80

// IsScreen reports whether lines that go to a stream are to be broken where a screen ends: it is a
// terminal, or the environment variable COLUMNS says how wide.
func IsScreen(stream any) bool { return columns() > 0 || IsTerminal(stream) }

// WidthOf returns how wide text is laid out that goes to a stream, in columns: as COLUMNS says, or as
// the terminal is, within the bounds; [DefaultWidth] for other streams.
func WidthOf(stream any) int {
	width := columns()
	if f, ok := stream.(*os.File); width == 0 && ok {
		if of, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = of
		}
	}
	if width <= 0 {
		return DefaultWidth
	}
	return min(max(width, MinWidth), MaxWidth)
}

// columns is the number in COLUMNS, 0 if there is none.
func columns() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n < 1 {
		return 0
	}
	return n
}
