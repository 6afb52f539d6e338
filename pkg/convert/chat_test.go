package convert

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

var histories = flag.Int("histories", tier.Count(3, 200), "how many histories are converted for each SDK")

// madeUp are the formats of generated histories.
var madeUp = []format.Format{format.OpenAIChat, format.OpenAIResponses, format.Anthropic, format.LangChain, format.AISDK, format.Gemini, format.A2A}

// refused returns the errors of the rules of a provider and of the format.
func refused(t fataler, f format.Format, text []byte, p provider.Provider) []string {
	t.Helper()
	doc := parsedIn(t, text, f)
	h, err := history.Of(doc, f, jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	found := provider.Check(p, h)
	if check := formats.Named(f).Check; check != nil {
		found = append(found, check(doc, jsonstream.Limits{})...)
	}
	var problems []string
	for _, f := range found {
		if f.Severity == finding.Error {
			problems = append(problems, f.Rule+" "+f.Pointer+": "+f.Message)
		}
	}
	return problems
}

// TestAPIsTake checks that a valid history, converted for an API, breaks neither the schema nor the
// rules of the provider.
func TestAPIsTake(t *testing.T) {
	for _, to := range []format.Format{format.OpenAIChat, format.OpenAIResponses, format.Codex, format.Anthropic, format.BedrockConverse, format.ClaudeCode, format.Gemini} {
		for _, from := range madeUp {
			if from == to {
				continue
			}
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				own, p := provider.Provider(formats.Named(from).Provider), provider.Provider(formats.Named(to).Provider)
				count, whole := tier.Count(20, 200), 0
				for seed := range uint64(count) {
					source := chatgen.History(rand.New(rand.NewPCG(seed, 4)), from)
					there := converted(t, source, from, to)
					mustBeDetected(t, to, there)
					if problems := conform(t, to, there); len(problems) > 0 {
						t.Fatalf("seed %d: %s\n%s\n%s", seed, strings.Join(problems, "\n"), source, there)
					}
					if own != "" && len(refused(t, from, source, own)) > 0 {
						continue
					}
					whole++
					if problems := refused(t, to, there, p); len(problems) > 0 {
						t.Fatalf("seed %d: %s\n%s\n%s", seed, strings.Join(problems, "\n"), source, there)
					}
				}
				if whole < count/2 {
					t.Errorf("only %d histories had no fault of their own", whole)
				}
			})
		}
	}
}

// mustBeDetected fails unless a converted message is taken for one of its format, so that it can be converted
// back without naming the format.
func mustBeDetected(t *testing.T, want format.Format, text []byte) {
	t.Helper()
	if got, _ := formats.Detect(parsedIn(t, text, want).Root()); got != want {
		t.Fatalf("detected as %q: %s", got, text)
	}
}

// TestSDKsOfAPIs checks that the SDKs accept converted histories of other formats, in their types and
// when they send them.
func TestSDKsOfAPIs(t *testing.T) {
	program := oracle.New(t)
	for _, tt := range []struct {
		oracle string
		to     format.Format
		// bare returns the turns without the carried data, which no API accepts.
		bare func(t *testing.T, text []byte) []byte
	}{
		{"openai-chat", format.OpenAIChat, withoutHandoff},
		{"openai-responses", format.OpenAIResponses, withoutOmissions},
		{"codex", format.Codex, withoutLine},
		{"anthropic", format.Anthropic, withoutHandoff},
		{"bedrock-converse", format.BedrockConverse, withoutHandoff},
		{"gemini", format.Gemini, func(t *testing.T, text []byte) []byte { return tree.Of(parsed(t, text)).Get("contents").Compact() }},
	} {
		t.Run(tt.oracle, func(t *testing.T) {
			sdk := program.StartSample(t, tt.oracle)
			var docs [][]byte
			for seed := range uint64(*histories) {
				r := rand.New(rand.NewPCG(seed, 6))
				for _, from := range madeUp {
					if from == tt.to {
						continue
					}
					doc := tt.bare(t, converted(t, chatgen.History(r, from), from, tt.to))
					if tt.to == format.Anthropic && bytes.Contains(doc, []byte(`"mcp_tool_`)) {
						continue // of the beta, which has types of its own
					}
					docs = append(docs, doc)
				}
			}
			for i, answer := range sdk.Ask(docs...) {
				if !answer.OK {
					t.Errorf("%s\n%s", answer.Error, docs[i])
				}
			}
		})
	}
}

