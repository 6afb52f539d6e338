package term_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/term"
)

// TestLongLine checks that the lines of a diagnosis stay short, whatever they quote.
func TestLongLine(t *testing.T) {
	for name, print := range map[string]func(*bytes.Buffer){
		"error":   func(b *bytes.Buffer) { term.PrintError(b, errors.New(strings.Repeat("é", 15<<20))) },
		"warning": func(b *bytes.Buffer) { term.Warn(b, strings.Repeat("é", 15<<20)) },
		"note":    func(b *bytes.Buffer) { term.Note(b, strings.Repeat("é", 15<<20)) },
	} {
		var b bytes.Buffer
		print(&b)
		if b.Len() > 33<<10 || !strings.HasSuffix(b.String(), " bytes more)\n") {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
	}
}
