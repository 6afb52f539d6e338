package report

import (
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/term"
)

// An excerpt is the line around the place of a finding; the zero value is none.
type excerpt struct {
	line         string
	caret, width int // in columns: where the place begins in the line, and how much of it is marked
}

// gutter is what is before an excerpt, or the marks below it.
func gutter(number string) string { return "    " + number + " │ " }

// TakeExcerpts keeps, for a report that is as wide as this, the lines around the findings.
func (r *Record) TakeExcerpts(columns int) {
	r.excerpts = make([]excerpt, len(r.Findings))
	for i, f := range r.Findings {
		at := f.Offset - r.Raw.Start.Offset
		if f.Line == 0 || at < 0 || at > int64(len(r.Raw.Bytes)) {
			continue // in what is not text, or in another document
		}
		e := &r.excerpts[i]
		if i > 0 && r.Findings[i-1].Position() == f.Position() {
			*e = r.excerpts[i-1]
			continue
		}
		e.line, e.caret, e.width = term.Excerpt(r.Raw.Bytes, int(at), columns-term.Width(gutter(strconv.Itoa(f.Line))))
	}
}

// text is the excerpt with the number of its line, and the marks below it.
func (e excerpt) text(line int, colors term.Palette) string {
	if e.line == "" {
		return ""
	}
	number := strconv.Itoa(line)
	below := term.Spaces(len(number))
	return colors.Dim(gutter(number)) + e.line + "\n" + colors.Dim(gutter(below)) + term.Spaces(e.caret) + colors.Red("^"+strings.Repeat("~", e.width-1)) + "\n"
}
