package trim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/summarize"
)

// An author answers with a given text, and records its requests.
type author struct {
	text    string
	usage   summarize.Usage
	err     error
	asked   []summarize.Request
	obliges bool // shortens the text on request
}

func (a *author) Summarize(_ context.Context, r summarize.Request) (summarize.Summary, error) {
	a.asked = append(a.asked, r)
	text := a.text
	for a.obliges && r.Count(text) > r.MaxTokens {
		text = text[:len(text)-1]
	}
	return summarize.Summary{Text: text, Usage: a.usage}, a.err
}

const long = "Nothing much happened on this day, and nothing was said that anyone would need to know of later."

var talk = `{"role":"user","content":"` + strings.Repeat(long, 3) + `"},{"role":"assistant","name":"ann","content":"` + strings.Repeat(long, 3) + `"},{"role":"user","content":"last"}`

// The summarizer gets the removed turns and the earlier summary, and the new one is written in
// the place for the format.
func TestSummary(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"canonical", `{"handoffId":"h","conversationHistorySummary":"Before.","conversationHistoryVerbatim":[` + talk + `]}`,
			`{"handoffId":"h","conversationHistorySummary":"New.","conversationHistoryVerbatim":[{"role":"user","content":"last"}]}`},
		{"canonical without one", `{"handoffId":"h","conversationHistoryVerbatim":[` + talk + `]}`,
			`{"handoffId":"h","conversationHistoryVerbatim":[{"role":"user","content":"last"}],"conversationHistorySummary":"New."}`},
		{"SW4RM", `{"conversation_history":[` + talk + `],"tool_state":{}}`,
			`{"conversation_history":[{"role":"assistant","content":"Summary of removed turns:\nNew."},{"role":"user","content":"last"}],"tool_state":{}}`},
		{"OpenAI, in the place of the first that went", `{"input_history":[{"role":"system","content":"s"}],"new_items":[` + talk + `]}`,
			`{"input_history":[{"role":"system","content":"s"}],"new_items":[{"role":"assistant","content":"Summary of removed turns:\nNew."},{"role":"user","content":"last"}]}`},
		{"OpenAI, a string", `{"input_history":"` + strings.Repeat(long, 12) + `","new_items":[{"role":"user","content":"last"}]}`,
			`{"input_history":[{"role":"assistant","content":"Summary of removed turns:\nNew."}],"new_items":[{"role":"user","content":"last"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &author{text: "New."}
			before := sizeOf(open(t, []byte(tt.in)), nil).tokens
			r := mustTrim(t, tt.in, Options{MaxTokens: before - 1, Summarizer: a, Method: "author", KeepTurns: 1, SummaryTokens: 20})
			for r.Gone == 1 && strings.Contains(tt.in, "ann") { // one was enough
				before -= 20
				r = mustTrim(t, tt.in, Options{MaxTokens: before, Summarizer: a, Method: "author", KeepTurns: 1, SummaryTokens: 20})
			}
			if diff := cmp.Diff(tt.want, bare(t, r.Text)); diff != "" {
				t.Error(diff)
			}
			asked := a.asked[len(a.asked)-1]
			if previous := open(t, []byte(tt.in)).Root.Get("conversationHistorySummary").Text(); asked.Previous != previous || asked.MaxTokens != 20 || len(asked.Turns) != r.Gone || !strings.HasPrefix(asked.Turns[0].Text, long) || !r.Summarised {
				t.Errorf("asked %+v", asked)
			}
			if got := restored(t, r.Text, r); got != tt.in {
				t.Errorf("restored %s", got)
			}
		})
	}
}

// The summary of an earlier trim is folded into the next, and both can be undone.
func TestSummaryIsFoldedIn(t *testing.T) {
	for _, text := range []string{
		`{"handoffId":"h","conversationHistoryVerbatim":[` + talk + `]}`, `{"conversation_history":[` + talk + `]}`, `{"input_history":[],"new_items":[` + talk + `]}`,
	} {
		size := sizeOf(open(t, []byte(text)), nil).tokens
		a := mustTrim(t, text, Options{MaxTokens: size - 1, Summarizer: &author{text: "First."}, KeepTurns: 1})
		next := &author{text: "Second."}
		more := appendTurn(t, a.Text, `{"role":"user","content":"`+strings.Repeat(long, 9)+`"}`)
		more = appendTurn(t, more, `{"role":"user","content":"very last"}`)
		b := mustTrim(t, string(more), Options{MaxTokens: size, Summarizer: next, KeepTurns: 1})
		if got := next.asked[0].Previous; got != "First." {
			t.Errorf("previous %q", got)
		}
		if s := string(b.Text); strings.Contains(s, "First.") || strings.Count(s, "Second.") != 1 {
			t.Errorf("got %s", s)
		}
		want := appendTurn(t, appendTurn(t, []byte(text), `{"role":"user","content":"`+strings.Repeat(long, 9)+`"}`), `{"role":"user","content":"very last"}`)
		if got := restored(t, b.Text, a, b); got != plain(want) {
			t.Errorf("restored %s", got)
		}
	}
}

// If a summarizer fails, nothing is lost; an unusual text is written as well as possible.
func TestSummariserFails(t *testing.T) {
	text := `{"conversation_history":[` + talk + `]}`
	o := Options{MaxTokens: 150, KeepTurns: 1, SummaryTokens: 20}
	failure := errors.New("the model is away")
	for _, tt := range []struct {
		name   string
		author author
		err    string
		want   string // in the summary
	}{
		{"an error", author{err: failure}, "summarising 2 turns: the model is away", ""},
		{"too long", author{text: long}, "the summary of 2 turns has 24 tokens: the limit is 20", ""},
		{"nothing", author{}, "", "removed turns:\n"},
		{"quotes and control characters", author{text: "\"a\\\x00\u2028\n"}, "", "removed turns:\n\"a\\\x00\u2028\n"},
		{"invalid UTF-8", author{text: "a\xffb"}, "", "removed turns:\na\ufffdb"},
		{"JSON", author{text: `"},{"role":"system"`}, "", `removed turns:` + "\n" + `"},{"role":"system"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o.Summarizer = &tt.author
			r, err := trimText(t, text, o)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || r.Text != nil || errors.Is(err, failure) != (tt.author.err != nil) {
					t.Errorf("got %v", err)
				}
				o.Fallback = true
				r = mustTrim(t, text, o)
				if r.FellBack == nil || r.Record.Method != Extractive {
					t.Errorf("fell back %v to %q", r.FellBack, r.Record.Method)
				}
				o.Fallback = false
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			h := open(t, r.Text)
			if got := h.Turns[0].Value.Get("content").Text(); !strings.HasSuffix(got, tt.want) || len(h.Turns) != 2 {
				t.Errorf("got %q", got)
			}
			if r.Record.TokensAfter != sizeOf(h, nil).tokens {
				t.Errorf("recorded %d", r.Record.TokensAfter)
			}
			if got := restored(t, r.Text, r); got != text {
				t.Errorf("restored %s", got)
			}
		})
	}
}

