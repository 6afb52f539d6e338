package macp

import (
	"testing"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestOrigin checks that an origin has a line only if the source may contain other documents.
func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"{}":             "s.json",
		"{}\n":           "s.json",
		"{}\r\n":         "s.json",
		"{}\n{}":         "s.json:1",
		"{}\r\n{}\r\n":   "s.json:1",
		"\n\n{}\r\n{}\n": "s.json:3",
	} {
		s := input.Source{Name: "s.json", Size: int64(len(text))}
		raw := jsonstream.NewRaw([]byte("{}"))
		for text[0] == '\n' {
			text = text[1:]
			raw.Start.Line++
		}
		if got := (input.Document{Source: s, Raw: raw}).Origin().String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
