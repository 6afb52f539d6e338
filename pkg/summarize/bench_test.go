package summarize_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// BenchmarkExtractive summarises a history of 20,000 turns: the golden conversations, repeated
// unchanged or with other words every time. The cost of counting tokens is not included.
func BenchmarkExtractive(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(*golden, "*.facts.json"))
	var pool []summarize.Turn
	for _, file := range files {
		t, _ := readConversation(b, strings.TrimSuffix(file, ".facts.json")+".json")
		pool = append(pool, t...)
	}
	for _, tt := range []struct {
		name string
		text func(text string, round int) string
	}{
		{"repeated", func(text string, _ int) string { return text }},
		{"different", func(text string, round int) string {
			return strings.ReplaceAll(text, "n", string([]byte{'a' + byte(round%26), 'a' + byte(round/26)}))
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var turns []summarize.Turn
			size := 0
			for i := range 20000 {
				t := pool[i%len(pool)]
				t.Text = tt.text(t.Text, i/len(pool))
				turns = append(turns, t)
				size += len(t.Text)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r := summarize.Request{Turns: turns, MaxTokens: 50000, Count: count}
				if _, err := (summarize.Extractive{}).Summarize(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
