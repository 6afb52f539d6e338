package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

func define(t testing.TB, text string) *Definitions {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d
}

func example(t testing.TB) *Definitions {
	t.Helper()
	text, err := schemas.Example("openai-agents")
	if err != nil {
		t.Fatal(err)
	}
	return define(t, string(text))
}

// TestRules checks the examples of every rule: the failing example breaks its rule and no other, and the
// fixed example breaks none.
func TestRules(t *testing.T) {
	runs, err := example(t).NewRunChecker(RunOptions{MaxItems: 6})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range append(Rules(), RunRules()...) {
		t.Run(r.ID, func(t *testing.T) {
			check := func(text string) []finding.Finding {
				if strings.HasPrefix(r.ID, "openai-run/") {
					return runs.Check(parse(t, text).Root())
				}
				return Check(define(t, text), Options{})
			}
			bad := check(r.Bad)
			if len(bad) == 0 {
				t.Error("the bad example has no problem")
			}
			for _, f := range bad {
				if f.Rule != r.ID || f.Severity != r.Severity || f.Layer != finding.Protocol {
					t.Errorf("the bad example: %+v", f)
				}
			}
			if good := check(r.Good); len(good) > 0 {
				t.Errorf("the good example: %+v", good)
			}
			if r.Summary == "" || r.Why == "" || seen[r.ID] {
				t.Error("the rule has no summary or no reason, or is there twice")
			}
			seen[r.ID] = true
		})
	}
}

