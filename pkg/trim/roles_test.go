package trim

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// A conversation has the same summary in every shape of turns.
func TestSummaryOfEveryShape(t *testing.T) {
	long := strings.Repeat(`{\"id\":\"RM-1\",\"price\":94},`, 40)
	summaries := map[string]string{}
	for name, text := range map[string]string{
		"Responses": `{"input_history":[{"role":"user","content":"A room in Graz, please."},{"type":"function_call","call_id":"c1","name":"find_rooms","arguments":"{\"city\":\"Graz\"}"},` +
			`{"type":"function_call_output","call_id":"c1","output":"[` + long + `{\"id\":\"RM-127\",\"price\":71}]"},{"role":"assistant","content":"RM-127 it is."},{"role":"user","content":"last"}]}`,
		"run items": `{"input_history":[{"role":"user","content":"A room in Graz, please."}],"new_items":[{"type":"tool_call_item","raw_item":{"type":"function_call","call_id":"c1","name":"find_rooms","arguments":"{\"city\":\"Graz\"}"}},` +
			`{"type":"tool_call_output_item","raw_item":{"type":"function_call_output","call_id":"c1","output":"[` + long + `{\"id\":\"RM-127\",\"price\":71}]"}},{"role":"assistant","content":"RM-127 it is."},{"role":"user","content":"last"}]}`,
		"Chat": `{"conversation_history":[{"role":"user","content":"A room in Graz, please."},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_rooms","arguments":"{\"city\":\"Graz\"}"}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"[` + long + `{\"id\":\"RM-127\",\"price\":71}]"},{"role":"assistant","content":"RM-127 it is."},{"role":"user","content":"last"}]}`,
		"Messages": `{"conversation_history":[{"role":"user","content":"A room in Graz, please."},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find_rooms","input":{"city":"Graz"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"[` + long + `{\"id\":\"RM-127\",\"price\":71}]"}]},{"role":"assistant","content":"RM-127 it is."},{"role":"user","content":"last"}]}`,
	} {
		r := mustTrim(t, text, Options{Last: 1, KeepTurns: 1, SummaryTokens: 40, Summarizer: summarize.Extractive{}, Method: Extractive})
		h := open(t, r.Text)
		summaries[name] = h.Turns[0].Value.Get("content").Text()
	}
	for name, summary := range summaries {
		if summary != summaries["Chat"] || !strings.Contains(summary, "RM-127") || !strings.Contains(summary, "Graz") {
			t.Errorf("%s: %q, and of Chat %q", name, summary, summaries["Chat"])
		}
	}
}
