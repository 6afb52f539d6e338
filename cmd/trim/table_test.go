package trim

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/term"
)

// TestTableFits checks that rows fit every width, whatever the names of the messages.
func TestTableFits(t *testing.T) {
	names := []string{
		"plan.json", "fixtures/valid/of/a/very/long/path/that/does/not/fit/into/the/column/日本語.json",
		"line\n.json", "esc\x1b[31m.json", "bidi\u202egnp.json", "zero\u200b.json", "byte\xff.json", strings.Repeat("l", 250) + ".json",
	}
	for columns := term.MinWidth; columns <= term.MaxWidth; columns++ {
		var text bytes.Buffer
		table := &table{w: &text, columns: columns}
		for i, name := range names {
			if err := table.row(Record{Source: name, Index: i, turnsMore: 3}); err != nil {
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
