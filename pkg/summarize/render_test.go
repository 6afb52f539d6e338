package summarize

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// clean is appendClean for one character at a time.
func clean(dst, text string) string {
	var b strings.Builder
	b.WriteString(dst)
	space := false
	for i, c := range text {
		switch {
		case c <= ' ' || c == 0x7f || c == 0xA0 || c == 0x2028 || c == 0x2029:
			space = b.Len() > len(dst)
			continue
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"), c >= utf8.RuneSelf && unicode.In(c, unicode.Cf, unicode.Cc):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(c)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

func TestAppendClean(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab!~ \t\n\x00\x7f\u00a0\u0085\u2028\u200b\u202eé中\ufffd")))
	rapid.Check(t, func(t *rapid.T) {
		dst, s := text.Draw(t, "dst"), text.Draw(t, "text")
		if rapid.Bool().Draw(t, "damaged") {
			s += "\xff" + text.Draw(t, "rest")
		}
		if got, want := string(appendClean([]byte(dst), s)), clean(dst, s); got != want {
			t.Errorf("%q and %q: got %q, want %q", dst, s, got, want)
		}
	})
}

// TestNothingIsRemembered checks that a summary does not depend on the judge's earlier ones.
func TestNothingIsRemembered(t *testing.T) {
	words := "invoice payment clause liability vendor review customer notice region quarter"
	r := Request{MaxTokens: 60, Count: func(s string) int { return len(s) / 4 }}
	for i, w := range strings.Fields(words) {
		r.Turns = append(r.Turns, Turn{Role: "assistant", Text: "The " + w + " was moved to the " + strings.Fields(words)[(i+3)%10] + ", as " + w + " asked."})
	}
	other := r
	other.Turns = []Turn{{Role: "user", Text: strings.Repeat("Keep the "+words+" in mind. ", 40)}}
	var summaries []string
	for _, request := range []Request{r, other, r} {
		s, err := Extractive{}.Summarize(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		summaries = append(summaries, s.Text)
		j := judges.Get().(*judge)
		for at, n := range j.often.words {
			if n.count != 0 || n.last != 0 {
				t.Fatalf("place %d counts %v words of a text before", at, n)
			}
		}
		judges.Put(j)
	}
	if summaries[0] != summaries[2] || summaries[0] == summaries[1] {
		t.Errorf("got %q, and after another text %q", summaries[0], summaries[2])
	}
}
