package diff_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/diff"
)

// marked writes runs as they are printed without colours and in full.
func marked(runs []diff.Run) string {
	var b strings.Builder
	for _, r := range runs {
		switch {
		case r.Same:
			b.WriteString(r.Old)
		default:
			if r.Old != "" {
				b.WriteString("[-" + r.Old + "-]")
			}
			if r.New != "" {
				b.WriteString("{+" + r.New + "+}")
			}
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
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
			if got := marked(diff.Words(tt.old, tt.new)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// checkRuns checks the contract of Words.
func checkRuns(t interface{ Fatalf(string, ...any) }, old, new string) {
	var a, b strings.Builder
	runs := diff.Words(old, new)
	for i, r := range runs {
		a.WriteString(r.Old)
		b.WriteString(r.New)
		if r.Same && r.Old != r.New || r.Old+r.New == "" || i > 0 && runs[i-1].Same == r.Same {
			t.Fatalf("run %d of %+v: %+v", i, runs, r)
		}
	}
	if a.String() != old || b.String() != new {
		t.Fatalf("the runs %+v are not of %q and %q", runs, old, new)
	}
}

func TestWordsHaveBothTexts(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab]{1,3}|[ ,\n]|契|é|è|[a-c]{45}){0,20}`))
	rapid.Check(t, func(t *rapid.T) {
		checkRuns(t, texts.Draw(t, "old"), texts.Draw(t, "new"))
	})
}

func FuzzWords(f *testing.F) {
	f.Add("a b c", "a  c")
	f.Add(strings.Repeat("é", 50), strings.Repeat("è", 50))
	f.Fuzz(func(t *testing.T, old, new string) { checkRuns(t, old, new) })
}
