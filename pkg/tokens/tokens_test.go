package tokens

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestVectors compares counts with those of OpenAI's tiktoken: see testdata/vectors.mjs.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Encodings []Encoding
		Vectors   [][]any
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) < 1000 || len(file.Encodings) < 5 {
		t.Fatalf("found only %d vectors for %d encodings", len(file.Vectors), len(file.Encodings))
	}
	for i, e := range file.Encodings {
		c := counter(t, e)
		for _, v := range file.Vectors {
			text, want := v[0].(string), int(v[i+1].(float64))
			if got := c.Count(text); got != want {
				t.Errorf("%s: %+q: got %d tokens, want %d", e, text, got, want)
			}
		}
	}
}

func TestNew(t *testing.T) {
	for _, e := range Encodings() {
		if got := counter(t, e).Encoding(); got != e {
			t.Errorf("counter of %s says it is of %s", e, got)
		}
	}
	const want = `unknown tokenizer "gpt2": use one of o200k_base, o200k_harmony, cl100k_base, p50k_base, p50k_edit, r50k_base, bytes`
	if c, err := New("gpt2"); c != nil || err == nil || err.Error() != want {
		t.Errorf("got %v and error %v, want the error %s", c, err, want)
	}
	if got := counter(t, Bytes).Count("é1"); got != 3 {
		t.Errorf("bytes: got %d, want 3", got)
	}
	text := "The same <|start|> text'll count\n \n the same"
	if a, b := counter(t, O200kBase).Count(text), counter(t, O200kHarmony).Count(text); a != b {
		t.Errorf("o200k_base counts %d, o200k_harmony %d", a, b)
	}
}

func TestConcurrentUse(t *testing.T) {
	c := counter(t, Cl100kBase)
	texts := []string{hostile(30_000), strings.Repeat("x", 3*window), strings.Repeat("Some words, 中文. ", 500)}
	var want []int
	for _, text := range texts {
		want = append(want, c.Count(text))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, text := range texts {
				if got := c.Count(text); got != want[i] {
					t.Errorf("text %d: got %d, want %d", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestHostile takes a second or two, or minutes if any step is quadratic.
func TestHostile(t *testing.T) {
	for _, unit := range []string{
		"a", "A", "ab", " ", "\n", "\t", "\r\n", "'s", "'", "9", "中", "中A", "👩\u200d", "\u0301", "A\u0301", " \u0301",
		" \n", "\n   ", "!", "/", "!/", "!\n", "ǅ", "٣", "\u3000", "\u00a0 ", "é", "\xff", "\xe4\xb8", "z\u0085",
	} {
		text := strings.Repeat(unit, 60_000/len(unit))
		for _, e := range []Encoding{O200kBase, Cl100kBase, R50kBase} {
			if got := counter(t, e).Count(text); got <= 0 || got > len(text) {
				t.Errorf("%s: %d bytes of %+q: got %d tokens", e, len(text), unit, got)
			}
		}
	}
}

// D2: a blank line with spaces, which tokenizer libraries split wrongly: into four tokens of
// o200k_base instead of the three "a", "\n  \n" and "b".
func TestD2BlankLine(t *testing.T) {
	for _, e := range []Encoding{O200kBase, Cl100kBase} {
		if got := counter(t, e).Count("a\n  \nb"); got != 3 {
			t.Errorf("%s: got %d tokens, want 3", e, got)
		}
	}
}

// D3: long runs of one character, which take tokenizer libraries seconds to minutes. The test fails
// if it takes that long; TestHostile has other runs.
func TestD3LongRuns(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat("a", 100_000): 12_500, // of eight characters each
		strings.Repeat(" ", 200_000): 1_563,  // of 128 characters each, at most
	} {
		if got := counter(t, O200kBase).Count(text); got != want {
			t.Errorf("%d times %q: got %d tokens, want %d", len(text), text[:1], got, want)
		}
	}
}

// FuzzCount has seeds of valid and invalid UTF-8.
func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "Hello, world", "a\n  \nb", "IT'ſ 12345 ǅ中A\u0301", "\xff\xc3'\xe4 \n", strings.Repeat("ab c", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range Encodings() {
			c := counter(t, e)
			got := c.Count(text)
			if got > len(text) || (got == 0) != (text == "") {
				t.Errorf("%s: %d tokens in %d bytes", e, got, len(text))
			}
		}
	})
}
