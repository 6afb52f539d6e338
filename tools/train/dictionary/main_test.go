package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// TestBuiltin checks that the grammars produce the built-in dictionary: a released dictionary never changes.
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
		t.Error("the grammars do not produce the built-in dictionary: run go generate, and use a new id if the old dictionary was released")
	}
}
