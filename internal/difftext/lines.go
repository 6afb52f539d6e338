package difftext

import (
	"math"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A laidLine is a painted line and its width in columns.
type laidLine struct {
	text    string
	columns int
}

// A flow breaks pieces into lines. Each line is painted separately.
type flow struct {
	term.Palette
	columns int
	lines   []laidLine
	line    strings.Builder
	used    int     // width of the line, in columns
	open    piece   // the end of the line, not painted yet
	glued   []piece // the parts that follow without spaces, which stay together
}

// layout returns the pieces as lines of at most columns and, if there are too many lines, the number of
// changes left out.
func (t *printer) layout(pieces []piece, columns int) (lines []laidLine, missing int) {
	maxShown := maxLines
	if t.Full {
		maxShown = math.MaxInt
	}
	f := flow{Palette: t.Palette, columns: columns}
	for _, p := range pieces {
		switch {
		case len(f.lines) < maxShown:
			f.piece(p)
		case p.sort == removedText || p.sort == addedText:
			missing++
		}
	}
	f.unglue()
	f.end()
	return f.lines, missing
}

// piece appends a piece in units of a word and the white space after it.
func (f *flow) piece(p piece) {
	if p.sort == noteText {
		f.unglue()
		if f.used > 0 && !strings.HasSuffix(f.open.text, " ") {
			f.append(" ", keptText)
		}
		f.unit(p.text+" ", noteText)
		return
	}
	unit, rest := "", p.text
	for mark := p.before; rest != "" || mark != ""; mark = "" {
		end := len(rest)
		if space := strings.IndexFunc(rest, unicode.IsSpace); space >= 0 {
			end -= len(strings.TrimLeftFunc(rest[space:], unicode.IsSpace))
		}
		unit, rest = mark+rest[:end], rest[end:]
		if rest == "" {
			unit += p.after
		}
		f.glued = append(f.glued, piece{text: unit, sort: p.sort})
		if unit != strings.TrimRightFunc(unit, unicode.IsSpace) || len(f.glued) == maxGlued {
			f.unglue()
		}
	}
}

// maxGlued is the maximum number of parts to keep together: in a text without spaces, every other character
// may have changed.
const maxGlued = 8

// unglue adds the parts that stay together, on the next line if they fit only there.
func (f *flow) unglue() {
	all := ""
	for _, p := range f.glued {
		all += term.Visible(strings.TrimRightFunc(p.text, unicode.IsSpace))
	}
	if len(f.glued) > 1 && !fits(all, f.columns-f.used) && fits(all, f.columns) {
		f.end()
	}
	for _, p := range f.glued {
		f.unit(p.text, p.sort)
	}
	f.glued = f.glued[:0]
}

// unit appends a unit, which is broken only if it does not fit a line. Line breaks in unchanged text are
// kept.
func (f *flow) unit(s string, sort pieceSort) {
	breaks := strings.Contains(s, "\n")
	if breaks && sort == keptText {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	s = term.Visible(s)
	text := strings.TrimRight(s, " ")
	if text == "" && f.used == 0 && sort == keptText {
		return
	}
	for rest := text; ; {
		head, whole := term.Cut(rest, f.columns-f.used)
		if whole {
			f.append(rest+s[len(text):], sort)
			break
		}
		if f.used == 0 || !fits(rest, f.columns) {
			f.append(head, sort)
			rest = rest[len(head):]
		}
		f.end()
	}
	if breaks {
		f.end()
	}
}

func (f *flow) append(s string, sort pieceSort) {
	if sort != f.open.sort {
		f.paint()
	}
	f.open.text, f.open.sort = f.open.text+s, sort
	f.used += term.Width(s)
}

// paint paints the end of the line, which has a single style.
func (f *flow) paint() {
	if f.open.text != "" {
		f.line.WriteString(styleOf(f.Palette, f.open.sort)(f.open.text))
	}
	f.open.text = ""
}

func styleOf(p term.Palette, sort pieceSort) func(...any) string {
	switch sort {
	case goneText:
		return p.Red
	case removedText:
		return p.Struck
	case addedText:
		return p.Green
	case noteText:
		return p.Dim
	default:
		return func(s ...any) string { return s[0].(string) }
	}
}

func (f *flow) end() {
	text := strings.TrimRight(f.open.text, " ")
	f.used -= len(f.open.text) - len(text)
	f.open.text = text
	f.paint()
	if f.line.Len() > 0 {
		f.lines = append(f.lines, laidLine{f.line.String(), f.used})
	}
	f.line.Reset()
	f.used = 0
}

// written returns a value as compact JSON. Strings have only the escapes that they need.
func written(v jsonstream.Value) string {
	switch v.Kind() {
	case jsonstream.String:
		return `"` + strings.ReplaceAll(v.Text(), `\`, `\\`) + `"`
	case jsonstream.Object, jsonstream.Array:
		return string(jsonstream.AppendCompact(nil, v.Raw()))
	default:
		return string(v.Raw())
	}
}

// apart returns two texts as they are or, if they look the same, with escapes that distinguish them.
func apart(old, new string) (string, string) {
	if old == new || term.Looks(old) != term.Looks(new) {
		return old, new
	}
	foreign := func(r rune) bool { return r > unicode.MaxASCII }
	return term.Escape(old, foreign), term.Escape(new, foreign)
}

// fits reports whether a text fits the columns.
func fits(text string, columns int) bool {
	_, whole := term.Cut(text, columns)
	return whole
}

// cut paints a text cut to the columns, with its size if it was cut.
func (t *printer) cut(text string, columns int, paint func(...any) string) string {
	if t.Full {
		return paint(term.Visible(text))
	}
	head, whole := term.Cut(text, columns)
	if whole {
		return paint(head)
	}
	size := "… " + term.Plural(len(text), "byte")
	head, _ = term.Cut(text, columns-term.Width(size)-1)
	return paint(head) + " " + t.Dim(size)
}

// values prints an old and a new value: short ones on a line each, long ones of the same kind as one text
// with the changed words marked.
func (t *printer) values(e *diff.Edit, indent int) {
	old, new := apart(written(e.Old), written(e.New))
	alike := e.Old.Kind() == e.New.Kind()
	room := t.columns - indent - 2
	switch {
	case t.SideBySide:
		t.beside(old, new, alike)
	case alike && !(fits(old, room) && fits(new, room)):
		lines, missing := t.layout(t.pieces(diff.Words(old, new), true, true), t.columns-indent)
		for _, l := range lines {
			t.line(term.Spaces(indent), l.text)
		}
		t.missing(missing, indent)
	default:
		t.line(term.Spaces(indent), t.Red("- "), t.cut(old, room, t.Red))
		t.line(term.Spaces(indent), t.Green("+ "), t.cut(new, room, t.Green))
	}
}

// missing prints the number of changes of a text that are not shown.
func (t *printer) missing(n, indent int) {
	if n > 0 {
		t.line(term.Spaces(indent), t.Dim("… and "+term.Plural(n, "change")+" more"))
	}
}

// besideFrom is the minimum width for a side-by-side view.
const besideFrom = 100

// beside prints an old and a new value in two columns. In long similar values, the changed words are marked.
func (t *printer) beside(old, new string, alike bool) {
	half := (t.columns - valueIndent - term.Width(" │ ")) / 2
	fit := fits(old, half) && fits(new, half)
	if fit { // on a line each, regardless of their kinds
		old, new = term.Visible(old), term.Visible(new)
	}
	left := t.fold(piece{text: old, sort: goneText}, changedHead, changedTail)
	right := t.fold(piece{text: new, sort: addedText}, changedHead, changedTail)
	if alike && !fit {
		runs := diff.Words(old, new)
		left, right = t.pieces(runs, true, false), t.pieces(runs, false, true)
	}
	before, missing := t.layout(left, half)
	then, more := t.layout(right, half)
	for i := range max(len(before), len(then)) {
		var l, r laidLine
		if i < len(before) {
			l = before[i]
		}
		if i < len(then) {
			r = then[i]
		}
		t.line(strings.TrimRight(term.Spaces(valueIndent)+l.text+term.Spaces(half-l.columns)+" "+t.Dim("│")+" "+r.text, " "))
	}
	t.missing(max(missing, more), valueIndent)
}
