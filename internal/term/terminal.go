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

// The bounds of the width that text is laid out for, in columns: on a narrower screen, the terminal
// breaks the lines; longer ones are hard to read.
const (
	MinWidth = 40
	MaxWidth = 120
)

// DefaultWidth is the width of what is laid out, but not for a screen, in columns.
const DefaultWidth = 80

// ScreenWidth returns where the lines that go to a stream are to be broken, in columns: as the
// environment variable COLUMNS says, or as the terminal is, within the bounds; 0 for other streams,
// where lines are not broken.
func ScreenWidth(stream any) int {
	width := columns()
	if width == 0 {
		if !IsTerminal(stream) {
			return 0
		}
		width = DefaultWidth // of a terminal that does not say
		if of, _, err := term.GetSize(int(stream.(interface{ Fd() uintptr }).Fd())); err == nil && of > 0 {
			width = of
		}
	}
	return min(max(width, MinWidth), MaxWidth)
}

// WidthOf returns how wide text is laid out that goes to a stream, in columns: [ScreenWidth], and
// [DefaultWidth] where that is none.
func WidthOf(stream any) int { return cmp.Or(ScreenWidth(stream), DefaultWidth) }

// columns is the number in COLUMNS, 0 if there is none.
func columns() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n < 1 {
		return 0
	}
	return n
}
