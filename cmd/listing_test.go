package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/inspect"
)

// The rows of a table fit every width, whatever the messages are called.
func TestTablesFit(t *testing.T) {
	names := append([]string{"plan.json", "fixtures/valid/of/a/very/long/path/that/does/not/fit/into/the/column/日本語.json"}, hostileNames...)
	for columns := term.MinWidth; columns <= term.MaxWidth; columns++ {
		var counts, trims bytes.Buffer
		count := newCountTable(&cli.Facts{File: &output.File{}, Width: columns}, 1000)
		table := &countTable{w: &counts, columns: columns, window: true}
		count.Row, count.Totals, count.Add = table.row, table.totals, table.add
		trimmed := &trimTable{w: &trims, columns: columns}
		for i, name := range names {
			r := countRecord{Source: name, Index: 123456 * i, Total: 1234567, Share: 1234.5, Estimate: true}
			r.Members = []inspect.Part{{Name: strings.Repeat("日本", 40), Tokens: 9}}
			if err := count.Print(r); err != nil {
				t.Fatal(err)
			}
			if err := trimmed.row(trimRecord{Source: name, Index: i, turnsMore: 3}); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{counts.String(), trims.String()} {
			if n := strings.Count(text, "\n"); n < len(names)+1 {
				t.Errorf("%d columns: %d lines of %d messages", columns, n, len(names))
			}
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if term.Width(line) > columns || strings.ContainsFunc(line, term.IsHidden) {
					t.Fatalf("%d columns: %q has %d", columns, line, term.Width(line))
				}
			}
		}
	}
}
