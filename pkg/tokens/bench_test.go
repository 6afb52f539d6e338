package tokens

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkCount(b *testing.B) {
	for _, e := range []Encoding{O200kBase, Cl100kBase, R50kBase} {
		c := counter(b, e)
		c.Count("load the vocabulary")
		for _, bench := range []struct{ name, text string }{
			{"english", read(b, "../../docs/*.md")},
			{"json", history(read(b, "../../docs/*.md"))},
			{"code", read(b, "../*/*.go")},
			{"cjk", strings.Repeat("智能体之间传递的消息必须完整，接收方在继续工作之前应当核对上下文。", 3000)},
			{"letter 100 kB", strings.Repeat("a", 100_000)},
			{"letter 1 MB", strings.Repeat("a", 1_000_000)}, // ten times the time of 100 kB, if time is linear
			{"hostile mixed", hostile(600_000)},
		} {
			b.Run(string(e)+"/"+bench.name, func(b *testing.B) {
				b.SetBytes(int64(len(bench.text)))
				b.ReportAllocs()
				for b.Loop() {
					c.Count(bench.text)
				}
			})
		}
	}
}

// BenchmarkLoad measures the cost of the first count.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newVocabulary(o200kTokens, o200kSize)
	}
}

func read(tb testing.TB, pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: no files, error %v", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// history is a conversation with a turn for every paragraph of the text.
func history(text string) string {
	type turn struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var turns []turn
	for i, paragraph := range strings.Split(text, "\n\n") {
		turns = append(turns, turn{[]string{"user", "assistant"}[i%2], paragraph})
	}
	b, _ := json.Marshal(turns)
	return string(b)
}

// hostile returns n bytes of long runs that are slow to split or to merge.
func hostile(n int) string {
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		unit := []string{"a", " ", "\n", "'s", "9", "中", "👩\u200d", "\u0301", "A\u0301", "\n \r", "ab", "!/"}[i%12]
		s.WriteString(strings.Repeat(unit, 1000))
	}
	return s.String()
}

func counter(tb testing.TB, e Encoding) *Counter {
	c, err := New(e)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
