// Package difftext formats the differences of documents for people.
package difftext

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options select the form of differences. The zero value shows each with its value, shortened.
type Options struct {
	Stat       bool          // only a line per member
	SideBySide bool          // only with at least besideFrom columns
	Full       bool          // do not fold or cut
	Format     format.Format // of the messages; "" to detect it
}

// Write writes the differences between a and b within the columns, below heading if it is not "". It writes
// nothing if e is nil.
func Write(w io.Writer, columns int, colors term.Palette, o Options, heading string, a, b *jsonstream.Document, e *diff.Edit) error {
	return newPrinter(w, columns, colors, o).show(heading, a, b, e)
}

// A printer prints differences.
type printer struct {
	term.Palette
	Options
	out     *bufio.Writer // sticky: keeps the first error
	columns int
	turns   []string // the members that are lists of turns
}

func newPrinter(w io.Writer, columns int, colors term.Palette, o Options) *printer {
	o.SideBySide = o.SideBySide && columns >= besideFrom
	return &printer{Palette: colors, Options: o, out: bufio.NewWriter(w), columns: max(columns, term.MinWidth)}
}

// The columns of markers, of pointers, and of the values below them.
const (
	markIndent  = 2
	placeIndent = 4
	valueIndent = 6
)

// maxLines is the maximum number of lines of a word diff.
const maxLines = 12

// show prints the differences between a and b, below heading if it is not "". It prints nothing if e is nil.
func (t *printer) show(heading string, a, b *jsonstream.Document, e *diff.Edit) error {
	if e == nil {
		return nil
	}
	if heading != "" {
		t.line(t.Bold(term.Visible(heading)))
	}
	if text := t.meaning(diff.MeaningOf(a, b, e, t.Format)); text != "" {
		t.line(text)
		t.line()
	}
	f := t.Format
	if f == "" {
		f, _ = formats.Detect(b.Root())
	}
	t.turns = history.ListNames(f)
	if t.Stat {
		t.statistics(e)
	} else {
		for _, g := range topLevel(e) {
			t.group(g)
		}
	}
	if heading != "" {
		t.line()
	}
	return t.out.Flush()
}

// meaning formats the changes of a message as phrases. Losses are red.
func (t *printer) meaning(changes []format.Change) string {
	var phrases []string
	noun := "" // of the last phrase; only the first of several has it
	for _, c := range changes {
		text := strings.Replace(c.Text, "%", signed(c.By), 1)
		switch {
		case c.Is != nil:
			text = names(c.Is) + " (was " + names(c.Was) + ")"
		case c.Noun != "" && c.Noun == noun:
			text = term.Grouped(int64(c.Count)) + " " + c.Became
		case c.Noun != "":
			text = term.Plural(c.Count, c.Noun) + " " + c.Became
		}
		if noun = c.Noun; c.Loss {
			text = t.Red(text)
		}
		phrases = append(phrases, text)
	}
	return strings.Join(phrases, ", ")
}

// names formats a name, or the names of the sender and the receiver of a message.
func names(list []string) string {
	if len(list) == 1 {
		return term.Clip(list[0], maxNameColumns)
	}
	var all []string
	for _, name := range list {
		all = append(all, agentName(name))
	}
	return strings.Join(all, " → ")
}

// agentName formats a name so that it cannot be confused with the text around it.
func agentName(s string) string {
	if strings.ContainsAny(s, ", ()→") {
		s = strconv.Quote(s)
	}
	return cmp.Or(term.Clip(s, maxNameColumns), "?")
}

