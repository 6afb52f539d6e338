package term

import (
	"cmp"
	"os"
	"strconv"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// The bounds on the width of text, in columns: on a narrower screen, the terminal breaks the lines; longer
// lines are hard to read.
const (
	MinWidth = 40
	MaxWidth = 120
)

// DefaultWidth is the width of text that is not for a screen, in columns.
const DefaultWidth = 80

// ScreenWidth returns the width for lines on a stream, in columns: the environment variable COLUMNS or the
// width of the terminal, within the bounds; 0 for other streams, whose lines are not broken.
func ScreenWidth(stream any) int {
	width := columns()
	if width == 0 {
		if !IsTerminal(stream) {
			return 0
		}
		width = DefaultWidth // for a terminal of unknown width
		if of, _, err := term.GetSize(int(stream.(interface{ Fd() uintptr }).Fd())); err == nil && of > 0 {
			width = of
		}
	}
	return min(max(width, MinWidth), MaxWidth)
}

// WidthOf returns the width for text on a stream, in columns: [ScreenWidth], or [DefaultWidth] if that is 0.
func WidthOf(stream any) int { return cmp.Or(ScreenWidth(stream), DefaultWidth) }

// columns returns the number in COLUMNS, 0 if there is none.
func columns() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n < 1 {
		return 0
	}
	return n
}
