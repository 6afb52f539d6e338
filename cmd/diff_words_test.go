package cmd

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/cmd/internal/term"
)

// marked writes runs as they are shown without colours, with nothing left out.
func marked(runs []wordRun) string {
	var b strings.Builder
	for _, r := range runs {
		switch {
		case r.same:
			b.WriteString(r.old)
		default:
			if r.old != "" {
				b.WriteString("[-" + r.old + "-]")
			}
			if r.new != "" {
				b.WriteString("{+" + r.new + "+}")
			}
		}
	}
	return b.String()
}

func TestWordDiff(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	tests := []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"the same", "a b", "a b", "a b"},
		{"added", "", "a b", "{+a b+}"},
		{"a word", "the vendor may terminate", "the buyer may terminate", "the [-vendor-]{+buyer+} may terminate"},
		{"a word more", "they terminate", "they may terminate", "they {+may +}terminate"},
		{"a part of a number", "pays 4,200.50 EUR", "pays 4,300.50 EUR", "pays 4,[-200-]{+300+}.50 EUR"},
		{"white space", "a  long word", "a\nlong word", "a[-  -]{+\n+}long word"},
		{"words with little between them", "seven cats and dogs", "eight cows or pigs", "[-seven cats and dogs-]{+eight cows or pigs+}"},
		{"scripts without spaces", "契約は終了する", "契約は継続する", "契約は[-終了-]{+継続+}する"},
		{"letters with marks", "nai\u0308ve", "naive", "[-nai\u0308ve-]{+naive+}"},
		{"a long word", hash + "x" + hash, hash + "é" + hash, hash + "[-x-]{+é+}" + hash},
		{"characters that begin alike", hash + "é" + hash, hash + "è" + hash, hash + "[-é-]{+è+}" + hash},
		{"characters that end alike", hash + "é" + hash, hash + "\u0129" + hash, hash + "[-é-]{+\u0129+}" + hash},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, marked(wordDiff(tt.old, tt.new))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// checkRuns checks what wordDiff promises.
func checkRuns(t interface{ Fatalf(string, ...any) }, old, new string) {
	var a, b strings.Builder
	runs := wordDiff(old, new)
	for i, r := range runs {
		a.WriteString(r.old)
		b.WriteString(r.new)
		if r.same && r.old != r.new || r.old+r.new == "" || i > 0 && runs[i-1].same == r.same {
			t.Fatalf("run %d of %+v: %+v", i, runs, r)
		}
	}
	if a.String() != old || b.String() != new {
		t.Fatalf("the runs %+v are not of %q and %q", runs, old, new)
	}
}

func TestWordDiffHasBothTexts(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab]{1,3}|[ ,\n]|契|é|è|[a-c]{45}){0,20}`))
	rapid.Check(t, func(t *rapid.T) {
		checkRuns(t, texts.Draw(t, "old"), texts.Draw(t, "new"))
	})
}

func FuzzWordDiff(f *testing.F) {
	f.Add("a b c", "a  c")
	f.Add(strings.Repeat("é", 50), strings.Repeat("è", 50))
	f.Fuzz(func(t *testing.T, old, new string) { checkRuns(t, old, new) })
}

// Megabytes of text are compared, and the lines stay few.
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
			checkRuns(t, old, new)
			d := newDiffText(nil, 80, term.NewPalette(false), diffTextOptions{})
			if lines, _ := d.layout(d.pieces(wordDiff(old, new), true, true), 78); len(lines) > 2*mostLines {
				t.Errorf("%d lines", len(lines))
			}
		})
	}
}
