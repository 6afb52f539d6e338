package build

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

func TestChecked(t *testing.T) {
	agents := Options{From: message.FromAgent{AgentID: "a", AgentVersion: "1.0.0"}, To: message.ToAgent{AgentType: "b"}}
	first := with(t, minimal, "/taskDescription", `"INITIAL"`)
	set := func(pointer, value string) Options {
		o := agents
		o.Set = []Override{{pointer, []byte(value)}}
		return o
	}
	for _, tt := range []struct {
		name    string
		state   string
		parent  string
		options Options
		want    []string // place, rule, option, and the beginning of the text
	}{
		{name: "a first handoff", state: first, options: agents},
		{name: "no object", state: "[]", options: agents, want: []string{"state 1:1 schema/type - expected object"}},
		{name: "nobody is named", state: first, want: []string{
			"state 1:1 - From /fromAgent: missing", "state 1:1 - To /toAgent: missing",
		}},
		{name: "another name for what must be there", state: "{\n\"taskDescription\":\"INITIAL\",\n\"budget\":{\"costUSD\":\"1\"}}", options: agents, want: []string{
			"state 3:1 schema/additionalProperties - /budget: unknown member \"budget\": use the member \"cost\"",
		}},
		{name: "in the order of the text, each once", state: "{\"cost\":{\"costUSD\":0.1,\"tokens\":[]},\n\"toolcalls\":[{}],\n\"taskDescription\":7}", options: agents, want: []string{
			"state 1:1 - - /completedSubtasks: no completed subtasks",
			"state 1:9 - - /cost/budgetUSD: missing",
			"state 1:33 schema/type - /cost/tokens: expected object: found an array; write it like {\"prompt\"",
			"state 2:1 schema/additionalProperties - /toolcalls: unknown member \"toolcalls\": did you mean",
			"state 2:14 schema/required - /toolcalls/0: the required member \"tool\" is missing: add it, as in {\"tool\"",
			"state 2:14 schema/required - /toolcalls/0: the required member \"calledAt\" is missing: add it, as in {\"tool\"",
			"state 3:19 schema/type - /taskDescription: expected string",
		}},
		{name: "the parent is last", state: later, parent: with(t, parent, "/costTracking", "\n{}"), options: agents, want: []string{
			"parent 2:1 - - /costTracking/costBudgetRemainingUSD: expected a number", "parent 2:1 - - /costTracking/costSpentSoFarUSD: expected a number",
			"parent 2:1 - - /costTracking/tokenSpent/prompt: expected a number", "parent 2:1 - - /costTracking/tokenSpent/completion: expected a number",
		}},
		{name: "no budget is left", state: with(t, first, "/cost/costUSD", "1"), options: agents, want: []string{" - AllowExhausted the budget is exhausted"}},
		{name: "an override that cannot be", state: first, options: set("/a/b", "1"), want: []string{" - - set /a/b"}},
		{name: "an override that no receiver takes", state: first, options: set("/taskId", `"x"`), want: []string{
			" schema/pattern - the message would be rejected: SCHEMA_INVALID: /taskId: not a valid UUID",
		}},
		{name: "a receiver that nobody can be", state: first, options: Options{From: agents.From, To: message.ToAgent{AgentType: "b", AgentVersion: "latest"}}, want: []string{
			" schema/format - the message would be rejected: SCHEMA_INVALID: /toAgent/agentVersion: not a valid",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Parent = parentMessage(t, tt.parent)
			m, err := Checked(t.Context(), document(t, tt.state), tt.options)
			var list Problems
			if (m == nil) == (err == nil) || err != nil && !errors.As(err, &list) {
				t.Fatalf("got %v, error %v", m, err)
			}
			var got []string
			for i, p := range list {
				place := ""
				if p.Input != "" {
					place = fmt.Sprintf("%s %d:%d", p.Input, p.Position.Line, p.Position.Column)
				}
				line := fmt.Sprintf("%s %s %s %s", place, orDash(p.Rule), orDash(p.Option), p.Text)
				if i < len(tt.want) && strings.HasPrefix(line, tt.want[i]) {
					line = tt.want[i]
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want and got:\n%s", diff)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := Checked(ctx, document(t, first), agents); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, error %v", m, err)
	}
}

// TestCheckParent checks that all faults of a parent are reported.
func TestCheckParent(t *testing.T) {
	example, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckParent(t.Context(), parentMessage(t, string(example))); err != nil {
		t.Error(err)
	}
	broken := strings.NewReplacer(`"taskId":`, `"task":`, `"parentHandoffId": null`, `"parentHandoffId": 7`).Replace(string(example))
	err = CheckParent(t.Context(), parentMessage(t, broken))
	var list Problems
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	lines := []int{1, 4, 5}
	for i, pointer := range []string{"", "/task", "/parentHandoffId"} {
		if p := list[i]; p.Input != Parent || p.Pointer != pointer || p.Position.Line != lines[i] || p.Text == "" || !strings.HasPrefix(p.Rule, "schema/") {
			t.Errorf("problem %d is %+v", i, p)
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
