package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

// TestSW4RMDocs compares the table of rules in docs/sw4rm.md with the rules.
func TestSW4RMDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/sw4rm.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| rule | severity | finds |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	want := 0
	for _, r := range sw4rm.Rules() {
		want++
		severity := "error"
		if r.Severity == finding.Warning {
			severity = "warning"
		}
		if row := "| `" + r.ID + "` | " + severity + " | "; !strings.Contains(table, row) {
			t.Errorf("docs/sw4rm.md lacks the row %s", row)
		}
	}
	if got := strings.Count(table, "\n") + 1; got != want {
		t.Errorf("the table has %d rows, and there are %d rules", got, want)
	}
}
