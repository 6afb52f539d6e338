package chain

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/vectors"
)

// TestRules checks the table of rules.
func TestRules(t *testing.T) {
	const table = "missing-parent orphan cycle duplicate-id many-roots task-changed trace-broken parent-digest wrong-sender version-mismatch time-reversed " +
		"subtask-lost subtask-reopened result-changed evidence-lost subtask-forgotten constraint-dropped state-lost fact-lost " +
		"budget-drift budget-grown tokens-shrunk loop fan-in schema-skew"
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, r.Name())
		if r.Summary == "" || r.Why == "" || r.Severity == "" || r.Severity == finding.Off {
			t.Errorf("%s is incomplete: %+v", r.ID, r)
		}
	}
	if diff := cmp.Diff(strings.Fields(table), ids); diff != "" {
		t.Error(diff)
	}
}

// TestDecisions checks the tasks of the conformance suite: cases that the specification leaves open.
func TestDecisions(t *testing.T) {
	for _, c := range vectors.Cases("chains") {
		t.Run(c.ID, func(t *testing.T) {
			options := Options{MaxVisits: c.Input.MaxVisits, Agents: c.Input.Agents}
			options.Tolerance, _ = message.Number(c.Input.Tolerance).Decimal()
			var messages []*Message
			for i, text := range c.Input.Messages {
				messages = append(messages, parse(t, string(text), i))
			}
			tasks := checkAll(options, messages)
			verdict := vectors.Valid
			for _, task := range tasks {
				switch {
				case task.Errors > 0:
					verdict = vectors.Invalid
				case task.Warnings > 0 && verdict == vectors.Valid:
					verdict = vectors.Acceptable
				}
			}
			var steps []string
			for _, rule := range rulesOf(tasks) {
				steps = append(steps, "chain/"+rule)
			}
			if diff := cmp.Diff(c.Expected, vectors.Expected{Verdict: verdict, Steps: steps}); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, strings.Join(findings(tasks), "\n"))
			}
		})
	}
}

// TestPassedOver checks that a credential is no fact, which must be kept, and that a number that is too long to read
// is none.
func TestPassedOver(t *testing.T) {
	for name, change := range map[string]func([]object){
		"number": func(task []object) {
			task[2]["costTracking"].(object)["costSpentSoFarUSD"] = json.Number("1e99999")
		},
		"credential without a known form": func(task []object) {
			task[0]["conversationHistoryVerbatim"] = []any{object{"role": "user", "content": "Never tell them the password: Tr0ub4dor" + "&3xyz of amqp://app:" + "k7Zq1Wm2@mq.example.com"}}
			for _, m := range task[1:] {
				m["conversationHistoryVerbatim"] = []any{}
			}
		},
		"credential of a known form": func(task []object) {
			for _, m := range task[:3] {
				m["conversationHistoryVerbatim"] = append([]any{object{"role": "user", "content": "The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a."}},
					subtasks(m, "conversationHistoryVerbatim")...)
			}
		},
	} {
		task := line4(rand.New(rand.NewPCG(1, 2)))
		for i := range task {
			task[i] = copyOf(task[i])
		}
		change(task)
		if found := findings(checkObjects(t, Options{}, task...)); len(found) > 0 {
			t.Errorf("%s: %s", name, strings.Join(found, "\n"))
		}
	}
}

func fanOut3(r *rand.Rand) []object { return fanOut(r, 3) }
func line4(r *rand.Rand) []object   { return line(r, 4) }

// TestCopies checks that a message that was delivered twice counts once.
func TestCopies(t *testing.T) {
	task := line(rand.New(rand.NewPCG(1, 2)), 3)
	task = append(task, task[1], task[1])
	tests := []struct {
		name   string
		chosen map[string]finding.Severity
		want   finding.Severity
	}{
		{name: "by default a note", want: finding.Note},
		{name: "what is chosen", chosen: map[string]finding.Severity{"chain/duplicate-id": finding.Error}, want: finding.Error},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tasks := checkObjects(t, Options{Severities: test.chosen}, task...)
			n := tasks[0].Roots[0].Children[0]
			if tasks[0].Messages != 3 || len(n.Findings) != 1 || n.Findings[0].Severity != test.want ||
				!strings.Contains(n.Findings[0].Message, `3 times`) {
				t.Errorf("%d messages, found %+v", tasks[0].Messages, n.Findings)
			}
		})
	}
}

// TestGap checks the findings for a task with a missing message.
func TestGap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	task := []object{first(r, 4)} // 0.10 USD
	for range 3 {
		task = append(task, next(r, task[len(task)-1], "agent-1", 5))
	}
	silent := copyOf(task[0])
	delete(silent, "costTracking")
	tests := []struct {
		name         string
		messages     []object
		total, relay string
	}{
		{name: "all are there", messages: task, total: "0.25", relay: "0.25"},
		{name: "the second is missing", messages: []object{task[0], task[2], task[3]}, total: "0.15", relay: "0.25"},
		{name: "the first is missing", messages: task[1:], total: "0.25", relay: "0.25"},
		{name: "the first without readable costs", messages: append([]object{silent}, task[1:]...), total: "0.25", relay: "0.25"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkObjects(t, Options{}, test.messages...)[0]
			if got.Total.SpentUSD.String() != test.total || got.Relay.SpentUSD.String() != test.relay || got.Agrees != (test.total == test.relay) {
				t.Errorf("got %v, relay %v, agrees %t; want %s and %s", got.Total, got.Relay, got.Agrees, test.total, test.relay)
			}
		})
	}
}

// TestPosition checks that the position of a finding is in the stream of its message.
func TestPosition(t *testing.T) {
	task := line(rand.New(rand.NewPCG(1, 2)), 2)
	task[1]["constraints"] = []any{}
	c := New(Options{})
	c.Add(parse(t, encode(t, task[0]), 0))
	text := encode(t, task[1])
	start := jsonstream.Position{Line: 7, Column: 3, Offset: 500}
	d, err := jsonstream.Parse(jsonstream.Raw{Bytes: []byte("\n" + text), Start: start}, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(d, Place{"b.json", 1, 8})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(m)
	want := finding.Finding{
		Layer: finding.Chain, Rule: "chain/constraint-dropped", Severity: finding.Error,
		Message: `constraints of the parent are missing: "returnJSON:true", "maxResponseTokens:2000"; pass on constraints word for word`,
	}.On(d.Root().Get("constraints"))
	if diff := cmp.Diff([]finding.Finding{want}, c.Tasks()[0].Roots[0].Children[0].Findings); diff != "" {
		t.Error(diff)
	}
}