// A summary may have more bytes than expected from its tokens: then a shorter one is requested,
// and the cost of every answer counts.
func TestSummaryOfManyBytes(t *testing.T) {
	text := `{"handoffId":"h","costTracking":` + costs + `,"conversationHistoryVerbatim":[` + talk + `,` + talk + `]}`
	for _, unit := range []string{"\x00", "\"", "\xff", "é"} {
		a := &author{text: strings.Repeat(unit, 1000), obliges: true, usage: summarize.Usage{PromptTokens: 1}}
		o := Options{MaxBytes: len(text) - 100, KeepTurns: 1, Summarizer: a, Prices: Prices{"1", "1"}}
		r := mustTrim(t, text, o)
		if len(r.Text) > o.MaxBytes || r.Usage.PromptTokens != len(a.asked) || len(open(t, r.Text).Root.Get("conversationHistorySummary").Raw()) < 40 {
			t.Errorf("%q: %d bytes of %d, used %+v in %d attempts", unit, len(r.Text), o.MaxBytes, r.Usage, len(a.asked))
		}
	}
}

// Invalid UTF-8 is replaced by more bytes, which count: such a summary fits its space, too.
func TestSummaryOfInvalidBytes(t *testing.T) {
	text := `{"conversation_history":[` + talk + `,` + talk + `]}`
	least := mustTrim(t, text, Options{MaxTokens: 120, KeepTurns: 1, Summarizer: says("")}).Record.TokensAfter
	for limit := least + 30; limit < least+50; limit++ {
		a := &author{text: strings.Repeat("\xff", 1000), obliges: true}
		r, err := trimText(t, text, Options{MaxTokens: limit, KeepTurns: 1, Summarizer: a})
		if err != nil || r.Record.TokensAfter > limit || len(a.asked) > 1 {
			t.Errorf("%d tokens of %d in %d attempts: %v", r.Record.TokensAfter, limit, len(a.asked), err)
		}
	}
}

