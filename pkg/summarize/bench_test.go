package summarize_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// BenchmarkExtractive summarises a history of 20,000 turns and 9 MB, made of the
// golden conversations. What counting costs is not in it.
func BenchmarkExtractive(b *testing.B) {
	files, _ := filepath.Glob("../../testdata/trim/*.facts.json")
	var pool, turns []summarize.Turn
	for _, file := range files {
		t, _ := readConversation(b, strings.TrimSuffix(file, ".facts.json")+".json")
		pool = append(pool, t...)
	}
	size := 0
	for i := 0; len(turns) < 20000; i++ {
		t := pool[i%len(pool)]
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
}
