package report

import (
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/term"
)

// An excerpt is the line around the place of a finding. The zero value is none.
type excerpt struct {
	line         string
	caret, width int // in columns: the start and width of the marked part
}

// gutter returns the prefix of an excerpt or of the marks below it.
func gutter(number string) string { return "    " + number + " │ " }

// TakeExcerpts stores the lines around the findings for a report of the given width.
func (r *Record) TakeExcerpts(columns int) {
	r.excerpts = make([]excerpt, len(r.Findings))
	for i, f := range r.Findings {
		at := f.Offset - r.Raw.Start.Offset
		if f.Line == 0 || at < 0 || at > int64(len(r.Raw.Bytes)) {
			continue // not in text, or in another document
		}
		e := &r.excerpts[i]
		if i > 0 && r.Findings[i-1].Position() == f.Position() {
			*e = r.excerpts[i-1]
			continue
		}
		e.line, e.caret, e.width = term.Excerpt(r.Raw.Bytes, int(at), columns-term.Width(gutter(strconv.Itoa(f.Line))))
	}
}

// text returns the excerpt with its line number, and the marks below it.
func (e excerpt) text(line int, colors term.Palette) string {
	if e.line == "" {
		return ""
	}
	number := strconv.Itoa(line)
	below := term.Spaces(len(number))
	return colors.Dim(gutter(number)) + e.line + "\n" + colors.Dim(gutter(below)) + term.Spaces(e.caret) + colors.Red("^"+strings.Repeat("~", e.width-1)) + "\n"
}
