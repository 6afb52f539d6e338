package tool

import (
	"encoding/json"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
)

// TestJavaScript compares the names, descriptions and outputs of handoffs with those of the JavaScript
// SDK, in a run with a model that hands over.
func TestJavaScript(t *testing.T) {
	sdk := oracle.Start(t, "openai-handoff")
	agents := []string{"Billing Agent", "billing", "Refunds & Returns", "a_b-c.d", "Ärzte", "🙂 smile", "tab\there", `say "hi" \ there`, "<b>&amp;</b>", "\u2028line", "日本"}
	var questions [][]byte
	for _, agent := range agents {
		question, err := json.Marshal(map[string]string{"agent": agent, "description": "Knows " + agent + "."})
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, question)
	}
	for i, answer := range sdk.Ask(questions...) {
		var said struct {
			Tool, Description string
			Output            json.RawMessage
		}
		if err := json.Unmarshal(answer.Raw, &said); err != nil || !answer.OK {
			t.Errorf("%s: %s, %v", agents[i], answer.Error, err)
			continue
		}
		var text string // the SDK may return an output as a part with a text
		if json.Unmarshal(said.Output, &text) != nil {
			var part struct{ Text string }
			if err := json.Unmarshal(said.Output, &part); err != nil {
				t.Fatalf("%s: %s", said.Output, err)
			}
			text = part.Text
		}
		output, err := JavaScript.Output(agents[i])
		if err != nil {
			t.Fatal(err)
		}
		if name := JavaScript.ToolName(agents[i]); name != said.Tool || defaultDescription(agents[i], "Knows "+agents[i]+".") != said.Description || string(output) != text {
			t.Errorf("%s: %s, %s; the SDK has %s, %s, %q", agents[i], name, output, said.Tool, text, said.Description)
		}
	}
}
