package chat

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/summarize"
)

// labelsOf lists the labels of the blocks in a request.
func labelsOf(a asked) []string {
	var labels []string
	for line := range strings.Lines(a.Parts[1].Content) {
		if rest, ok := strings.CutPrefix(line, "=== "); ok {
			_, label, _ := strings.Cut(strings.TrimSuffix(rest, " ===\n"), " ")
			labels = append(labels, label)
		}
	}
	return labels
}

// Each call includes the answer of the previous one. A turn that is too large for a call is sent in
// parts, and no word of any turn is lost or sent twice.
func TestCalls(t *testing.T) {
	var answers []http.HandlerFunc
	for i := range 6 {
		answers = append(answers, completion(fmt.Sprintf("summary-%d", i), "stop", usage))
	}
	e := serve(t, answers...)
	// A window of 3,000, less a reserve of 5%, the tokens for reasoning, the summary and
	// the prompt, leaves room for about 950 words.
	s := mustNew(t, Options{URL: e.URL, Model: "m", ContextWindow: 3000, ReasoningTokens: 1425})
	sizes := []int{400, 300, 400, 2000, 100}
	r := summarize.Request{Previous: "summary-old", MaxTokens: 100, Count: words}
	var want []string
	for i, n := range sizes {
		var text strings.Builder
		for j := range n {
			fmt.Fprintf(&text, "w%d-%d ", i, j)
		}
		want = append(want, strings.Fields(text.String())...)
		r.Turns = append(r.Turns, summarize.Turn{Role: "user", Text: text.String()})
	}
	got, err := s.Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(n int, more string) string { return fmt.Sprintf(`turn %d, role "user"%s`, n, more) }
	calls := [][]string{
		{soFar, turn(1, ""), turn(2, ""), "end of data"},
		{soFar, turn(3, ""), "end of data"},
		{soFar, turn(4, ""), "end of data"},
		{soFar, turn(4, continued), "end of data"},
		{soFar, turn(4, continued), turn(5, ""), "end of data"},
	}
	var labels [][]string
	var seen []string
	for i, a := range e.asked {
		labels = append(labels, labelsOf(a))
		previous := "summary-old"
		if i > 0 {
			previous = fmt.Sprintf("summary-%d", i-1)
		}
		if !strings.Contains(a.Parts[1].Content, "\n"+previous+"\n") {
			t.Errorf("call %d does not fold in %s", i, previous)
		}
		if n := words(a.Parts[0].Content) + words(a.Parts[1].Content) + a.Limit; n > 2850 {
			t.Errorf("call %d needs %d tokens", i, n)
		}
		for _, w := range strings.Fields(a.Parts[1].Content) {
			if w[0] == 'w' && strings.Contains(w, "-") {
				seen = append(seen, w)
			}
		}
	}
	if diff := cmp.Diff(calls, labels); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	wantSummary := summarize.Summary{Text: "summary-4", Usage: summarize.Usage{PromptTokens: 500, CompletionTokens: 100}}
	if got != wantSummary {
		t.Errorf("got %+v, want %+v", got, wantSummary)
	}
}

// A summary that is larger than the window is itself summarised in parts.
func TestLargePrevious(t *testing.T) {
	e := serve(t, completion("Fine.", "stop", usage))
	s := mustNew(t, Options{URL: e.URL, Model: "m", ContextWindow: 1500})
	_, err := s.Summarize(t.Context(), summarize.Request{Previous: strings.Repeat("word ", 1500), MaxTokens: 100, Count: words})
	if err != nil || len(e.asked) != 2 {
		t.Fatalf("asked %d times, error %v", len(e.asked), err)
	}
	if diff := cmp.Diff([]string{soFar, soFar + continued, "end of data"}, labelsOf(e.asked[1])); diff != "" {
		t.Error(diff)
	}
}

// The usage is also returned with an error.
func TestErrorInLaterCall(t *testing.T) {
	e := serve(t, completion("Fine.", "stop", usage), plain(401, ""))
	s := mustNew(t, Options{URL: e.URL, Model: "m", ContextWindow: 1500})
	got, err := s.Summarize(t.Context(), summarize.Request{Previous: strings.Repeat("word ", 1500), MaxTokens: 100, Count: words})
	if want := (summarize.Summary{Usage: summarize.Usage{PromptTokens: 100, CompletionTokens: 20}}); err == nil || got != want {
		t.Errorf("got %+v and error %v, want %+v and one", got, err, want)
	}
}

func TestNoRoom(t *testing.T) {
	e := serve(t, completion("Fine.", "stop", usage))
	r := twoTurns()
	r.Turns[0].Text = strings.Repeat("word ", 1000)
	for _, window := range []int{100, 700} {
		_, err := mustNew(t, Options{URL: e.URL, Model: "m", ContextWindow: window}).Summarize(t.Context(), r)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("window of %d tokens has no room", window)) || len(e.asked) != 0 {
			t.Errorf("asked %d times, error %v", len(e.asked), err)
		}
	}
}

// Each part is as long as possible, and ends between characters.
func TestPrefix(t *testing.T) {
	counters := map[string]func(string) int{
		"bytes": func(s string) int { return len(s) },
		"words": words,
		"fours": func(s string) int { return (len(s) + 3) / 4 },
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"bytes", "words", "fours"}).Draw(t, "counter")
		counted := 0
		count := func(s string) int { counted += len(s); return counters[name](s) }
		text := strings.Repeat(rapid.StringN(0, 40, -1).Draw(t, "text"), rapid.IntRange(0, 200).Draw(t, "times"))
		tokens := rapid.IntRange(-1, 2000).Draw(t, "tokens")
		n, _ := prefix(text, tokens, count)
		got := counters[name](text[:n])
		if got > max(0, tokens) {
			t.Fatalf("%d tokens of %d", got, tokens)
		}
		if n < len(text) && tokens > 100 && name != "words" && got < tokens*8/10 {
			t.Fatalf("only %d tokens of %d", got, tokens)
		}
		if tokens > counters[name](text)*21/20+4 && n < len(text) && name != "words" {
			t.Fatalf("%d bytes of %d, which fit", n, len(text))
		}
		if !utf8.ValidString(text[:n]) {
			t.Fatal("cut inside a character")
		}
		if counted > 8*(n+4*max(0, tokens)) {
			t.Fatalf("counted %d bytes to take %d", counted, n)
		}
	})
}
