package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/vectors"
)

// historyOf reads a history.
func historyOf(t *testing.T, text string, f format.Format) *history.History {
	t.Helper()
	raw := jsonstream.NewRaw([]byte(text))
	raw.Lines = strings.Contains(text, "}\n{")
	doc, err := jsonstream.Parse(raw, jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	h, err := history.Of(doc, f, jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return h
}

func found(t *testing.T, p Provider, text string, f format.Format) []string {
	t.Helper()
	var ids []string
	for _, f := range Check(p, historyOf(t, text, f)) {
		ids = append(ids, f.Rule+" "+f.Pointer)
		if !strings.Contains(f.Message, ";") && !strings.Contains(f.Message, ":") || f.Reason == "" || f.Severity == "" {
			t.Errorf("a finding without a remedy: %+v", f)
		}
	}
	return ids
}

// TestRules checks the examples of every rule. The failing example breaks its rule and no other, except for
// last-turn. The repaired example breaks neither its rule nor a rule with the severity error.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("%s is on the page twice", r.ID)
		}
		seen[r.ID] = true
		t.Run(r.ID, func(t *testing.T) {
			if r.Summary == "" || r.Why == "" || r.Severity != finding.Error && r.Severity != finding.Warning {
				t.Errorf("the rule lacks a summary, a reason or a severity: %+v", r)
			}
			if r.Bad == "" {
				t.Skip("the rule has no example: it would be too long")
			}
			p, _, _ := strings.Cut(r.ID, "/")
			bad := found(t, Provider(p), r.Bad, format.Format(p))
			if !slices.ContainsFunc(bad, func(id string) bool { return strings.HasPrefix(id, r.ID+" ") }) {
				t.Errorf("%s: found %q", r.Bad, bad)
			}
			for _, f := range Check(Provider(p), historyOf(t, r.Bad, format.Format(p))) {
				if f.Rule != r.ID && !strings.HasSuffix(f.Rule, "/last-turn") {
					t.Errorf("%s: found %s as well, at %s: %s", r.Bad, f.Rule, f.Pointer, f.Message)
				}
			}
			for _, f := range Check(Provider(p), historyOf(t, r.Good, format.Format(p))) {
				if f.Severity == finding.Error || f.Rule == r.ID {
					t.Errorf("repaired, %s: %s at %s: %s", r.Good, f.Rule, f.Pointer, f.Message)
				}
			}
		})
	}
}

// TestRoleWithoutParts checks the roles of turns that have no other member.
func TestRoleWithoutParts(t *testing.T) {
	text := `[{"role":"user","parts":[{"text":"Weather?"}]},{"role":"model"},{"role":"assistant"},{"role":"user","parts":[{"text":"Hello?"}]}]`
	for _, id := range found(t, Gemini, text, format.Gemini) {
		if strings.HasPrefix(id, "gemini/role ") && id != "gemini/role /2/role" {
			t.Errorf("found %s in %s", id, text)
		}
	}
}

// TestReasoningOfOthers checks that the AI SDK's reasoning of another provider, or without a signature, is no fault: its
// packages for Anthropic and Bedrock do not send it, according to the SDK itself.
func TestReasoningOfOthers(t *testing.T) {
	program := oracle.New(t)
	for p, name := range map[Provider]string{Anthropic: "anthropic", BedrockConverse: "bedrock"} {
		sdk := program.Start(t, "ai-request", name)
		for options, sent := range map[string]bool{
			`{}`: false, `{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"gAAA"}}`: false,
			`{"anthropic":{"signature":"EqQB"}}`: p == Anthropic, `{"bedrock":{"signature":"EqQB"}}`: p == BedrockConverse,
		} {
			text := `[{"role":"user","content":"Weather?"},{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","providerOptions":` + options + `},{"type":"text","text":"Sunny."}]},{"role":"user","content":"Thanks."}]`
			if ids := found(t, p, text, format.AISDK); len(ids) > 0 {
				t.Errorf("%s: found %q in %s", p, ids, text)
			}
			if answer := sdk.Ask([]byte(text))[0]; !answer.OK || strings.Contains(string(answer.Raw), `"Hm."`) != sent {
				t.Errorf("%s: the reasoning is sent: want %t in %s", p, sent, answer.Raw)
			}
		}
	}
}