// signed formats a decimal number with its sign, and with commas between thousands.
func signed(number string) string {
	sign := "+"
	if rest, ok := strings.CutPrefix(number, "-"); ok {
		sign, number = "−", rest
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = term.Grouped(n)
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + term.Clip(whole, maxNameColumns)
}

func (t *printer) line(parts ...string) {
	for _, p := range parts {
		t.out.WriteString(p)
	}
	t.out.WriteByte('\n')
}

// note formats a note after a name or pointer.
func (t *printer) note(s string) string {
	if s == "" {
		return ""
	}
	return "  " + t.Dim(s)
}

// group prints the edits of one member, or of a document without members.
func (t *printer) group(e *diff.Edit) {
	name := t.Bold(t.memberName(e))
	switch {
	case e.Inside != nil:
		t.line(name, t.note("contains JSON: "+countsText(countEdits(e))))
		t.inside(e, t.pointerOf(e.New))
	case e.Kind == diff.Changed && e.Edits != nil:
		t.line(name, t.note(countsText(countEdits(e))))
		t.edit(e, "")
	case e.Kind == diff.Changed:
		t.line(name, t.note(sameInside(e)))
		t.values(e, markIndent)
	default:
		t.line(name)
		t.oneSided(e, "")
	}
}

// memberName returns the name of an edit's member.
func (t *printer) memberName(e *diff.Edit) string {
	v := present(e)
	switch {
	case !v.Parent().Exists():
		return wholeDocument
	case v.Name() == "":
		return `""`
	default:
		return t.clip(v.Name())
	}
}

// clip shortens a name.
func (t *printer) clip(name string) string {
	if t.Full {
		return term.Visible(name)
	}
	return term.Clip(name, maxNameColumns)
}

// present returns the old or the new value of an edit, whichever exists.
func present(e *diff.Edit) jsonstream.Value {
	if e.Kind == diff.Removed {
		return e.Old
	}
	return e.New
}

// wholeDocument is the text for the pointer "".
const wholeDocument = "(document)"

// The maximum lengths of names and pointers, in columns and bytes.
const (
	maxNameColumns  = 40
	maxPlaceColumns = 1024
)

// pointerOf returns the pointer of a value, cut at its beginning if it is too long.
func (t *printer) pointerOf(v jsonstream.Value) string {
	switch {
	case !v.Parent().Exists():
		return wholeDocument
	case t.Full || v.PointerSize() <= maxPlaceColumns:
		return term.Visible(v.Pointer())
	case v.Parent().Kind() == jsonstream.Array:
		return "…/" + strconv.Itoa(v.Index())
	default:
		return "…/" + term.Clip(v.Name(), maxNameColumns)
	}
}

// edit prints an edit and its parts. prefix is the beginning of their pointers.
func (t *printer) edit(e *diff.Edit, prefix string) {
	if e.Kind != diff.Changed || e.Edits == nil {
		t.leaf(e, prefix+t.pointerOf(present(e)))
	}
	for _, inner := range e.Edits {
		t.edit(inner, prefix)
	}
	if prefix == "" {
		t.unchanged(e)
	}
}

// leaf prints an edit without parts.
func (t *printer) leaf(e *diff.Edit, at string) {
	switch {
	case e.Kind == diff.Moved:
		t.line(term.Spaces(markIndent), t.Cyan("~ "+at), " moved from ", t.pointerOf(e.Old))
	case e.Kind != diff.Changed:
		t.oneSided(e, at)
	case e.Inside != nil:
		t.line(term.Spaces(placeIndent), t.Cyan(at), t.note("contains JSON: "+countsText(countEdits(e))))
		t.inside(e, at)
	default:
		t.line(term.Spaces(placeIndent), t.Cyan(at), t.note(sameInside(e)))
		t.values(e, valueIndent)
	}
}

// sameInside returns the note for strings with equal JSON documents in them.
func sameInside(e *diff.Edit) string {
	if e.SameInside {
		return "the same JSON, written differently"
	}
	return ""
}

// inside prints the differences of the documents in two strings.
func (t *printer) inside(e *diff.Edit, at string) {
	for _, inner := range topLevel(e.Inside) {
		t.edit(inner, at+" » ")
	}
}

// topLevel returns the edits of a document's members, or the edit of a document without members.
func topLevel(e *diff.Edit) []*diff.Edit {
	if e.Kind == diff.Changed && e.Edits != nil && e.New.Kind() == jsonstream.Object {
		return e.Edits
	}
	return []*diff.Edit{e}
}

// unchanged prints the number of unchanged elements after the edits of an array.
func (t *printer) unchanged(e *diff.Edit) {
	if parent := e.New.Parent(); e.Edits == nil || e.New.Kind() != jsonstream.Array || parent.Kind() == jsonstream.Array || parent.Parent().Exists() {
		return
	}
	n := e.New.Len()
	for _, inner := range e.Edits {
		if inner.Kind != diff.Removed {
			n--
		}
	}
	noun := "element"
	if slices.Contains(t.turns, e.New.Name()) {
		noun = "turn"
	}
	if n > 0 {
		t.line(term.Spaces(markIndent), t.Dim("… "+term.Plural(n, noun)+" unchanged"))
	}
}

// oneSided prints an added or removed value, next to its pointer if it fits.
func (t *printer) oneSided(e *diff.Edit, at string) {
	mark, paint := t.Green("+"), t.Green
	if e.Kind == diff.Removed {
		mark, paint = t.Red("-"), t.Red
	}
	text := t.summary(present(e))
	room := t.columns - placeIndent
	if at != "" {
		room -= term.Width(at) + 2
		at = t.Cyan(at) + "  "
	}
	below := t.columns - valueIndent
	if fits(text, room) || room >= t.columns/2 && !fits(text, below) {
		t.line(term.Spaces(markIndent), mark, " ", at, t.cut(text, room, paint))
		return
	}
	t.line(term.Spaces(markIndent), mark, " ", strings.TrimRight(at, " "))
	t.line(term.Spaces(valueIndent), t.cut(text, below, paint))
}

// summary returns the beginning of a value without a counterpart; for a turn, its speaker and text.
func (t *printer) summary(v jsonstream.Value) string {
	list := v.Parent()
	if list.Parent().Parent().Exists() || !slices.Contains(t.turns, list.Name()) {
		return written(v)
	}
	turn := conversation.Turn{Value: v}
	said := strings.Join(strings.Fields(turn.Text()), " ")
	by := cmp.Or(turn.Item().Get("role").Text(), turn.Item().Get("type").Text())
	if said == "" || by == "" {
		return written(v)
	}
	return by + ": " + said
}
