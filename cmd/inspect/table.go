package inspect

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// newListing returns a listing of records for people: a picture of a single one, or a table.
func newListing(w io.Writer, columns int, colors term.Palette, counted bool) *cli.Listing[record] {
	t := newTable(w, columns, colors, counted)
	return &cli.Listing[record]{
		Add:    t.sum.add,
		Alone:  func(r record) error { return r.WriteText(w, columns, colors) },
		Row:    t.row,
		Totals: t.totals,
	}
}

// A table prints a row for each message as soon as it is read: the widths of the columns do not depend on
// their contents.
type table struct {
	w io.Writer
	term.Palette
	columns               int
	counted               bool // with a column for the tokens of the message
	narrow                bool // without columns for money and spent tokens
	agents, time, verdict int  // widths of the columns that grow with the terminal

	source  string
	sum     totals
	started bool
}

type totals struct {
	messages, valid int
	bytes           int64
	task            string // of the first message
	sameTask        bool
	spent           *message.Decimal // the highest
	remaining       *message.Decimal // the lowest
}

// Widths of the columns that do not grow with the terminal.
const (
	idColumns    = 8
	moneyColumns = 6
	countColumns = 5
	fixedColumns = cli.IndexColumns + idColumns + 2*moneyColumns + 2*countColumns + 8*len(" ")
)

// Narrow and wide forms of the columns that grow.
const (
	clockLayout   = time.TimeOnly
	momentLayout  = time.DateTime
	narrowVerdict = len("x context")
	wideVerdict   = len("x INCOMPLETE_CONTEXT")
	wide          = 112 // the minimum width of the wide form
	narrow        = 70  // the maximum width of the form without costs
)

func newTable(w io.Writer, columns int, colors term.Palette, counted bool) *table {
	t := &table{w: w, Palette: colors, columns: max(columns, term.MinWidth), counted: counted, time: len(clockLayout), verdict: narrowVerdict}
	if t.columns >= wide {
		t.time, t.verdict = len(momentLayout), wideVerdict
	}
	t.agents = t.columns - fixedColumns - t.time - t.verdict
	if t.narrow = t.columns < narrow; t.narrow {
		t.agents += moneyColumns + moneyColumns + countColumns + 3*len(" ")
	}
	if counted {
		t.agents -= countColumns + len(" ")
	}
	return t
}

func (t *table) line(index, id, agents, when, spent, remaining, tokens, bytes, verdict string) error {
	cells := []string{index, id, agents, when, spent, remaining, tokens, bytes, verdict}
	if t.narrow {
		cells = []string{index, id, agents, when, bytes, verdict}
	}
	line := strings.Join(cells, " ")
	_, err := io.WriteString(t.w, strings.TrimRight(line, " ")+"\n")
	return err
}

// heading writes the heading, once.
func (t *table) heading() error {
	t.started = true
	return t.line(t.Dim(term.Right("#", cli.IndexColumns)), t.Dim(term.Left("handoff", idColumns)), t.Dim(term.Left("from → to", t.agents)),
		t.Dim(term.Left("time", t.time)), t.Dim(term.Right("spent", moneyColumns)), t.Dim(term.Right("left", moneyColumns)),
		t.Dim(term.Right("token", countColumns)), t.sizes("bytes", "size"), t.Dim("verdict"))
}

func (t *table) row(r record) error {
	if !t.started {
		if err := t.heading(); err != nil {
			return err
		}
	}
	if r.Source != t.source {
		t.source = r.Source
		if _, err := io.WriteString(t.w, t.Bold(term.Tail(r.Source, t.columns))+"\n"); err != nil {
			return err
		}
	}
	tokens := "-"
	if r.Tokens.Total != nil {
		tokens = term.Short(*r.Tokens.Total)
	}
	remaining := term.Right(money(r.Budget.RemainingUSD), moneyColumns)
	if r.Result.Reason == validate.BudgetExhausted {
		remaining = t.Red(remaining)
	}
	index := fmt.Sprintf("%*d", cli.IndexColumns, r.Index+1)
	id, _ := term.Cut(r.HandoffID, idColumns)
	return t.line(index, t.Cyan(term.Left(id, idColumns)), agents(r.Facts, t.agents-len(index)+cli.IndexColumns),
		term.Left(t.moment(r.Timestamp), t.time), term.Right(money(r.Budget.SpentUSD), moneyColumns), remaining,
		term.Right(tokens, countColumns), t.sizes(term.Short(int64(r.Bytes)), term.Short(int64(r.SizeTokens))), t.verdictOf(r.Result))
}

// sizes formats the size columns: bytes and, if they are counted, tokens.
func (t *table) sizes(bytes, tokens string) string {
	if !t.counted {
		return term.Right(bytes, countColumns)
	}
	return term.Right(bytes, countColumns) + " " + term.Right(tokens, countColumns)
}

func (s *totals) add(r record) {
	if s.messages == 0 {
		s.task, s.sameTask = r.TaskID, r.TaskID != ""
	}
	s.sameTask = s.sameTask && r.TaskID == s.task
	s.messages++
	s.bytes += int64(r.Bytes)
	if r.Result.Valid {
		s.valid++
	}
	if d, err := message.Number(r.Budget.SpentUSD).Decimal(); err == nil && (s.spent == nil || d.Cmp(*s.spent) > 0) {
		s.spent = &d
	}
	if d, err := message.Number(r.Budget.RemainingUSD).Decimal(); err == nil && (s.remaining == nil || d.Cmp(*s.remaining) < 0) {
		s.remaining = &d
	}
}

// totals ends the table. It shows the spending only for a single task: the figures of a task's messages
// include each other.
func (t *table) totals() error {
	s := t.sum
	verdicts := t.Green("all valid")
	if invalid := s.messages - s.valid; invalid > 0 {
		verdicts = t.Red(term.Grouped(int64(invalid)) + " invalid")
	}
	text := fmt.Sprintf("\n%s, %s, %s bytes\n", t.Bold(term.Plural(s.messages, "message")), verdicts, term.Grouped(s.bytes))
	if s.sameTask && s.spent != nil && s.remaining != nil {
		text += fmt.Sprintf("one task: up to %s spent, down to %s left\n",
			term.Dollars([]byte(s.spent.String())), term.Dollars([]byte(s.remaining.String())))
	}
	_, err := io.WriteString(t.w, text)
	return err
}