func TestExample(t *testing.T) {
	if found := Check(example(t), Options{}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// shown writes findings as PLACE RULE: MESSAGE, cut where the advice begins.
func shown(found []finding.Finding) []string {
	var lines []string
	for _, f := range found {
		message, _, _ := strings.Cut(f.Message, ": ")
		lines = append(lines, fmt.Sprintf("%d:%d %s: %s", f.Line, f.Column, strings.TrimPrefix(f.Rule, "openai-"), message))
	}
	return lines
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{name: "places in YAML", text: `
agents:
  - name: Triage
    handoffs:
      - agent: Billing
        is_enabled: context.tier = 1
      - Biling
  - name: Billing
    handoff_description: Invoices and payments.
`, want: []string{`6:21 agents/is-enabled: "context.tier = 1" is not a condition`, `7:9 agents/unknown-target: no agent is named "Biling"`}},
		{name: "places in JSON", text: `{"agents": [` + "\n" + ` {"name": "A", "handoffs": ["B"]}]}`, want: []string{`2:29 agents/unknown-target: no agent is named "B"`}},
		{name: "no agents", text: "agents: []", want: []string{"1:9 agents/shape: must have at least 1 element"}},
		{name: "nothing", text: "", want: []string{"1:1 agents/shape: expected object"}},
		{name: "start", text: "{start: B, agents: [{name: A, handoffs: [B]}, {name: B, handoff_description: Cards and transfers.}]}",
			want: []string{`1:28 agents/unreachable: no handoffs lead from "B" to "A"`}},
		{name: "no start", text: "{start: C, agents: [{name: A}]}", want: []string{`1:9 agents/unknown-target: no agent is named "C"`}},
		{name: "disabled handoffs lead nowhere", text: "agents: [{name: A, handoffs: [{agent: B, is_enabled: false}]}, {name: B}]",
			want: []string{`1:71 agents/unreachable: no handoffs lead from "A" to "B"`}},
		{name: "an agent that hands to itself", text: "agents: [{name: A, handoff_description: Cards and transfers., handoffs: [{agent: A, input_filter: f}]}]",
			want: []string{`1:17 agents/no-way-out: the task goes around the cycle "A" → "A" without an exit`}},
		{name: "a circle with a way out", text: `
agents:
  - {name: A, handoff_description: Cards and transfers., handoffs: [{agent: B, input_filter: f}, C]}
  - {name: B, handoff_description: Lost parcels., handoffs: [A]}
  - {name: C, handoff_description: Broken devices.}
`, want: []string{`4:62 agents/no-input-filter: the handoff to "A" passes on the whole history, and is part of a cycle, where each round adds to it`}},
		{name: "nested by the run", text: `
nest_handoff_history: true
agents:
  - {name: A, handoff_description: Cards and transfers., handoffs: [B, C]}
  - {name: B, handoff_description: Lost parcels., handoffs: [{agent: A, nest_handoff_history: false}]}
  - {name: C, handoff_description: Broken devices.}
`, want: []string{`5:62 agents/no-input-filter: the handoff to "A" passes on the whole history, and is part of a cycle, where each round adds to it`}},
		{name: "an override is a description", text: "agents: [{name: A, handoffs: [{agent: B, tool_description_override: Cards and transfers.}]}, {name: B}]"},
		{name: "described in Japanese", text: "agents: [{name: A, handoffs: [B]}, {name: B, handoff_description: 請求書と返金}]"},
		{name: "vague once", text: "agents: [{name: A, handoffs: [billing, C]}, {name: C, handoff_description: Lost parcels., handoffs: [billing]}, {name: billing, handoff_description: Handles billing}]",
			want: []string{`1:150 agents/vague-description: "Handles billing" adds hardly anything to the name of "billing"`}},
		{name: "the tool of a handoff and another tool", text: "agents: [{name: A, tools: [transfer_to_b], handoffs: [B]}, {name: B, handoff_description: Lost parcels.}]",
			want: []string{`1:55 agents/one-tool-name: the agent has another tool with the name "transfer_to_b"`}},
		{name: "two handoffs to one agent", text: "agents: [{name: A, handoffs: [B, B]}, {name: B, handoff_description: Lost parcels.}]",
			want: []string{`1:34 agents/one-tool-name: the agent already hands over to "B" with the tool "transfer_to_b"`}},
		{name: "two handoffs on conditions", text: "agents: [{name: A, handoffs: [{agent: B, is_enabled: context.x}, {agent: B, is_enabled: not context.x}]}, {name: B, handoff_description: Lost parcels.}]"},
		{name: "one tool name of two agents", text: "agents: [{name: A, handoffs: [b 1]}, {name: b 1, handoff_description: Lost parcels., handoffs: [b-1]}, {name: b-1, handoff_description: Broken devices.}]",
			want: []string{`1:97 agents/one-tool-name: the tools that hand over to "b-1" and "b 1" have the same name`}},
		{name: "a long name", text: "agents: [{name: A, handoffs: [" + strings.Repeat("b", 60) + "]}, {name: " + strings.Repeat("b", 60) + ", handoff_description: Lost parcels.}]",
			want: []string{"1:31 agents/tool-name: set tool_name_override, because the tool name from the agent's name is too long"}},
		{name: "fewer handoffs", text: "agents: [{name: A, handoffs: [B, C]}, {name: B, handoff_description: Lost parcels.}, {name: C, handoff_description: Broken devices.}]", o: Options{MaxHandoffs: 1},
			want: []string{`1:30 agents/many-handoffs: "A" has 2 handoffs, more than 1`}},
		{name: "a shorter history", text: "agents: [{name: A, handoffs: [B]}, {name: B, handoff_description: Lost parcels.}]", o: Options{LongHistory: 1},
			want: []string{`1:31 agents/no-input-filter: the handoff to "B" passes on the whole history, and is the first handoff after "A"`}},
		{name: "an input type in YAML", text: "agents:\n- name: A\n  handoffs:\n  - agent: B\n    input_type:\n      type: array\n- {name: B, handoff_description: Lost parcels.}\n",
			want: []string{`6:13 agents/input-type: the root must have only the type object`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, shown(Check(define(t, tt.text), tt.o))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestHostileDefinitions bounds the time and the number of findings for hostile definitions.
func TestHostileDefinitions(t *testing.T) {
	var many, chain strings.Builder
	many.WriteString("agents: [{name: A, handoffs: [")
	chain.WriteString("agents:\n")
	for i := range 15_000 {
		fmt.Fprintf(&many, "a%d,", i)
		fmt.Fprintf(&chain, "- {name: a%d, handoffs: [a%d]}\n", i, (i+1)%15_000)
	}
	many.WriteString("]}]")
	for name, text := range map[string]string{"many handoffs": many.String(), "a long circle": chain.String()} {
		if found := Check(define(t, text), Options{}); len(found) != maxFindings {
			t.Errorf("%s: %d findings", name, len(found))
		}
	}
}

func TestTools(t *testing.T) {
	d := define(t, `
agents:
  - name: Triage
    tools: [find_customer, {type: web_search, name: web_search}]
    handoffs:
      - agent: Billing
        tool_description_override: Ask billing.
        input_type: {type: object, properties: {invoice: {type: string}}}
      - {agent: Premium Desk, is_enabled: context.tier == "premium"}
      - {agent: Archive, is_enabled: false}
  - {name: Billing, handoff_description: Invoices and payments.}
  - {name: Premium Desk, handoff_description: Contracts and renewals.}
  - {name: Archive}
`)
	search := `{"type":"web_search","name":"web_search"}`
	billing := `{"type":"function","name":"transfer_to_billing","description":"Ask billing.","parameters":{"type":"object","properties":{"invoice":{"type":"string"}},"additionalProperties":false,"required":["invoice"]},"strict":true}`
	premium := `{"type":"function","name":"transfer_to_premium_desk","description":"Handoff to the Premium Desk agent to handle the request. Contracts and renewals.","parameters":{"additionalProperties":false,"type":"object","properties":{},"required":[]},"strict":true}`
	for _, tt := range []struct {
		context string
		want    []string
		unsure  int
	}{
		{"", []string{search, billing, premium}, 1},
		{`{"tier": "premium"}`, []string{search, billing, premium}, 0},
		{`{"tier": "basic"}`, []string{search, billing}, 0},
	} {
		var context jsonstream.Value
		if tt.context != "" {
			context = parse(t, tt.context).Root()
		}
		tools, unsure, err := d.Tools(d.Agent("Triage"), context)
		var got []string
		for _, one := range tools {
			got = append(got, string(one))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || len(unsure) != tt.unsure {
			t.Errorf("%s: unsure of %d, error %v (-want +got):\n%s", tt.context, len(unsure), err, diff)
		}
	}
}

// FuzzCheck checks that the findings of any definitions are sorted and have places in the text, and that
// their tools and runs cause no panic.
func FuzzCheck(f *testing.F) {
	for _, r := range Rules() {
		f.Add(r.Bad)
	}
	f.Add("agents:\n- name: A\n  handoffs: [B]\n- {name: B}\n")
	run := `{"input_history": [{"type": "function_call", "call_id": "1", "name": "transfer_to_b", "arguments": ""}], "pre_handoff_items": [], "new_items": []}`
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse([]byte(text))
		if err != nil {
			return
		}
		found := Check(d, Options{})
		for _, f := range found {
			if f.Message == "" || f.Line < 1 || f.Column < 1 || f.Offset < 0 || f.Offset > int64(len(text)) {
				t.Fatalf("%+v", f)
			}
		}
		isError := func(f finding.Finding) bool { return f.Severity == finding.Error }
		for _, a := range d.Agents {
			if _, _, err := d.Tools(a, jsonstream.Value{}); err != nil && !slices.ContainsFunc(found, isError) {
				t.Fatalf("no finding, but %v", err)
			}
		}
		data := parse(t, run).Root()
		d.Transfers(data, RunOptions{})
		if c, err := d.NewRunChecker(RunOptions{}); err == nil {
			c.Check(data)
		}
	})
}
