package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats"
)

func (p *drawing) budget(f inspect.Facts) {
	p.Section("Budget", "")
	if share := f.Budget.SpentShare; share != nil {
		columns := min(p.Width-len("    100% spent"), term.MaxBar)
		full := term.Bar(*share, columns)
		paint := p.Green
		switch {
		case *share >= 1:
			paint = p.Red
		case *share >= 0.8:
			paint = p.Yellow
		}
		p.Line("  ", paint(full), p.Dim(strings.Repeat("░", columns-term.Width(full))), fmt.Sprintf(" %.0f%% spent", *share*100))
	}
	p.Line("  ", term.Dollars(f.Budget.SpentUSD), " spent, ", term.Dollars(f.Budget.RemainingUSD), " remaining")
	tokens := "tokens"
	if f.Tokens.Total != nil {
		tokens = term.Grouped(*f.Tokens.Total) + " tokens"
	}
	p.Line("  ", tokens, ": ", term.Figure(f.Tokens.Prompt), " prompt, ", term.Figure(f.Tokens.Completion), " completion")
}

func (p *drawing) bytes(f inspect.Facts) {
	size := term.Plural(f.Bytes, "byte")
	if f.CompactBytes != f.Bytes {
		size += ", " + term.Grouped(int64(f.CompactBytes)) + " compact"
	}
	if f.SizeTokens > 0 {
		size += ", " + term.Plural(f.SizeTokens, "token")
	}
	p.Section("Size by member", size)
	p.members(f.Members, f.SizeTokens > 0 && f.Context == nil)
}

// members draws the sizes of members, in tokens if they are counted.
func (p *drawing) members(list []inspect.Member, counted bool) {
	var rows []term.Row
	for _, m := range list {
		figures := []string{term.Grouped(int64(m.Bytes)), fmt.Sprintf("%.1f%%", m.Share*100)}
		if counted {
			figures = append(figures, term.Plural(m.Tokens, "token"))
		}
		rows = append(rows, term.Row{Name: m.Name, Figures: figures, Quantity: float64(m.Bytes)})
	}
	p.Rows(rows)
}

func (p *drawing) conversation(f inspect.Facts) {
	if d := formats.Named(f.Format); f.Format != "" && d.Turns == nil && d.Carriers == nil {
		return // the format has no place for personal data
	}
	p.Section("Conversation", term.Plural(f.VerbatimTurns, "turn")+" verbatim, "+term.Plural(f.SummaryCharacters, "character")+" of summary")
	var rows []term.Row
	for _, r := range f.Roles {
		figures := []string{term.Plural(r.Turns, "turn"), term.Plural(r.Bytes, "byte")}
		if f.SizeTokens > 0 {
			figures = append(figures, term.Plural(r.Tokens, "token"))
		}
		rows = append(rows, term.Row{Name: r.Role, Figures: figures, Quantity: float64(r.Bytes)})
	}
	p.Rows(rows)
}

func (p *drawing) tools(f inspect.Facts) {
	if len(f.Tools) == 0 {
		return
	}
	p.Section("Tools", "")
	var rows []term.Row
	for _, t := range f.Tools {
		row := term.Row{Name: t.Tool, Figures: []string{term.Plural(t.Calls, "call")}, Quantity: float64(t.Calls)}
		if f.Profile == nil { // only canonical messages contain the output of the calls
			row.Figures, row.Quantity = append(row.Figures, term.Grouped(t.OutputTokens)+" output tokens"), float64(t.OutputTokens)
		}
		rows = append(rows, row)
	}
	p.Rows(rows)
}

// personal draws the number of findings of personal data by class, the most frequent first.
func (p *drawing) personal(counts map[string]int) {
	if counts == nil {
		return
	}
	total := 0
	var rows []term.Row
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		total += counts[class]
		rows = append(rows, term.Row{Name: class, Figures: []string{term.Plural(counts[class], "place")}, Quantity: float64(counts[class])})
	}
	slices.SortStableFunc(rows, func(a, b term.Row) int { return cmp.Compare(b.Quantity, a.Quantity) })
	heading := "none"
	if total > 0 {
		heading = term.Plural(total, "place")
	}
	p.Section("Personal data", heading)
	p.Rows(rows)
}
