package look

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
)

// TestCountTableFits checks that rows fit every width, whatever the names of the messages.
func TestCountTableFits(t *testing.T) {
	names := []string{
		"plan.json", "fixtures/valid/of/a/very/long/path/that/does/not/fit/into/the/column/日本語.json",
		"line\n.json", "esc\x1b[31m.json", "bidi\u202egnp.json", "zero\u200b.json", "byte\xff.json", strings.Repeat("l", 250) + ".json",
	}
	for columns := term.MinWidth; columns <= term.MaxWidth; columns++ {
		var text bytes.Buffer
		listing := newCountTable(&cli.Facts{File: &output.File{}, Width: columns}, 1000)
		table := &countTable{w: &text, columns: columns, window: true}
		listing.Row, listing.Totals, listing.Add = table.row, table.totals, table.add
		for i, name := range names {
			r := countRecord{Source: name, Index: 123456 * i, Total: 1234567, Share: 1234.5, Estimate: true}
			r.Members = []inspect.Part{{Name: strings.Repeat("日本", 40), Tokens: 9}}
			if err := listing.Print(r); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(text.String(), "\n"); n < len(names)+1 {
			t.Errorf("%d columns: %d lines of %d messages", columns, n, len(names))
		}
		for line := range strings.Lines(text.String()) {
			line = strings.TrimSuffix(line, "\n")
			if term.Width(line) > columns || strings.ContainsFunc(line, term.IsHidden) {
				t.Fatalf("%d columns: %q has %d", columns, line, term.Width(line))
			}
		}
	}
}
