package convert

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// sample returns the message of testdata in a format.
func sample(t testing.TB, f format.Format) []byte {
	t.Helper()
	path := "testdata/" + string(f) + ".json"
	if isChat(f) {
		path = "../../schemas/examples/" + string(f) + ".json"
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func result(t testing.TB, text []byte, to format.Format, options Options) Result {
	t.Helper()
	r, err := Convert(parsed(t, text), to, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSamplesComeBack(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to format.Format) {
		source := sample(t, from)
		there := result(t, source, to, Options{})
		back := result(t, there.Text, from, Options{})
		mustEqual(t, back.Text, source)
		if !back.Report.Restored || len(back.Report.Changed)+len(back.Report.MadeUp)+len(back.Report.Carried) > 0 {
			t.Errorf("the way back reports %+v", back.Report)
		}
	})
}

// An edit changes a message between two conversions.
type edit func(tree.Node) tree.Node

func put(pointer, value string) edit {
	return func(n tree.Node) tree.Node {
		v, ok := tree.Parse([]byte(value))
		if !ok {
			panic(value)
		}
		return n.Set(pointer, v)
	}
}

// drop removes the first turns of a list.
func drop(list string, count int) edit {
	return func(n tree.Node) tree.Node { return n.Set(list, tree.Array(tree.Elements(n.At(list))[count:]...)) }
}

// add adds a turn at the end of a list.
func add(list, turn string) edit {
	return func(n tree.Node) tree.Node {
		v, _ := tree.Parse([]byte(turn))
		return n.Set(list, tree.Array(append(slices.Clone(tree.Elements(n.At(list))), v)...))
	}
}

// inContext edits the context of a transcript.
func inContext(e edit) edit {
	return func(n tree.Node) tree.Node {
		macp := sideOf(format.MACP)
		v := macp.view(n)
		return macp.message(v.Set(macp.Context, e(v.At(macp.Context))))
	}
}

// TestEditsSurvive checks that the result has the edits between two conversions, and the carried data of
// all other places. The carried data of an edited place is left out and reported.
func TestEditsSurvive(t *testing.T) {
	tests := []struct {
		name     string
		from, to format.Format
		source   string // "" for the sample
		signed   bool
		edit     edit
		want     map[string]string // values in the result, "" for none
		changed  []Change
		made     []string // made up again
	}{
		{
			name: "a trimmed history keeps what the turns that stay carry",
			from: format.SW4RMContext, to: format.EAAPL,
			edit: drop("/conversationHistoryVerbatim", 3),
			want: map[string]string{
				"/conversation_history/0/metadata/latency_ms": "12.50",
				"/conversation_history/1/content":             `"Sales grew by 12%."`,
				"/metadata/trace/span":                        "9007199254740993",
				"/metadata/handoff":                           "",
			},
			changed: []Change{{"/conversation_history", 1}}, // the turn with a timestamp in seconds was removed
		},
		{
			name: "turns trimmed before it do not shift a turn with carried members",
			from: format.OpenAI, to: format.SW4RMContext,
			edit: drop("/conversation_history", 4),
			want: map[string]string{
				"/input_history/0/type":         `"function_call"`, // made up for the removed item
				"/input_history/0/name":         `"unknown"`,
				"/input_history/1/type":         `"function_call_output"`,
				"/input_history/2/type":         `"web_search_call"`,
				"/pre_handoff_items/0/name":     `"handoff.carried"`,
				"/pre_handoff_items/1/content":  `[{"type": "output_text", "text": "I hand you over.", "annotations": []}]`,
				"/new_items/1/output":           `"{\"assistant\": \"Refunds\"}"`,
				"/input_items":                  "null",
				"/pre_handoff_items/2":          "",
				"/input_history/3":              "",
				"/new_items/2":                  "",
				"/conversationHistoryVerbatim":  "",
				"/input_history/0/tool_call_id": "",
			},
			changed: []Change{{"/input_history", 1}}, // the reasoning was removed
			made:    []string{"/input_history/0"},
		},
		{
			name: "a result that was changed after its call was made up",
			from: format.SW4RMContext, to: format.OpenAI,
			source: `{"conversation_history":[{"role":"user","content":"w","timestamp":1},{"role":"tool","name":"search","tool_call_id":"c1","content":"x","timestamp":2},{"role":"user","content":"y","timestamp":3}],"tool_state":{},"metadata":{}}`,
			edit:   put("/input_history/2/output", `"z"`),
			want: map[string]string{
				"/conversation_history/0/timestamp": "1",
				"/conversation_history/1":           `{"role":"tool","tool_call_id":"c1","content":"z"}`,
				"/conversation_history/2":           `{"role":"user","content":"y","timestamp":3}`,
				"/conversation_history/3":           "",
			},
			changed: []Change{{"/conversation_history", 1}},
		},
		{
			name: "a changed task wins over nothing else",
			from: format.EAAPL, to: format.SW4RMRequest,
			edit: put("/reason", `"Do less"`),
			want: map[string]string{
				"/taskDescription":       `"Do less"`,
				"/fromAgent/executionId": `"65c0d01f-2282-4f4e-8763-834daf7f10df"`,
				"/costTracking":          `{"costSpentSoFarUSD":0.08,"costBudgetRemainingUSD":0.32,"tokenSpent":{"prompt":4200,"completion":1800}}`,
				"/parentHandoffId":       "null",
			},
		},
		{
			name: "the version of one agent is not that of another",
			from: format.EAAPL, to: format.SW4RMRequest,
			edit:    put("/to_agent", `"another-agent"`),
			want:    map[string]string{"/toAgent": `{"agentType":"another-agent"}`, "/fromAgent/agentVersion": `"2.1.0"`},
			changed: []Change{{"/toAgent", 0}},
		},
		{
			name: "an execution is that of one agent",
			from: format.EAAPL, to: format.SW4RMRequest,
			edit:    put("/from_agent", `"another-agent"`),
			want:    map[string]string{"/fromAgent/agentId": `"another-agent"`, "/fromAgent/agentVersion": `"0.0.0"`},
			made:    []string{"/fromAgent/agentVersion", "/fromAgent/executionId"},
			changed: []Change{{"/fromAgent", 0}},
		},
		{
			name: "what was removed is made up again",
			from: format.EAAPL, to: format.OpenAI,
			edit: drop("/input_history", 1),
			want: map[string]string{"/taskDescription": `"INITIAL"`, "/currentState": "{}", "/extensions/contractReview/jurisdiction": `"US-NY"`},
			made: []string{
				"/handoffId", "/taskId", "/fromAgent/agentId", "/toAgent/agentType", "/timestamp", "/taskDescription", "/costTracking",
				"/fromAgent/agentVersion", "/fromAgent/executionId",
			},
			changed: []Change{{"/fromAgent", 0}, {"/toAgent", 0}},
		},
		{
			name: "a changed state in a transcript",
			from: format.EAAPL, to: format.MACP,
			edit: inContext(put("/currentState", `{"riskFlags":[1.0]}`)),
			want: map[string]string{"/currentState": `{"riskFlags":[1.0]}`, "/toAgent/agentVersion": `">=1.5.0"`},
		},
		{
			name: "an answer to an offer is not one to another offer",
			from: format.MACP, to: format.EAAPL,
			edit:    put("/toAgent/agentType", `"agent://dave"`),
			want:    map[string]string{"/messages/1/payload/target_participant": `"agent://dave"`, "/messages/3": ""},
			changed: []Change{{"/messages/0/payload/participants", 0}, {"/messages", 0}},
		},
		{
			name: "an added turn",
			from: format.MACP, to: format.OpenAI,
			edit: add("/input_history", `{"role":"user","content":"And the tests?"}`),
			want: map[string]string{"/description": `"ownership of the front end"`, "/messages/6/message_type": `"Commitment"`},
		},
		{
			name: "a signature does not come back to a changed message",
			from: format.EAAPL, to: format.SW4RMContext,
			signed:  true,
			edit:    put("/tool_state", `{}`),
			want:    map[string]string{"/signature": "", "/currentState": "{}"},
			changed: []Change{{"/signature", 0}},
		},
		{
			name: "a changed snapshot is written again",
			from: format.SW4RMRequest, to: format.EAAPL,
			edit: put("/currentState", `{"active_calls":[]}`),
			want: map[string]string{
				"/request_id": `"req-9"`, "/priority": "3",
				"/context_snapshot": string(tree.String("eyJjb252ZXJzYXRpb25faGlzdG9yeSI6W3sicm9sZSI6InVzZXIiLCJjb250ZW50IjoiUmV2aWV3IHRoaXMgY29kZSBmb3Igc2VjdXJpdHkgaXNzdWVzIn0seyJyb2xlIjoiYXNzaXN0YW50IiwiY29udGVudCI6IkknbGwgbmVlZCB0byBoYW5kIHRoaXMgb2ZmIHRvIGEgc3BlY2lhbGlzdCDigJQgY2Fmw6kuIn1dLCJ0b29sX3N0YXRlIjp7ImFjdGl2ZV9jYWxscyI6W119LCJtZXRhZGF0YSI6eyJvcmlnaW5hbF9yZXF1ZXN0X2lkIjoicmVxLTEyMyJ9fQ==").Append(nil)),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source := tree.Of(parsed(t, sample(t, tt.from)))
			if tt.source != "" {
				source = tree.Of(parsed(t, []byte(tt.source)))
			}
			if tt.signed {
				source = source.With("signature", tree.String("hmac-sha256:"+strings.Repeat("0", 64)))
			}
			there := result(t, source.Append(nil), tt.to, Options{})
			edited := tt.edit(tree.Of(parsed(t, there.Text))).Append(nil)
			back := result(t, edited, tt.from, Options{})
			got := tree.Of(parsed(t, back.Text))
			for at, want := range tt.want {
				var w tree.Node
				if want != "" {
					w, _ = tree.Parse([]byte(want))
				}
				if !tree.Same(got.At(at), w) {
					t.Errorf("%s is %s, want %s", at, shownNode(got.At(at)), want)
				}
			}
			changed := back.Report.Changed
			if !slices.Equal(changed, tt.changed) {
				t.Errorf("reported as changed: %v, want %v", changed, tt.changed)
			}
			var made []string
			for _, m := range back.Report.MadeUp {
				made = append(made, m.Pointer)
			}
			if !slices.Equal(made, tt.made) {
				t.Errorf("reported as made up: %v, want %v", made, tt.made)
			}
			if problems := conform(t, tt.from, back.Text); tt.from != format.SW4RMContext && len(problems) > 0 {
				t.Errorf("does not conform: %v", problems)
			}
			mustEqual(t, result(t, back.Text, tt.to, Options{}).Text, edited)
		})
	}
}

func shownNode(n tree.Node) string {
	if n == tree.None {
		return "nothing"
	}
	return string(n.Append(nil))
}

// TestAnyMemberOrder checks that a message can be converted back after another program wrote its members
// in another order.
func TestAnyMemberOrder(t *testing.T) {
	for _, from := range []format.Format{format.SW4RMContext, format.OpenAI, format.MACP} {
		t.Run(string(from), func(t *testing.T) {
			source := bytes.ReplaceAll(sample(t, from), []byte("9007199254740993"), []byte("9007199254740992"))
			there := result(t, source, format.EAAPL, Options{})
			canonical, err := jsonstream.AppendCanonical(nil, parsed(t, there.Text).Root(), jsonstream.CanonicalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			back := result(t, canonical, from, Options{})
			a, err := jsonstream.AppendCanonical(nil, parsed(t, back.Text).Root(), jsonstream.CanonicalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := jsonstream.AppendCanonical(nil, parsed(t, source).Root(), jsonstream.CanonicalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if string(a) != string(b) {
				t.Errorf("got  %s\nwant %s", a, b)
			}
		})
	}
}

// TestRealisticMessages converts the output of the generator next to the specifications.
func TestRealisticMessages(t *testing.T) {
	const generator = "../../../shared/bench/generate.py"
	if _, err := os.Stat(generator); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("the generator of realistic messages is not there")
	}
	out, err := exec.Command("python3", generator, fmt.Sprint(tier.Count(2, 20)), "30").Output()
	if err != nil {
		t.Skip("python3 cannot run the generator:", err)
	}
	for line := range bytes.Lines(out) {
		for _, to := range Formats()[1:] {
			// These always require identifiers or times that no other format has.
			asks := to == format.MACP || to == format.A2A || to == format.OpenCode || formats.Named(to).IsLines()
			there := result(t, line, to, Options{Strict: !asks})
			if problems := conform(t, to, there.Text); len(problems) > 0 {
				t.Fatalf("%s: %s", to, problems)
			}
			for _, on := range Formats()[1:] {
				if on != to {
					further := result(t, there.Text, on, Options{From: to}) // plain turns are valid in several formats
					mustEqual(t, result(t, further.Text, to, Options{From: on}).Text, there.Text)
				}
			}
			mustEqual(t, result(t, there.Text, format.EAAPL, Options{From: to}).Text, line)
		}
	}
}
