package look

import (
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// A countTable prints a row for each message as soon as it is counted: the widths of the columns do not
// depend on their contents.
type countTable struct {
	w io.Writer
	term.Palette
	columns int
	window  bool // with a column for the share of the context window
	started bool

	tokenizer string
	messages  int
	tokens    int64
	repeated  int64 // tokens of repeated content
	over      int   // messages that exceed the window
	largest   countRecord
}

// newCountTable returns the listing of counts for people.
func newCountTable(out *cli.Facts, window int) *cli.Listing[countRecord] {
	t := &countTable{w: out, Palette: out.Palette, columns: out.Width, window: window > 0}
	return &cli.Listing[countRecord]{
		Add:    t.add,
		Alone:  func(r countRecord) error { return r.WriteText(out, out.Width, out.Palette) },
		Row:    t.row,
		Totals: t.totals,
	}
}

func (t *countTable) add(r countRecord) {
	t.tokenizer = r.Tokenizer
	t.messages++
	t.tokens += int64(r.Total)
	for _, d := range r.Duplicates {
		t.repeated += int64(d.Tokens)
	}
	if r.Share > 1 {
		t.over++
	}
	if t.messages == 1 || r.Total > t.largest.Total {
		t.largest = countRecord{Source: r.Source, Index: r.Index, Total: r.Total}
	}
}

// The widths of the columns of figures, and the widths below which some are left out.
const (
	countedColumns = 9 // tokens, with commas
	shareColumns   = 7
	turnColumns    = 6
	largestColumns = 27 // with the share
	countsLargest  = 66
	countsTurns    = 50
)

// line prints the cells of a row that fit.
func (t *countTable) line(source, index, tokens, share, turns, largest string) error {
	cells := []string{term.Right(index, cli.IndexColumns), term.Right(tokens, countedColumns)}
	if t.window {
		cells = append(cells, term.Right(share, shareColumns))
	}
	if t.columns >= countsTurns {
		cells = append(cells, term.Right(turns, turnColumns))
	}
	if t.columns >= countsLargest {
		cells = append(cells, " "+term.Left(largest, largestColumns))
	}
	rest := " " + strings.Join(cells, " ")
	room := t.columns - term.Width(rest)
	_, err := fmt.Fprintln(t.w, strings.TrimRight(term.Left(term.Tail(source, room), room)+rest, " "))
	return err
}

func (t *countTable) row(r countRecord) error {
	if !t.started {
		t.started = true
		if err := t.line("message", "#", "tokens", "window", "turns", "largest member"); err != nil {
			return err
		}
	}
	turns := 0
	for _, role := range r.Roles {
		turns += role.Turns
	}
	largest := ""
	if len(r.Members) > 0 {
		first := r.Members[0]
		share := fmt.Sprintf(" %.0f%%", 100*float64(first.Tokens)/float64(max(r.Total, 1)))
		largest = term.Clip(first.Name, largestColumns-len(share)) + share
	}
	tokens := term.Grouped(int64(r.Total))
	if r.Estimate {
		tokens = "≈" + tokens
	}
	return t.line(r.Source, fmt.Sprint(r.Index+1), tokens, fmt.Sprintf("%.1f%%", r.Share*100), term.Grouped(int64(turns)), largest)
}

// totals ends the table.
func (t *countTable) totals() error {
	lines := []string{
		fmt.Sprintf("%s, %s (%s)", t.Bold(term.Plural(t.messages, "message")), term.Plural(int(t.tokens), "token"), t.tokenizer),
		fmt.Sprintf("%s each on average, %s at most: %s, message %d", term.Grouped(t.tokens/int64(t.messages)), term.Grouped(int64(t.largest.Total)), term.Visible(t.largest.Source), t.largest.Index+1),
	}
	if t.repeated > 0 {
		lines = append(lines, term.Plural(int(t.repeated), "token")+" in repeated turns")
	}
	if t.over > 0 {
		lines = append(lines, t.Red(term.Plural(t.over, "message")+" over the context window"))
	}
	for i, line := range lines {
		lines[i] = term.Fold(line, 0, t.columns)
	}
	_, err := fmt.Fprintf(t.w, "\n%s\n", strings.Join(lines, "\n"))
	return err
}
