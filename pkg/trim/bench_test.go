package trim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A message of 20,000 turns and 9 MB is trimmed in less than twice the time for counting its
// tokens.
func BenchmarkMessage(b *testing.B) {
	meter := realMeter(b)
	text := busy(20_000)
	doc := document(b, text)
	b.Run("count", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			h, err := history.Of(doc, "", jsonstream.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			h.Measure(meter)
		}
	})
	for name, o := range map[string]Options{
		"none to 8000":       {MaxTokens: 8000},
		"extractive to 8000": {MaxTokens: 8000, Summarizer: summarize.Extractive{}},
		"none to 1500000":    {MaxTokens: 1_500_000},
		"without tools":      {DropTools: true},
	} {
		b.Run(name, func(b *testing.B) {
			o.Meter, o.KeepTurns = meter, DefaultKeepTurns
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if r, err := Message(context.Background(), doc, jsonstream.Limits{}, o); err != nil || !r.Changed {
					b.Fatal(err)
				}
			}
		})
	}
}

// busy returns a message of n turns of about 450 bytes, with word frequencies as in a language:
// a few common words, mostly rare ones.
func busy(turns int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		for range 1 + random.IntN(4) {
			words[i] += string("bdfgklmnprstvz"[random.IntN(14)]) + string("aeiou"[random.IntN(5)])
		}
	}
	say := func(text []byte, sentences int) []byte {
		for range sentences {
			for range 8 + random.IntN(10) {
				text = append(append(text, words[int(5000*math.Pow(random.Float64(), 3))]...), ' ')
			}
			text = fmt.Appendf(text, "%d. ", random.IntN(10_000))
		}
		return text
	}
	text := []byte(`{"handoffId":"h","conversationHistoryVerbatim":[`)
	for i := range turns / 4 {
		text = append(say(append(text, `{"role":"user","content":"`...), 6), `"},`...)
		text = fmt.Appendf(say(append(text, `{"role":"assistant","content":"We decided: `...), 3),
			`","tool_calls":[{"id":"c%d","type":"function","function":{"name":"lookup","arguments":"{\"n\":%d}"}}]},`, i, i)
		text = fmt.Appendf(text, `{"role":"tool","tool_call_id":"c%d","content":"{\"rows\":[`, i)
		for n := range 12 {
			text = fmt.Appendf(text, `{\"id\":%d,\"state\":\"%s\"},`, i*n, words[random.IntN(5000)])
		}
		text = append(text, `1]}"},{"role":"assistant","content":"`...)
		text = append(say(text, 7), `"},`...)
	}
	return append(text, `{"role":"user","content":"And now?"}]}`...)
}

// Trimming takes linear time for any message.
func BenchmarkHostile(b *testing.B) {
	elements := func(n int, form string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.ReplaceAll(form, "#", fmt.Sprint(i))
		}
		return strings.Join(list, ",")
	}
	for _, tt := range []struct {
		name string
		text func(n int) string
		o    Options
	}{
		{"tiny turns", func(n int) string { return `{"conversation_history":[` + elements(n, `{}`) + `]}` }, Options{Last: 10, Summarizer: summarize.Extractive{}}},
		{"tool calls", func(n int) string {
			return `{"conversation_history":[` + elements(n/2, `{"role":"assistant","tool_calls":[{"id":"#"}]},{"role":"tool","tool_call_id":"#"}`) + `]}`
		}, Options{MaxTokens: 1000}},
		{"torn by a filter", func(n int) string {
			return `{"conversation_history":[` + elements(n/2, `{"role":"assistant","content":"x","tool_calls":[{"id":"#"}]},{"role":"tool","tool_call_id":"#"}`) + `]}`
		}, Options{Roles: []string{"assistant"}, Last: 10}},
		{"one unit", func(n int) string {
			return `{"conversation_history":[{"role":"assistant"},` + elements(n, `{"role":"tool"}`) + `]}`
		}, Options{MaxTokens: 1000}},
		{"calls in one turn", func(n int) string {
			return `{"conversation_history":[{"role":"assistant","content":[` + elements(n, `{"type":"tool_use","id":"#"}`) + `]},{"role":"user"}]}`
		}, Options{Last: 1}},
		{"elements given up", func(n int) string {
			return `{"handoffId":"h","relevantContext":[` + elements(n, `{"excerpt":"#","relevanceScore":0.#}`) + `]}`
		}, Options{MaxTokens: 1000, Also: Extras()}},
		{"members", func(n int) string { return `{"conversation_history":[],` + elements(n, `"m#":1`) + `}` }, Options{MaxTokens: 10}},
		{"members, in bytes", func(n int) string { return `{"conversation_history":[],` + elements(n, `"m#":1`) + `}` }, Options{MaxBytes: 10}},
		{"deep", func(n int) string {
			deep := strings.Repeat(`{"content":[`, 200) + strings.Repeat(`]}`, 200)
			return `{"conversation_history":[` + elements(n/200, deep) + `]}`
		}, Options{MaxTokens: 1000, Summarizer: summarize.Extractive{}}},
	} {
		for _, n := range []int{50_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.text(n))), jsonstream.Unlimited())
				if err != nil {
					b.Fatal(err)
				}
				tt.o.Meter = quarters
				for b.Loop() {
					Message(context.Background(), doc, jsonstream.Limits{}, tt.o)
				}
			})
		}
	}
}
