package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// TestBuiltin makes the built-in dictionary again: a dictionary that was shipped
// never changes.
func TestBuiltin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dict")
	if err := run(file, ""); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, dictionary.Builtin()) {
		t.Error("the grammars give another dictionary than the built-in one: go generate it, and give it a new id if the old one was ever released")
	}
}
