package trim

import (
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// A table prints a row for each trimmed message, with any remarks below it.
type table struct {
	w       io.Writer
	columns int
	started bool

	messages, turns int
	before, after   int64 // tokens
	tokenizer       string
}

// newListing returns the listing of trimmed messages for people.
func newListing(w io.Writer, verbose bool) *cli.Listing[Record] {
	t := &table{w: w, columns: term.WidthOf(w)}
	return &cli.Listing[Record]{
		Verbose: verbose,
		Add:     t.add,
		Alone:   func(r Record) error { return r.WriteText(w) },
		Row:     t.row,
		Totals:  t.totals,
	}
}

func (t *table) add(r Record) {
	t.messages++
	t.turns += r.turnsGone
	t.before += int64(r.TokensBefore)
	t.after += int64(r.TokensAfter)
	t.tokenizer = r.Tokenizer
}

// changeColumns is the width of two figures with an arrow between, each in at most five columns.
const changeColumns = 5 + len(" > ") + 5

// changesTurns is the minimum width for a column of turns.
const changesTurns = 60

func (t *table) line(source, index, turns, tokens string) error {
	rest := " " + term.Right(index, cli.IndexColumns) + "  "
	if t.columns >= changesTurns {
		rest += term.Right(turns, changeColumns) + "  "
	}
	rest += term.Right(tokens, changeColumns)
	room := t.columns - term.Width(rest)
	_, err := fmt.Fprintln(t.w, term.Left(term.Tail(source, room), room)+rest)
	return err
}

func (t *table) row(r Record) error {
	if !t.started {
		t.started = true
		if err := t.line("trimmed", "#", "turns", "tokens"); err != nil {
			return err
		}
	}
	change := func(before, after int) string {
		return term.Short(int64(before)) + " → " + term.Short(int64(after))
	}
	if err := t.line(r.Source, fmt.Sprint(r.Index+1), change(r.OriginalTurns, r.OriginalTurns-r.turnsGone), change(r.TokensBefore, r.TokensAfter)); err != nil {
		return err
	}
	if remarks := append(r.givenUp(), r.remarks()...); len(remarks) > 0 {
		_, err := fmt.Fprintln(t.w, term.Fold(strings.Join(remarks, "; "), 2, t.columns))
		return err
	}
	return nil
}

// totals ends the table.
func (t *table) totals() error {
	text := fmt.Sprintf("%s trimmed: %s removed, %s → %s tokens (%s)",
		term.Plural(t.messages, "message"), term.Plural(t.turns, "turn"), term.Grouped(t.before), term.Grouped(t.after), t.tokenizer)
	_, err := fmt.Fprintln(t.w, term.Fold(text, 0, t.columns))
	return err
}
