package chat

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// TestForgets uses a model that writes good and bad summaries: forgotten facts are added, and its
// own text is unchanged.
func TestForgets(t *testing.T) {
	r := summarize.Request{
		MaxTokens: 60,
		Count:     words,
		Turns: []summarize.Turn{
			{Role: "user", Text: "I would like a room in Graz from 2026-05-12, for at most 90 EUR."},
			{Role: "assistant", Text: `find_rooms {"city":"Graz","from":"2026-05-12"}`},
			{Role: "tool", Text: `[{"id":"RM-118","price":94},{"id":"RM-127","price":71},{"id":"RM-131","price":88},{"id":"RM-140","price":120},{"id":"RM-151","price":99}]`},
			{Role: "assistant", Text: "RM-127 costs 71 EUR."},
			{Role: "user", Text: "We take RM-127. We do not want breakfast."},
			{Role: "assistant", Text: "The payment was declined."},
		},
	}
	facts := []string{"2026-05-12", "90 EUR", "RM-127", "71", "not want breakfast", "declined"}
	for name, text := range map[string]string{
		"good":       "The user takes room RM-127 in Graz from 2026-05-12 for 71 EUR, at most 90 EUR, and does not want breakfast; the payment was declined.",
		"half":       "The user takes room RM-127 for 71 EUR.",
		"small talk": "The user said hello and the agent was glad to help.",
		"empty":      "",
		"wrong":      "The user takes RM-999 for 17 EUR.",
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, completion(text, "stop", `,"usage":{"prompt_tokens":310,"completion_tokens":9}`))
			s := summarize.Completing{Summarizer: mustNew(t, Options{URL: e.URL + "/v1", Model: "small", Key: testKey})}
			got, err := s.Summarize(t.Context(), r)
			if err != nil && text != "" {
				t.Fatal(err)
			}
			if err != nil {
				return // an answer without text is an error, for which another summariser may be used
			}
			if !strings.HasPrefix(got.Text, text) || words(got.Text) > r.MaxTokens {
				t.Errorf("%q in %d words", got.Text, words(got.Text))
			}
			for _, fact := range facts {
				if name != "good" && !strings.Contains(got.Text, fact) {
					t.Errorf("%q is missing in %q", fact, got.Text)
				}
			}
			if name == "good" && strings.Contains(got.Text, "RM-118") {
				t.Errorf("%q has what nobody used", got.Text)
			}
		})
	}
}
