package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// TestMACPDocs compares the table of rules in docs/macp.md with the rules.
func TestMACPDocs(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "docs", "macp.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules := macp.Rules()
	for _, r := range rules[slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == "macp/1" }):] {
		codes := "`" + string(r.Reason) + "`"
		if r.ID == "macp/21" { // about both the type and the mode
			codes += ", `" + string(macp.ModeNotSupported) + "`"
		}
		row := fmt.Sprintf("\n| %s | %s | %s |\n", r.Name(), r.Summary, codes)
		if !strings.Contains(string(docs), row) {
			t.Errorf("docs/macp.md lacks the row%s", row)
		}
	}
}