// withoutHandoff returns a message without its member handoff.
func withoutHandoff(t *testing.T, text []byte) []byte {
	return tree.Of(parsed(t, text)).With("handoff", tree.None).Compact()
}

// withoutOmissions is like withoutHandoff, and adds the id, status and type of an assistant's message of parts. The
// API takes a message without them, as docs/chat-formats.md says. The SDK's types require them, since responses have the
// same types.
func withoutOmissions(t *testing.T, text []byte) []byte {
	request := tree.Of(parsed(t, withoutHandoff(t, text)))
	items := slices.Clone(tree.Elements(request.Get("input")))
	for i, item := range items {
		if item.Get("role").Text() == "assistant" && item.Get("content").Is(jsonstream.Array) && item.Get("id") == tree.None {
			items[i] = item.With("id", tree.String(fmt.Sprintf("msg_%d", i))).With("status", tree.String("completed")).With("type", tree.String("message"))
		}
	}
	if len(items) > 0 {
		request = request.With("input", tree.Array(items...))
	}
	return request.Compact()
}

// withoutLine returns the lines of a session, as an array, without the line with the carried data,
// which Codex ignores.
func withoutLine(t *testing.T, text []byte) []byte {
	lines := tree.Elements(tree.Of(parsedIn(t, text, format.Codex)))
	return tree.Array(lines[:len(lines)-1]...).Compact()
}

// TestCarriesNoTurns checks that all turns of an ordinary history can be translated back, so that few
// turns are carried.
func TestCarriesNoTurns(t *testing.T) {
	for _, tt := range []struct {
		from format.Format
		// most returns the maximum number of carried turns for a source; nil means 0.
		most func(source *jsonstream.Document) int
	}{
		{from: format.OpenAIChat, most: silentCalls},
		{from: format.OpenAIResponses},
		{from: format.Anthropic},
		{from: format.BedrockConverse},
		{from: format.Gemini, most: silentEvents},
	} {
		for _, form := range chatgen.Forms(tt.from) {
			if form == "array" && tt.from == format.OpenAIChat {
				continue // the same as the object
			}
			t.Run(fmt.Sprintf("%s %s", tt.from, form), func(t *testing.T) {
				for seed := range uint64(tier.Count(50, 200)) {
					source := chatgen.OrdinaryIn(rand.New(rand.NewPCG(seed, 5)), tt.from, form)
					if tt.from == format.Gemini && bytes.Contains(source, []byte(`"output":"{}"`)) {
						continue // a text that is equal to an object's JSON is written as the object
					}
					r, err := Convert(parsed(t, source), format.EAAPL, Options{From: tt.from})
					if err != nil {
						t.Fatal(err)
					}
					most := 0
					if tt.most != nil {
						most = tt.most(parsed(t, source))
					}
					if turns := carriedTurns(r.Report); turns > most {
						t.Fatalf("seed %d: %d turns are carried, want at most %d\n%s\n%s", seed, turns, most, source, r.Text)
					}
				}
			})
		}
	}
}

func carriedTurns(r Report) int {
	turns := 0
	for _, c := range r.Carried {
		turns += c.Turns
	}
	return turns
}

// silentCalls counts messages with calls and without content; other messages have null there.
func silentCalls(source *jsonstream.Document) int {
	n := 0
	for _, message := range source.Root().Get("messages").Elements() {
		if message.Get("tool_calls").Exists() && !message.Get("content").Exists() {
			n++
		}
	}
	return n
}

// silentEvents counts the events of ADK without content, each with the neighbour that is also carried.
func silentEvents(source *jsonstream.Document) int {
	text := source.Raw().Bytes
	return 2 * max(bytes.Count(text, []byte(`"author"`))-bytes.Count(text, []byte(`"content"`)), 0)
}

// The AI SDK requires an input of each call, also of one that the provider runs.
func TestHostedCallWithoutInput(t *testing.T) {
	text := converted(t, []byte(`[{"role":"user","content":[{"text":"Look."}]},{"role":"assistant","content":[`+
		`{"toolUse":{"toolUseId":"t1","name":"nova_grounding","type":"server_tool_use"}},`+
		`{"toolResult":{"toolUseId":"t1","content":[{"text":"found"}],"status":"success","type":"nova_grounding_result"}},{"text":"Done."}]}]`),
		format.BedrockConverse, format.AISDK)
	if want := `"toolName":"nova_grounding","input":{},"providerExecuted":true`; !strings.Contains(string(text), want) {
		t.Errorf("no %s in %s", want, text)
	}
}
