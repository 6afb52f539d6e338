package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/formats/macp"
)

// TestMACPDocs compares the table of rules in docs/macp.md with the rules.
func TestMACPDocs(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "docs", "macp.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules := macp.Rules()
	if len(rules) != 22 {
		t.Errorf("%d rules, want 22", len(rules))
	}
	for _, r := range rules {
		var codes []string
		for _, code := range r.Codes {
			codes = append(codes, "`"+string(code)+"`")
		}
		row := fmt.Sprintf("\n| %d | %s | %s |\n", r.Number, r.Summary, strings.Join(codes, ", "))
		if !strings.Contains(string(docs), row) {
			t.Errorf("docs/macp.md lacks the row%s", row)
		}
	}
}
