package difftext

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
)

// Megabytes of text are compared, and the output has few lines.
func TestWordDiffLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = []string{"one", "two", "three", "four", ",", "five\n"}[r.IntN(6)]
		}
		return strings.Join(list, " ")
	}
	old := text(50_000)
	for name, new := range map[string]string{
		"another text": text(50_000),
		"one change":   old[:100_000] + " changed " + old[100_000:],
		"one word":     strings.Repeat("x", len(old)),
		"long words":   strings.Repeat(strings.Repeat("y", 20_000)+" ", 50),
		"too long":     strings.Repeat(old, 80),
	} {
		t.Run(name, func(t *testing.T) {
			d := newPrinter(nil, 80, term.NewPalette(false), Options{})
			if lines, _ := d.layout(d.pieces(diff.Words(old, new), true, true), 78); len(lines) > 2*maxLines {
				t.Errorf("%d lines", len(lines))
			}
		})
	}
}