// TestToolOfAnotherProvider checks that the AI SDK sends the search that Anthropic ran to other APIs without its result,
// according to the SDK itself, and that this is a warning. findings/ai-sdk-provider-call-elsewhere.sh asks more packages.
func TestToolOfAnotherProvider(t *testing.T) {
	const search = `{"type":"tool-call","toolCallId":"srvtoolu_1","toolName":"web_search","input":{"query":"trams"},"providerExecuted":true%s},{"type":"tool-result","toolCallId":"srvtoolu_1","toolName":"web_search","output":{"type":"json","value":[]}}`
	const text = `[{"role":"user","content":"Trams?"},{"role":"assistant","content":[` + search + `,{"type":"text","text":"None."}]},{"role":"user","content":"Thanks."}]`
	for _, p := range All() {
		var want []string
		if p == OpenAIChat || p == OpenAIResponses || p == Gemini {
			want = []string{string(p) + "/call-without-result /1/content/0/toolCallId"}
		}
		if got := found(t, p, fmt.Sprintf(text, ""), format.AISDK); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", p, got, want)
		}
	}
	own := fmt.Sprintf(text, `,"providerOptions":{"google":{"serverToolCallId":"s1","serverToolType":"GOOGLE_SEARCH_WEB"}}`)
	if got := found(t, Gemini, own, format.AISDK); len(got) > 0 {
		t.Errorf("Gemini's own search: found %q", got)
	}
	if got := found(t, OpenAIResponses, strings.ReplaceAll(own, "srvtoolu_1", "ws_1"), format.AISDK); len(got) > 0 {
		t.Errorf("OpenAI's own search: found %q", got)
	}
}

// TestInvalidCalls checks that LangChain's calls that it could not read are no calls of APIs other than OpenAI's, unless
// the content has them too: @langchain/anthropic 1.5.11, @langchain/google-genai 2.3.2 and @langchain/aws 1.4.5 send
// their results only. @langchain/openai 1.6.0 does so too, but the package for Python sends these calls.
func TestInvalidCalls(t *testing.T) {
	const text = `[{"type":"human","content":"Refund it."},{"type":"ai","content":"I do.","invalid_tool_calls":[{"name":"refund","args":"{\"a\": 4","id":"c_1","error":"cut off","type":"invalid_tool_call"}]},%s{"type":"human","content":"And?"}]`
	const result = `{"type":"tool","content":"bad arguments","tool_call_id":"c_1"},`
	listed := strings.Replace(text, `"I do."`, `[{"type":"tool_use","id":"c_1","name":"refund","input":{}}]`, 1)
	for _, p := range All() {
		unanswered, answered := []string(nil), []string{string(p) + "/result-without-call /2/tool_call_id"}
		if p == OpenAIChat || p == OpenAIResponses {
			unanswered = []string{string(p) + "/call-without-result /1/invalid_tool_calls/0/id"}
		}
		if got := found(t, p, fmt.Sprintf(text, ""), format.LangChain); !slices.Equal(got, unanswered) {
			t.Errorf("%s, without a result: found %q, want %q", p, got, unanswered)
		}
		if got := found(t, p, fmt.Sprintf(text, result), format.LangChain); !slices.Equal(got, answered) {
			t.Errorf("%s, with a result: found %q, want %q", p, got, answered)
		}
		if got := found(t, p, fmt.Sprintf(listed, result), format.LangChain); len(got) > 0 {
			t.Errorf("%s, also in the content: found %q", p, got)
		}
	}
}

// TestThreads checks the histories of real issue threads, in the conformance suite, against all their rules.
func TestThreads(t *testing.T) {
	for _, c := range vectors.Cases("histories") {
		if c.Operation != vectors.CheckHistory {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			f := format.Format(cmp.Or(c.Input.Format, c.Input.Provider))
			h := historyOf(t, string(c.Input.History), "")
			if e := formats.Examine(h.Root); e.Turn.Exists() && e.Format != f && c.Source.URL != "https://github.com/Chevey339/kelivo/pull/281" { // it has turns of the Chat API
				t.Errorf("detected as %s, want %s", h.Format, f)
			}
			verdict, got := vectors.Valid, []string(nil)
			for _, found := range Check(Provider(c.Input.Provider), historyOf(t, string(c.Input.History), f)) {
				if !slices.Contains(got, found.Rule) {
					got = append(got, found.Rule)
				}
				switch {
				case found.Severity == finding.Error:
					verdict = vectors.Invalid
				case verdict == vectors.Valid:
					verdict = vectors.Acceptable
				}
			}
			if verdict != c.Expected.Verdict || !slices.Equal(got, c.Expected.Steps) {
				t.Errorf("%s, found %q, want %+v", verdict, got, c.Expected)
			}
		})
	}
}

// Only some APIs accept audio, which has its type in its format in OpenAI's Chat API.
func TestAudio(t *testing.T) {
	const text = `[{"role":"user","content":[{"type":"text","text":"Listen."},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}]`
	for p, want := range map[Provider][]string{
		OpenAIChat: nil, Gemini: nil,
		Anthropic:       {"anthropic/media-type /0/content/1"},
		BedrockConverse: {"bedrock-converse/media-type /0/content/1"},
	} {
		if got := found(t, p, text, format.OpenAIChat); !slices.Equal(got, want) {
			t.Errorf("%s: %q", p, got)
		}
	}
}
