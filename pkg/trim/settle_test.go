package trim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// chat returns a canonical message of n turns of the same size, the last one of the user.
func chat(turns int) string {
	var list []string
	for i := range turns {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"%d %s"}`, 100+i, strings.Repeat(long, 2)))
	}
	return `{"handoffId":"h","conversationHistoryVerbatim":[` + strings.Join(list, ",") + `]}`
}

// The space that a short summary leaves is used to keep more turns. The summarizer is not asked
// again if no further turn fits.
func TestShortSummary(t *testing.T) {
	text := chat(40)
	one := open(t, []byte(text)).Measure(quarters).Turns[0]
	for limit := 600; limit < 600+one; limit++ {
		a := &author{text: "Short."}
		r := mustTrim(t, text, Options{MaxTokens: limit, KeepTurns: 1, Summarizer: a})
		if len(a.asked) != 1 || a.asked[0].MaxTokens < 100 {
			t.Fatalf("asked %d times, for %d tokens", len(a.asked), a.asked[0].MaxTokens)
		}
		if spare := limit - r.Record.TokensAfter; spare < 0 || spare >= one {
			t.Errorf("limit %d: %d tokens are left, where a turn has %d", limit, spare, one)
		}
		if len(a.asked[0].Turns) <= r.Gone {
			t.Errorf("limit %d: %d turns went of the %d that were summarised", limit, r.Gone, len(a.asked[0].Turns))
		}
		if got := restored(t, r.Text, r); got != text {
			t.Errorf("restored %s", got)
		}
	}
}

// The extractive summary covers exactly the removed turns.
func TestExtractiveOfWhatGoes(t *testing.T) {
	text := chat(40) // with one fact per turn, so that the summary is short
	for limit := 600; limit < 1500; limit += 50 {
		r := mustTrim(t, text, Options{MaxTokens: limit, KeepTurns: 1, Summarizer: summarize.Extractive{}, Method: Extractive})
		summary := open(t, r.Text).Root.Get("conversationHistorySummary").Text()
		if want := fmt.Sprintf("%d earlier turns:", r.Gone); !strings.HasPrefix(summary, want) {
			t.Errorf("limit %d: %q, want %q", limit, summary, want)
		}
		again := mustTrim(t, text, Options{MaxTokens: limit, KeepTurns: 1, Summarizer: &summarize.Extractive{}, Method: Extractive})
		if string(again.Text) != string(r.Text) {
			t.Errorf("limit %d: another result", limit)
		}
	}
}

// A tool call and its result are given back together, or not at all.
func TestUnitComesBack(t *testing.T) {
	call := `{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"` + long + `"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"` + strings.Repeat(long, 3) + `"}`
	text := `{"handoffId":"h","conversationHistoryVerbatim":[{"role":"user","content":"` + strings.Repeat(long, 12) + `"},` + call + `,{"role":"user","content":"last"}]}`
	kept := map[int]int{}
	for limit := 120; limit < 320; limit++ {
		r := mustTrim(t, text, Options{MaxTokens: limit, KeepTurns: 1, SummaryTokens: 60, Summarizer: says("Short.")})
		turns := 0
		for range open(t, r.Text).Turns {
			turns++
		}
		kept[turns]++
		if turns > 1 {
			if with := mustTrim(t, text, Options{MaxTokens: limit - 1, KeepTurns: 1, SummaryTokens: 60, Summarizer: says("Short.")}); kept[turns] == 1 && with.Record.TokensAfter > limit-1 {
				t.Errorf("limit %d: %d tokens", limit-1, with.Record.TokensAfter)
			}
			if spare := limit - r.Record.TokensAfter; kept[turns] == 1 && spare != 0 {
				t.Errorf("at the first limit with %d turns, %d, there are %d tokens left", turns, limit, spare)
			}
		}
	}
	if len(kept) != 2 || kept[1] == 0 || kept[3] == 0 {
		t.Errorf("turns kept, and how often: %v", kept)
	}
}

// Elements of Also are given back before any turn.
func TestAlsoComesBack(t *testing.T) {
	text := strings.Replace(chat(6), `"handoffId":"h"`, `"handoffId":"h","toolCallHistory":["`+strings.Repeat(long, 2)+`","`+strings.Repeat(long, 2)+`"]`, 1)
	seen := map[int]bool{}
	for limit := 100; limit < 400; limit++ {
		r, err := trimText(t, text, Options{MaxTokens: limit, KeepTurns: 1, Also: []Extra{ToolCallHistory}, SummaryTokens: 60, Summarizer: says("Short.")})
		if err != nil {
			continue
		}
		given := r.Record.GivenUp[string(ToolCallHistory)]
		seen[given] = true
		if given > 0 && r.Gone != 5 {
			t.Errorf("limit %d: %d of toolCallHistory given up, and only %d turns", limit, given, r.Gone)
		}
		if spare := limit - r.Record.TokensAfter; given > 0 && spare > 70 {
			t.Errorf("limit %d: %d tokens are left, with %d given up", limit, spare, given)
		}
	}
	if !seen[0] || !seen[1] || !seen[2] {
		t.Errorf("given up: %v", seen)
	}
}

// Without a limit, only SW4RM messages are trimmed, because their document has one.
func TestNoLimit(t *testing.T) {
	if _, err := trimText(t, chat(60), Options{}); !errors.Is(err, ErrNoLimit) {
		t.Errorf("error %v", err)
	}
	text := strings.Replace(chat(60), `"handoffId":"h","conversationHistoryVerbatim"`, `"conversation_history"`, 1)
	if r := mustTrim(t, text, Options{}); r.Gone != 10 {
		t.Errorf("%d turns gone", r.Gone)
	}
}

// A cancelled trim ends, even without a summary.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Message(ctx, document(t, []byte(chat(60))), jsonstream.Limits{}, Options{Last: 1, Meter: quarters}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// If a text counts more than its parts, turns that were given back are removed again, without
// an error.
func TestTakeBack(t *testing.T) {
	text := strings.Replace(chat(30), `"handoffId":"h","conversationHistoryVerbatim"`, `"conversation_history"`, 1)
	meter := quarters
	meter.Count = func(text string) int {
		n := quarters.Count(text)
		if strings.Contains(text, "removed:\nS") {
			n += 40 // more than the record is overestimated by
		}
		return n
	}
	for limit := 300; limit < 500; limit++ {
		short := &author{text: "Short."}
		for _, s := range []summarize.Summarizer{short, says("Short."), summarize.Extractive{}} {
			r, err := trimText(t, text, Options{MaxTokens: limit, KeepTurns: 1, Meter: meter, Summarizer: s})
			if err != nil || r.Record.TokensAfter > limit {
				t.Errorf("limit %d: %d tokens, error %v", limit, r.Record.TokensAfter, err)
			}
		}
		if len(short.asked) != 1 {
			t.Errorf("limit %d: asked %d times", limit, len(short.asked))
		}
	}
}

// spoken returns a context with two speakers in turn, in sentences that depend on seed.
func spoken(seed uint64) string {
	sentences := []string{"The contract ends on 2026-08-31.", "Decision: we keep the vendor until the audit is over.", "It costs 1,250.40 USD a month.",
		"The service answers with 503 since 09:30.", "TODO: ask Ms Meyer for the signed copy.", "Error: connection refused (10.0.0.7:5432).", "The risk is high because the indemnity has no cap."}
	r := rand.New(rand.NewPCG(seed, 1))
	var turns []string
	for i := range 14 {
		var said []string
		for range 1 + r.IntN(4) {
			said = append(said, fmt.Sprintf("%s (%d)", sentences[r.IntN(len(sentences))], i))
		}
		turns = append(turns, fmt.Sprintf(`{"role":"%s","content":"%s"}`, []string{"user", "assistant"}[i%2], strings.Join(said, " ")))
	}
	return `{"conversation_history":[` + strings.Join(turns, ",") + `],"tool_state":{},"metadata":{}}`
}

// The summary covers every removed turn, including one that was given back and removed again.
func TestSummaryAfterTakeBack(t *testing.T) {
	for _, seed := range []uint64{0, 11, 18} {
		for limit := 300; limit < 400; limit++ {
			r := mustTrim(t, spoken(seed), Options{MaxTokens: limit, KeepTurns: 1, Meter: realMeter(t), Summarizer: summarize.Extractive{}})
			before, _, _ := strings.Cut(string(r.Text), " earlier turns:")
			count := before[strings.LastIndexAny(before, `n"`)+1:] // after the preamble and its line feed
			if n, err := strconv.Atoi(count); err != nil || n < r.Gone {
				t.Errorf("seed %d, limit %d: %d turns are gone, and the summary is of %q", seed, limit, r.Gone, count)
			}
		}
	}
}

// A wrong estimate requests no more space than the message exceeds its limit by, if the message
// does not fit otherwise.
func TestLittleRoom(t *testing.T) {
	for seed, limit := range map[uint64]int{0: 183, 4: 229, 21: 212, 22: 219, 38: 198} {
		r, err := trimText(t, spoken(seed), Options{MaxTokens: limit, KeepTurns: 1, Meter: realMeter(t), Summarizer: summarize.Extractive{}})
		if err != nil || r.Record.TokensAfter > limit {
			t.Errorf("seed %d, limit %d: %d tokens, error %v", seed, limit, r.Record.TokensAfter, err)
		}
	}
}
