package repair

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

var oracleHistories = flag.Int("histories", tier.Count(8, 400), "how many histories TestOracles repairs for each SDK")

// TestOracles checks that the SDK of a format accepts every repaired history, after turns were removed,
// repeated or exchanged.
func TestOracles(t *testing.T) {
	program := oracle.New(t)
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
			sdk := program.StartSample(t, tt.oracle)
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
					// ADK finds the call of a last response by its id, which the API does not require.
					whole = whole[:len(whole)-1]
					continue
				}
				if strings.Contains(string(r.Text), `{"type":"local_shell_call_output","id"`) && strings.Contains(string(r.Text), NoResult) {
					// openai 7.59 has no call_id for it, which the API requires (openai-python 3923).
					whole = whole[:len(whole)-1]
					continue
				}
				mended = append(mended, r.Text)
			}
			answers := sdk.Ask(slices.Concat(whole, mended)...)
			before, after := answers[:len(whole)], answers[len(whole):]
			taken := 0
			for i := range before {
				if before[i].OK { // faults in the SDK's types only were not repaired
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

// TestSwarm repairs the history of a swarm in which an agent handed over during another call. The result
// of that call was lost, and the run continues after the repair.
func TestSwarm(t *testing.T) {
	dir := oracle.Install(t)
	run := func(args ...string) (given []json.RawMessage) {
		command := exec.Command("node", append([]string{filepath.Join(dir, "swarm.mjs"), "--as", "stored,constructor"}, args...)...)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for line := range bytes.Lines(out) {
			var answer struct {
				OK    bool
				Given json.RawMessage
			}
			if err := json.Unmarshal(line, &answer); err != nil || !answer.OK {
				t.Fatalf("%v: %s", err, line)
			}
			given = append(given, answer.Given)
		}
		if len(given) != 2 {
			t.Fatalf("%d forms are answered: %s", len(given), out)
		}
		return given
	}
	o := Options{For: provider.OpenAIChat}
	var files []string
	for i, lost := range run("run") {
		r := repaired(t, lost, o)
		if r.Format != format.LangChain || len(r.Steps) != 1 || r.Steps[0].Rule != "openai-chat/call-without-result" || len(r.Left) > 0 {
			t.Errorf("%s: %+v", lost, r)
		}
		files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		if err := os.WriteFile(files[i], r.Text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, gone := range run("resume", strings.Join(files, ",")) {
		if r, err := Message(document(t, gone), jsonstream.Unlimited(), o); err != nil || len(r.Steps) > 0 {
			t.Errorf("the model gets an unrepaired history: %s: %+v, %v", gone, r.Steps, err)
		}
	}
}

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }
