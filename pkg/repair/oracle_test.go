package repair

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/oracle"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

var oracleHistories = flag.Int("histories", 60, "how many histories TestOracles repairs for each SDK")

// The SDK of a format takes every history once it is repaired, whatever was removed, doubled or
// exchanged in it.
func TestOracles(t *testing.T) {
	for _, tt := range []struct {
		oracle string
		format format.Format
		forms  []string
	}{
		{"ai-model", format.AISDK, []string{"model"}},
		{"ai-ui", format.AISDK, []string{"ui"}},
		{"langchain", format.LangChain, []string{"stored", "flat"}},
		{"gemini", format.Gemini, []string{"contents"}},
		{"adk", format.Gemini, []string{"events"}},
		{"openai-chat", format.OpenAIChat, []string{"array"}},
		{"openai-responses", format.OpenAIResponses, []string{"array"}},
		{"anthropic", format.Anthropic, []string{"array"}},
		{"bedrock-converse", format.BedrockConverse, []string{"array"}},
		{"a2a", format.A2A, []string{"task", "task 0.3"}},
	} {
		t.Run(tt.oracle, func(t *testing.T) {
			sdk := oracle.Start(t, tt.oracle)
			var whole, mended [][]byte
			for seed := range uint64(*oracleHistories) {
				rng := rand.New(rand.NewPCG(seed, 9))
				text := chatgen.HistoryIn(rng, tt.format, tt.forms[rng.IntN(len(tt.forms))])
				whole = append(whole, text)
				for range 1 + rng.IntN(3) {
					text = mutate(t, rng, text, tt.format)
				}
				r := repaired(t, text, Options{Format: tt.format})
				if len(r.Left) > 0 {
					t.Errorf("seed %d: left %+v", seed, r.Left)
				}
				if tt.oracle == "adk" && strings.Contains(string(r.Text), "functionResponse") && !strings.Contains(string(r.Text), `"functionResponse":{"id"`) {
					// ADK looks for the call of a last response by its id, which the API does not ask for.
					whole = whole[:len(whole)-1]
					continue
				}
				mended = append(mended, r.Text)
			}
			before, after := sdk.Ask(whole...), sdk.Ask(mended...)
			taken := 0
			for i := range before {
				if before[i].OK { // what the types of the SDK do not have was not mended either
					taken++
					if !after[i].OK {
						t.Errorf("seed %d: %s\n%s", i, after[i].Error, mended[i])
					}
				}
			}
			t.Logf("%d of %d histories were taken before they were mutated", taken, len(before))
			if taken < len(before)/4 {
				t.Errorf("only %d of %d histories were taken before they were mutated: %s", taken, len(before), before[0].Error)
			}
		})
	}
}

// Two agents of a swarm, of which one hands over while another call of it runs: the result of
// that call is lost, repair mends the history, and the run goes on.
func TestSwarm(t *testing.T) {
	dir := oracle.Install(t)
	run := func(args ...string) (answer struct {
		OK              bool
		Error           string
		Messages, Given json.RawMessage
		Request         json.RawMessage
	}) {
		command := exec.Command("node", append([]string{filepath.Join(dir, "swarm.mjs")}, args...)...)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := json.Unmarshal(out, &answer); err != nil || !answer.OK {
			t.Fatalf("%v: %s", err, out)
		}
		return answer
	}
	for _, as := range []string{"stored", "constructor"} {
		lost := run("run", "--as", as).Given
		o := Options{For: provider.OpenAIChat}
		r := repaired(t, lost, o)
		if r.Format != format.LangChain || len(r.Steps) != 1 || r.Steps[0].Rule != "openai-chat/call-without-result" || len(r.Left) > 0 {
			t.Errorf("%s: %+v", lost, r)
		}
		file := filepath.Join(t.TempDir(), "mended.json")
		if err := os.WriteFile(file, r.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		gone := run("resume", file, "--as", as).Given
		if r, err := Message(document(t, gone), jsonstream.Unlimited(), o); err != nil || len(r.Steps) > 0 {
			t.Errorf("the model is given what is not repaired: %s: %+v, %v", gone, r.Steps, err)
		}
	}
}
