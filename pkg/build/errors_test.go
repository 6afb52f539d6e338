package build

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func TestErrors(t *testing.T) {
	tests := []struct {
		name    string
		state   string
		parent  string
		options Options
		want    string // the beginning of the error
		line    int    // of the InputError; 0 for another error
	}{
		{name: "not an object", state: "[]", want: "state: expected an object, found an array", line: 1},
		{name: "no cost", state: `{"taskDescription":"d"}`, want: "state: /cost/costUSD: expected a number, found nothing", line: 1},
		{name: "no task description", state: "{\n\"cost\":{}}", want: "state: /taskDescription: missing: describe the receiver's task", line: 1},
		{name: "INITIAL is not passed on", state: `{"cost":{}}`, parent: with(t, parent, "/taskDescription", `"INITIAL"`),
			want: "state: /taskDescription: missing, and the parent has none to pass on", line: 1},
		{name: "no budget", state: later, want: "state: /cost/budgetUSD: missing: a first handoff needs", line: 1},
		{name: "another budget", state: minimal, parent: parent, want: "state: /cost/budgetUSD: 1 is not the budget that the parent leaves, 0.7: leave it out", line: 1},
		{name: "another task", state: with(t, minimal, "/taskId", "\n\""+taskB+`"`), parent: parent,
			want: `state: /taskId: "` + taskB + `" is not the parent's task, "` + taskA + `": leave it out`, line: 2},
		{name: "constraint", state: with(t, minimal, "/constraints", `["a",1]`), want: "state: /constraints/1: expected a string, found a number", line: 1},
		{name: "subtasks", state: with(t, minimal, "/completedSubtasks", `{}`), want: "state: /completedSubtasks: expected an array, found an object", line: 1},
		{name: "tool calls", state: with(t, minimal, "/toolCalls", `[0]`), want: "state: /toolCalls/0: expected an object, found a number", line: 1},
		{name: "tool call with both", state: with(t, minimal, "/toolCalls", `[{"input":1,"inputHash":"x"}]`), want: "state: /toolCalls/0: has input and inputHash: give one of them", line: 1},
		{name: "tool input without canonical form", state: with(t, minimal, "/toolCalls", "[\n"+`{"tool":"t","input":{"n":[1e400]}}]`),
			want: "state: /toolCalls/0/input/n/0: has no canonical form to hash: 1e400 is beyond the range of a double (1.8e308): write a smaller number, or a string, or give inputHash", line: 2},
		{name: "exhausted", state: with(t, minimal, "/cost/costUSD", "1.5"),
			want: "the budget is exhausted: 1 USD before this step less its cost of 1.5 USD leaves -0.5 USD; raise the budget"},
		{name: "monstrous cost", state: with(t, minimal, "/cost/costUSD", "1e999999999"), want: "state: /cost/costUSD: cannot be added exactly: 1e999999999", line: 1},
		{name: "monstrous result", state: with(t, minimal, "/cost/costUSD", "1e-1000", "/cost/budgetUSD", "1e1000"),
			want: "state: /cost/costUSD: with it, the exact total has more than 1000 digits", line: 1},
		{name: "parent without id", state: later, parent: `{"taskId":"` + taskA + `"}`, want: "parent: /handoffId: expected a string, found nothing", line: 1},
		{name: "parent without budget", state: later, parent: with(t, parent, "/costTracking", "\n{}"),
			want: "parent: /costTracking/costBudgetRemainingUSD: expected a number, found nothing", line: 2},
		{name: "parent is not an object", state: later, parent: "1", want: "parent: expected an object, found a number", line: 1},
		{name: "parent without canonical form", state: later, parent: with(t, parent, "/currentState", "{\n\"n\":[1e400]}"),
			want: "parent: /currentState/n/0: no digest of the parent can be recorded: 1e400 is beyond the range of a double", line: 2},
		{name: "extensions with a parent", state: with(t, later, "/extensions", "7"), parent: parent, want: "state: /extensions: expected an object, found a number", line: 1},
		{name: "constraint in Latin-1", state: minimal, options: Options{Constraints: []string{"a:\xe9"}}, want: `constraint: "a:\xe9" is not valid UTF-8`},
		{name: "agent in Latin-1", state: minimal, options: Options{From: message.FromAgent{AgentID: "\xe9"}}, want: `sending agent: "\xe9" is not valid UTF-8`},
		{name: "set: no JSON", state: minimal, options: Options{Set: []Override{{"/taskDescription", []byte("hello")}}},
			want: `set /taskDescription: expected a value, found "hello"; the value is JSON, where strings are in double quotes`},
		{name: "set: more than a value", state: minimal, options: Options{Set: []Override{{"/currentState", []byte(`{},"b":1`)}}}, want: "set /currentState: found"},
		{name: "set: nowhere", state: minimal, options: Options{Set: []Override{{"/a/b", []byte("1")}}}, want: "set /a/b: its parent object or array does not exist"},
		{name: "set: no pointer", state: minimal, options: Options{Set: []Override{{"a", []byte("1")}}}, want: `set "a" is not a JSON Pointer`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Parent = parentMessage(t, tt.parent)
			m, err := Message(document(t, tt.state), tt.options)
			if err == nil || m != nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Fatalf("got %v, error %v, want %s", m, err, tt.want)
			}
			var input *InputError
			if errors.As(err, &input) != (tt.line > 0) || input != nil && input.Position.Line != tt.line {
				t.Errorf("got %+v, want line %d", input, tt.line)
			}
		})
	}
}

func TestNumberRangeIsKept(t *testing.T) {
	_, err := Message(document(t, with(t, minimal, "/toolCalls", `[{"input":1e400}]`)), Options{})
	if !errors.Is(err, jsonstream.ErrNumberRange) {
		t.Errorf("got %v, want ErrNumberRange", err)
	}
}

// Section 6.1: at or below zero the receiver must not execute.
func TestBudgetExhausted(t *testing.T) {
	tests := []struct {
		cost, remaining string
		rejected        bool
	}{
		{cost: "0.9999", remaining: "0.0001"},
		{cost: "1.00", remaining: "0", rejected: true},
		{cost: "1.5", remaining: "-0.5", rejected: true},
	}
	for _, tt := range tests {
		state := document(t, with(t, minimal, "/cost/costUSD", tt.cost))
		_, err := Message(state, Options{})
		var exhausted *ExhaustedError
		if errors.As(err, &exhausted) != tt.rejected {
			t.Errorf("cost %s: got %v, want rejected %t", tt.cost, err, tt.rejected)
		}
		if exhausted != nil && (exhausted.Remaining != message.Number(tt.remaining) || exhausted.Before != "1") {
			t.Errorf("cost %s: got %+v, want %s remaining of 1", tt.cost, exhausted, tt.remaining)
		}
		m, err := Message(state, Options{AllowExhausted: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(m.Root().At("/costTracking/costBudgetRemainingUSD").Raw()); got != tt.remaining {
			t.Errorf("cost %s: got %s, want %s", tt.cost, got, tt.remaining)
		}
	}
}
