package claimcheck_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/transport/claimcheck"
)

// TestRemove checks that matching bodies, and remains of crashes, are removed from a directory, and nothing
// else.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	digest := func(c string) string { return strings.Repeat(c, 64) }
	files := map[string]string{
		digest("a"): "about Zebedee", digest("b"): "about others", ".writing-XYZ": "about Zeb and Zebedee", "notes": "about Zebedee", digest("e") + "e": "about Zebedee",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, digest("c")), 0o700); err != nil {
		t.Fatal(err)
	}
	aboutHim := func(body []byte) bool { return bytes.Contains(body, []byte("Zebedee")) }
	n, err := claimcheck.Remove(t.Context(), dir, aboutHim)
	if n != 2 || err != nil {
		t.Errorf("%d bodies were removed, error %v", n, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{digest("b"), digest("c"), digest("e") + "e", "notes"}; !slices.Equal(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}

// TestNotRemoved checks that a store that cannot be searched is not reported as a store without matches.
func TestNotRemoved(t *testing.T) {
	all := func([]byte) bool { return true }
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := claimcheck.Remove(t.Context(), missing, all); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made: %v", err)
	}
	var not *claimcheck.NotListedError
	if _, err := claimcheck.Remove(t.Context(), "https://user:secret@bodies.example/x?key=secret", all); !errors.As(err, &not) || not.Store != "https://bodies.example/x" {
		t.Errorf("a URL: %v", err)
	}
}