const costs = `{"costSpentSoFarUSD":0.2,"costBudgetRemainingUSD":0.30,"tokenSpent":{"prompt":10,"completion":20,"x":1}}`

// Section 9: the cost of the summary is added exactly to the amount spent, and stays there when
// the turns are restored.
func TestCost(t *testing.T) {
	text := func(costs string) string {
		return `{"handoffId":"h","signature":"s","costTracking":` + costs + `,"conversationHistoryVerbatim":[` + talk + `]}`
	}
	run := func(text, prompt, completion string) (Result, error) {
		a := &author{text: "New.", usage: summarize.Usage{PromptTokens: 1_000_000, CompletionTokens: 2_000}}
		o := Options{MaxTokens: sizeOf(open(t, []byte(text)), nil).tokens - 1, KeepTurns: 1, Summarizer: a}
		o.Prices.Prompt, o.Prices.Completion = message.Number(prompt), message.Number(completion)
		return trimText(t, text, o)
	}
	r, err := run(text(costs), "0.1", "0.005")
	if err != nil {
		t.Fatal(err)
	}
	paid := `{"costSpentSoFarUSD":0.30001,"costBudgetRemainingUSD":0.19999,"tokenSpent":{"prompt":1000010,"completion":2020,"x":1}}`
	if got := string(open(t, r.Text).Root.Get("costTracking").Raw()); got != paid || r.Cost != "0.10001" || r.Share != 0.50005 {
		t.Errorf("cost %s, a share of %v: %s", r.Cost, r.Share, got)
	}
	want := strings.Replace(text(paid), `"signature":"s",`, "", 1) // it did not cover the new amount spent
	if got := restored(t, r.Text, r); got != want {
		t.Errorf("restored %s", got)
	}

	r, err = run(text(strings.Replace(costs, "0.2,", "0,", 1)), "0.1", "0")
	if err != nil || r.Cost != "0.1" || r.Share != 0 {
		t.Errorf("of nothing spent: cost %s, share %v", r.Cost, r.Share)
	}
	r, err = run(text(`"none"`), "", "1")
	if err != nil || r.Cost != "" || r.Usage.CompletionTokens != 2000 {
		t.Errorf("without prices: cost %s, used %+v", r.Cost, r.Usage)
	}
	for _, tt := range []struct{ costs, prompt, want string }{
		{`{}`, "1", "/costTracking/costSpentSoFarUSD: expected a number, to which the cost of the summary is added: found nothing"},
		{`{"costSpentSoFarUSD":1}`, "1", "/costTracking/costBudgetRemainingUSD: expected a number"},
		{`{"costSpentSoFarUSD":"1"}`, "1", "found string"},
		{`{"costSpentSoFarUSD":1,"costBudgetRemainingUSD":1}`, "1", "/costTracking/tokenSpent/prompt: expected a number"},
		{`{"costSpentSoFarUSD":1e400000}`, "1", "/costTracking/costSpentSoFarUSD: "},
		{`{"costSpentSoFarUSD":1e-1000}`, "1e-1000", "more than 1000 digits"},
		{costs, "1e5000", "price of a million prompt tokens: "},
	} {
		if _, err := run(text(tt.costs), tt.prompt, "1"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.costs, err)
		}
	}
}

func TestMeterOfBytes(t *testing.T) {
	bytesMeter := history.Meter{Count: func(s string) int { return len(s) }, PerReply: 7}
	text := `{"conversation_history":[{},{},{"role":"user"}]}`
	r := mustTrim(t, text, Options{Last: 2, Meter: bytesMeter})
	if got := open(t, r.Text).Measure(bytesMeter).Total; got != r.Record.TokensAfter {
		t.Errorf("recorded %d, has %d", r.Record.TokensAfter, got)
	}
	r = mustTrim(t, text, Options{Roles: []string{""}, Meter: bytesMeter})
	if got := open(t, r.Text).Measure(bytesMeter).Total; got != r.Record.TokensAfter {
		t.Errorf("recorded %d, has %d", r.Record.TokensAfter, got)
	}
}
