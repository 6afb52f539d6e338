package chain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// talk returns some sentences of a conversation, with identifiers and figures in it.
func talk(r *rand.Rand, sentences int) string {
	words := strings.Fields("the agent has checked every claim against the policy of the customer and found that amounts in the second " +
		"quarter differ from what was reported so they will be settled before the review unless legal objects or a document is missing")
	var b strings.Builder
	for range sentences {
		for range 10 {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "INV-%d for %d.%02d EUR. ", r.IntN(90000), r.IntN(9000), r.IntN(100))
	}
	return b.String()
}

// relay returns a task with messages of about 8 kB and 15 turns. Each handoff drops three turns
// and adds three.
func relay(r *rand.Rand, length int) [][]byte {
	var texts [][]byte
	m := first(r, length)
	state := object{}
	for i := range 8 {
		state[fmt.Sprint("member", i)] = object{"note": talk(r, 2), "count": i}
	}
	m["currentState"] = state
	for i := range length {
		if i > 0 {
			m = next(r, m, fmt.Sprint("agent-", i+1), 1)
		}
		turns := m["conversationHistoryVerbatim"].([]any)
		for len(turns) < 15 || i > 0 && len(turns) < 19 {
			turns = append(turns, object{"role": "assistant", "content": talk(r, 3)})
		}
		turns = turns[len(turns)-15:]
		m["conversationHistoryVerbatim"] = turns
		m["conversationHistorySummary"] = talk(r, 8)
		if done := m["completedSubtasks"].([]any); len(done) > 5 {
			m["completedSubtasks"] = done[1:]
		}
		if left := m["remainingSubtasks"].([]any); len(left) > 5 {
			m["remainingSubtasks"] = left[:5]
		}
		text, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		texts = append(texts, text)
	}
	return texts
}

func parseAll(b *testing.B, texts [][]byte) []*jsonstream.Document {
	b.Helper()
	var docs []*jsonstream.Document
	for _, text := range texts {
		d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

func BenchmarkRead(b *testing.B) {
	docs := parseAll(b, relay(rand.New(rand.NewPCG(1, 2)), 100))
	size := 0
	for _, d := range docs {
		size += len(d.Raw().Bytes)
	}
	b.SetBytes(int64(size / len(docs)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		// Data from earlier messages must not make it faster than in a stream.
		if i%len(docs) == 0 {
			r := readers.Get().(*reader)
			clear(r.known)
			clear(r.before)
			readers.Put(r)
		}
		if _, err := Read(docs[i%len(docs)], Place{}); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkCheck(b *testing.B) {
	const tasks, length = 20, 100
	var docs []*jsonstream.Document
	for i := range tasks {
		docs = append(docs, parseAll(b, relay(rand.New(rand.NewPCG(1, uint64(i))), length))...)
	}
	b.ReportAllocs()
	held, findings := uint64(0), 0
	for b.Loop() {
		b.StopTimer()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := New(Options{})
		for i, d := range docs {
			m, err := Read(d, Place{"task.jsonl", i, i + 1})
			if err != nil {
				b.Fatal(err)
			}
			c.Add(m)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		held = after.HeapAlloc - before.HeapAlloc
		b.StartTimer()
		findings = 0
		for _, t := range c.Tasks() {
			findings += t.Errors + t.Warnings
		}
	}
	b.ReportMetric(float64(held)/(tasks*length), "held-B/message")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(tasks*length), "ns/message")
	b.ReportMetric(float64(findings)/(tasks*length), "findings/message")
}
