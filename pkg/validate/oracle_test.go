package validate

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Our schemas of the AI SDK's messages accept the same documents as its own, and our rules find
// the faults that generateText rejects. The documents are generated and then changed at random.
func TestAISDK(t *testing.T) {
	program := oracle.New(t)
	for _, tt := range []struct {
		oracle, check string
		forms         []string
		also          [][]byte
	}{
		{"ai-model", "schema", []string{"model", "model object"}, nil},
		{"ai-ui", "validate", []string{"ui", "ui object"}, tools()},
	} {
		t.Run(tt.oracle, func(t *testing.T) {
			sdk := program.Start(t, tt.oracle)
			docs := append(mutants(t, format.AISDK, tt.forms, tier.Count(150, 10_000)), tt.also...)
			schema, check := schemaOf(format.AISDK), formats.Named(format.AISDK).Check
			var taken, refused, wrong int
			for i, answer := range sdk.Ask(docs...) {
				said, asked := answer.Checks[tt.check]
				if !asked {
					continue
				}
				generate := answer.Checks["generate"]
				if strings.Contains(generate, "messages must not be empty") { // the type is that of any array
					said = generate
				}
				doc := parseJSON(t, docs[i])
				found := schema.Check(doc.Root())
				agreed := (said == "") == (len(found) == 0)
				if said == "" {
					taken++
					refuses := slices.ContainsFunc([]string{"AI_MissingToolResultsError", "AI_InvalidToolApprovalError", "AI_ToolCallNotFoundForApprovalError"},
						func(name string) bool { return strings.HasPrefix(generate, name) })
					if generate != "" && !refuses { // it fails for reasons outside the rules, such as base64
						continue
					}
					if refuses {
						refused++
					}
					found = slices.DeleteFunc(check(doc, jsonstream.Limits{}), func(f finding.Finding) bool {
						return !slices.Contains([]string{"ai-sdk/call-without-result", "ai-sdk/pending-tool", "ai-sdk/approval"}, f.Rule)
					})
					agreed = agreed && refuses == (len(found) > 0)
				}
				if !agreed {
					if wrong++; wrong < 10 {
						t.Errorf("the SDK says %q and %q; found %+v in %s", said, generate, found, docs[i])
					}
				}
			}
			if wrong > 0 || taken < len(docs)/10 || taken > len(docs)*9/10 || refused == 0 {
				t.Errorf("%d of %d are judged otherwise; the SDK takes %d, of which generateText refuses %d", wrong, len(docs), taken, refused)
			}
		})
	}
}

// tools returns UIMessages with a tool in each state, as the last message and before another.
func tools() (docs [][]byte) {
	for _, part := range []string{
		`"state":"input-streaming"`, `"state":"input-available","input":{}`, `"state":"input-available","input":{},"providerExecuted":true`,
		`"state":"approval-requested","input":{},"approval":{"id":"a"}`,
		`"state":"approval-responded","input":{},"approval":{"id":"a","approved":true}`, `"state":"approval-responded","input":{},"approval":{"id":"a","approved":false}`,
		`"state":"output-available","input":{},"output":1`, `"state":"output-error","input":{},"errorText":"x"`,
		`"state":"output-denied","input":{},"approval":{"id":"a","approved":false}`,
	} {
		for _, kind := range []string{`"type":"tool-f"`, `"type":"dynamic-tool","toolName":"f"`} {
			for _, after := range []string{``, `,{"id":"3","role":"user","parts":[{"type":"text","text":"Go on."}]}`, `,{"id":"3","role":"assistant","parts":[{"type":"text","text":"Done."}]}`} {
				if after == "" && strings.Contains(part, `"approved":true`) {
					continue // generateText runs the tool, which the oracle does not have
				}
				docs = append(docs, []byte(`[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]},{"id":"2","role":"assistant","parts":[{`+kind+`,"toolCallId":"c",`+part+`}]}`+after+`]`))
			}
		}
	}
	return docs
}

// mutants returns histories of a format in some of its forms, half of them with changes.
func mutants(t *testing.T, f format.Format, forms []string, n int) [][]byte {
	var docs [][]byte
	r := rand.New(rand.NewPCG(7, uint64(len(forms))))
	for i := range n {
		text := chatgen.HistoryIn(r, f, forms[i%len(forms)])
		if i%16 > 0 {
			text = chatgen.Mutate(r, parseJSON(t, text).Root())
		}
		docs = append(docs, text)
	}
	return docs
}

func parseJSON(t *testing.T, text []byte) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return doc
}

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }
