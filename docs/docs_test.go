package docs_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/docs"
)

func ExamplePage() {
	text, ok := docs.Page("exit-codes")
	title, _, _ := strings.Cut(text, "\n")
	fmt.Println(title, ok)
	// Output: # Exit codes true
}

// Every document is there, but for those that commands print.
func TestNames(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{"commands", "coverage", "providers", "rules"}
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".md"); slices.Contains(docs.Names(), name) == slices.Contains(printed, name) {
			t.Errorf("%s: is it to be embedded?", file)
		}
	}
}
