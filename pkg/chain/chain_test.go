package chain

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// random returns a reproducible source of random numbers.
func random(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
}

// rulesOf returns the ids of the rules with findings, without repetitions.
func rulesOf(tasks []*Task) []string {
	found := make(map[string]bool)
	for _, task := range tasks {
		for n := range task.Nodes() {
			for _, f := range n.Findings {
				found[strings.TrimPrefix(f.Rule, "chain/")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestCleanTasks checks that tasks without faults have no findings and correct totals.
func TestCleanTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := random(t)
		task := line(r, rapid.IntRange(1, 8).Draw(t, "length"))
		switch rapid.IntRange(0, 2).Draw(t, "shape") {
		case 1:
			task = fanOut(r, rapid.IntRange(2, 5).Draw(t, "receivers"))
		case 2:
			task = nested(r)
		}
		tasks := checkObjects(t, Options{}, task...)
		if found := findings(tasks); len(found) > 0 || len(tasks) != 1 {
			t.Fatalf("%d tasks, found %s", len(tasks), strings.Join(found, "\n"))
		}
		last := task[len(task)-1]["costTracking"].(object)
		spent, _ := message.Number(fmt.Sprint(last["costSpentSoFarUSD"])).Decimal()
		left, _ := message.Number(fmt.Sprint(last["costBudgetRemainingUSD"])).Decimal()
		if total := tasks[0].Total; !total.SpentUSD.Equal(spent) || !total.RemainingUSD.Equal(left) || !tasks[0].Agrees {
			t.Errorf("total %v, relay %v, want %s spent and %s left", total, tasks[0].Relay, spent, left)
		}
		handoffs, sum := 0, message.Decimal{}
		for _, s := range tasks[0].Spenders {
			handoffs += s.Handoffs
			sum = sum.Add(s.Cost.SpentUSD)
		}
		if handoffs != len(task) || !sum.Equal(spent) {
			t.Errorf("spenders have %d handoffs and %s USD, want %d and %s", handoffs, sum, len(task), spent)
		}
	})
}

// TestUnread checks that no message is reported as missing if it may be one that could not be read, and
// that other missing messages are still reported.
func TestUnread(t *testing.T) {
	isMissing := func(finding string) bool {
		return strings.Contains(finding, "chain/missing-parent") || strings.Contains(finding, "chain/orphan") || strings.Contains(finding, "chain/many-roots")
	}
	rapid.Check(t, func(t *rapid.T) {
		r := random(t)
		task := line(r, rapid.IntRange(3, 8).Draw(t, "length"))
		branches := rapid.Bool().Draw(t, "branches") // joined branches are checked together
		if branches {
			task = nested(r)
		}
		at := rapid.IntRange(0, len(task)-1).Draw(t, "unread")
		c := New(Options{})
		for i, m := range task {
			if i != at {
				c.Add(parse(t, encode(t, m), i))
			}
		}
		c.AddUnread(strings.ToUpper(task[at]["taskId"].(string)), task[at]["handoffId"].(string))
		if found := findings(c.Tasks()); slices.ContainsFunc(found, isMissing) || len(found) > 0 && !branches {
			t.Fatalf("without message %d: %s", at, strings.Join(found, "\n"))
		}
		lost := next(r, task[len(task)-1], "agent-x", 1)
		lost["parentHandoffId"] = uuid(r)
		c.Add(parse(t, encode(t, lost), len(task)))
		if found := findings(c.Tasks()); !slices.ContainsFunc(found, isMissing) {
			t.Errorf("found %s", strings.Join(found, "\n"))
		}
	})
}

// A mutation breaks one message of a line of handoffs.
type mutation struct {
	rule   string
	last   bool // only for the last message, because its child would differ from it too
	change func(r *rand.Rand, task []object, at int)
}

func subtasks(m object, list string) []any { return m[list].([]any) }

var mutations = []mutation{
	{rule: "task-changed", change: func(r *rand.Rand, task []object, at int) { task[at]["taskId"] = uuid(r) }},
	{rule: "trace-broken", change: func(r *rand.Rand, task []object, at int) {
		task[at]["traceparent"] = "00-" + strings.Repeat("ab", 16) + task[at]["traceparent"].(string)[35:]
	}},
	{rule: "trace-broken", change: func(r *rand.Rand, task []object, at int) { task[at]["traceparent"] = task[at-1]["traceparent"] }},
	{rule: "wrong-sender", change: func(r *rand.Rand, task []object, at int) { task[at]["fromAgent"].(object)["agentId"] = "nobody" }},
	{rule: "version-mismatch", change: func(r *rand.Rand, task []object, at int) {
		task[at-1]["toAgent"].(object)["agentVersion"] = "^2.0.0"
	}},
	{rule: "time-reversed", change: func(r *rand.Rand, task []object, at int) { task[at]["timestamp"] = "2026-06-12T08:59:59Z" }},
	{rule: "time-reversed", change: func(r *rand.Rand, task []object, at int) {
		done := subtasks(task[at], "completedSubtasks")
		done[len(done)-1].(object)["completedAt"] = "2026-06-12T08:59:59Z"
	}},
	{rule: "subtask-lost", change: func(r *rand.Rand, task []object, at int) {
		left := subtasks(task[at], "remainingSubtasks")
		task[at]["remainingSubtasks"] = left[:len(left)-1]
	}},
	{rule: "subtask-reopened", last: true, change: func(r *rand.Rand, task []object, at int) {
		done := subtasks(task[at], "completedSubtasks")
		task[at]["completedSubtasks"] = done[1:]
		task[at]["remainingSubtasks"] = append(subtasks(task[at], "remainingSubtasks"), done[0])
	}},
	{rule: "result-changed", change: func(r *rand.Rand, task []object, at int) {
		subtasks(task[at], "completedSubtasks")[0].(object)["result"] = "12.5"
	}},
	{rule: "subtask-forgotten", last: true, change: func(r *rand.Rand, task []object, at int) {
		task[at]["completedSubtasks"] = subtasks(task[at], "completedSubtasks")[1:]
	}},
	{rule: "constraint-dropped", change: func(r *rand.Rand, task []object, at int) { task[at]["constraints"] = []any{"returnJSON:true"} }},
	{rule: "state-lost", change: func(r *rand.Rand, task []object, at int) { delete(task[at]["currentState"].(object), "step") }},
	{rule: "fact-lost", change: func(r *rand.Rand, task []object, at int) {
		task[at]["conversationHistoryVerbatim"] = subtasks(task[at], "conversationHistoryVerbatim")[1:]
	}},
	{rule: "budget-drift", change: func(r *rand.Rand, task []object, at int) {
		cost := task[at]["costTracking"].(object)
		cost["costSpentSoFarUSD"] = json.Number(fmt.Sprint(cost["costSpentSoFarUSD"], "0000000001"))
	}},
	{rule: "budget-grown", last: true, change: func(r *rand.Rand, task []object, at int) {
		task[at]["costTracking"].(object)["costBudgetRemainingUSD"] = 10
	}},
	{rule: "tokens-shrunk", change: func(r *rand.Rand, task []object, at int) {
		task[at]["costTracking"].(object)["tokenSpent"].(object)["prompt"] = 1
	}},
	{rule: "schema-skew", change: func(r *rand.Rand, task []object, at int) { task[at]["schemaVersion"] = "2.3" }},
	{rule: "many-roots", change: func(r *rand.Rand, task []object, at int) { task[at]["parentHandoffId"] = nil }},
	{rule: "missing-parent", change: func(r *rand.Rand, task []object, at int) { task[at]["parentHandoffId"] = uuid(r) }},
	{rule: "orphan", change: func(r *rand.Rand, task []object, at int) { task[0]["parentHandoffId"] = uuid(r) }},
	{rule: "cycle", change: func(r *rand.Rand, task []object, at int) {
		task[at]["parentHandoffId"] = strings.ToUpper(task[at]["handoffId"].(string))
	}},
	{rule: "duplicate-id", last: true, change: func(r *rand.Rand, task []object, at int) { task[at]["handoffId"] = task[0]["handoffId"] }},
	{rule: "loop", last: true, change: func(r *rand.Rand, task []object, at int) {
		agents := []string{"agent-0", "agent-1"}
		for i, m := range task {
			m["fromAgent"].(object)["agentId"], m["toAgent"].(object)["agentType"] = agents[i%2], agents[1-i%2]
		}
	}},
}

// TestMutations checks that a single fault in a clean task is found, and nothing else.
func TestMutations(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); !tier.Full() {
		defer flag.Set(checks.Name, checks.Value.String())
		flag.Set(checks.Name, "20") // for each mutation
	}
	for i, m := range mutations {
		t.Run(fmt.Sprint(i, " ", m.rule), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := random(t)
				task := line(r, rapid.IntRange(5, 8).Draw(t, "length"))
				at := len(task) - 1
				if !m.last {
					at = rapid.IntRange(1, at).Draw(t, "at")
				}
				for i := range task {
					task[i] = copyOf(task[i]) // next shares turns
				}
				m.change(r, task, at)
				tasks := checkObjects(t, Options{}, task...)
				if diff := cmp.Diff([]string{m.rule}, rulesOf(tasks)); diff != "" {
					t.Fatalf("(-want +got):\n%s%s", diff, strings.Join(findings(tasks), "\n"))
				}
				off := make(map[string]finding.Severity)
				off["chain/"+m.rule] = finding.Off
				if found := findings(checkObjects(t, Options{Severities: off}, task...)); len(found) > 0 {
					t.Errorf("with the rule off: %s", found)
				}
			})
		})
	}
}

// describe writes tasks as text.
func describe(tasks []*Task) string {
	var b strings.Builder
	for _, task := range tasks {
		fmt.Fprintln(&b, task.ID, task.Total, task.Relay, task.Agrees, task.Spenders, task.Messages, task.Errors, task.Warnings)
		for n := range task.Nodes() {
			fmt.Fprintln(&b, n.HandoffID, n.Place.Index, n.Step, len(n.Children), n.Findings)
		}
	}
	return b.String()
}

// TestOrder checks that the result does not depend on the order of the messages.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := random(t)
		task := slices.Concat(line(r, 6), fanOut(r, 3), nested(r))
		for i := range task {
			task[i] = copyOf(task[i])
		}
		for _, at := range rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "at")[:rapid.IntRange(0, 4).Draw(t, "mutations")] {
			rapid.SampledFrom(mutations).Draw(t, "mutation").change(r, task[:6], at)
		}
		task = append(task, task[2])
		var messages []*Message
		for i, m := range task {
			messages = append(messages, parse(t, encode(t, m), i))
		}
		again := make([]*Message, len(messages))
		for i, m := range messages {
			c := *m
			again[i] = &c
		}
		r.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		if diff := cmp.Diff(describe(checkAll(Options{}, messages)), describe(checkAll(Options{}, again))); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOrderOfTwins checks that two messages with the same handoffId and time have the same order for any
// order of the input.
func TestOrderOfTwins(t *testing.T) {
	task := line(rand.New(rand.NewPCG(1, 2)), 3)
	twin := copyOf(task[1])
	twin["costTracking"] = costOf(100, 900, 1000, 500)
	want := checkObjects(t, Options{}, task[0], task[1], twin, task[2])[0]
	got := checkObjects(t, Options{}, task[0], twin, task[1], task[2])[0]
	if diff := cmp.Diff(fmt.Sprint(want.Total, want.Relay, want.Spenders), fmt.Sprint(got.Total, got.Relay, got.Spenders)); diff != "" {
		t.Error(diff)
	}
}

// TestShapes checks very long and very wide tasks.
func TestShapes(t *testing.T) {
	const size = 20_000
	tests := []struct {
		name   string
		parent func(i int) int // of the i-th message
		rule   string          // an additional finding
	}{
		{name: "one line", parent: func(i int) int { return i - 1 }},
		{name: "one parent", parent: func(i int) int { return 0 }},
		{name: "a comb", parent: func(i int) int { return i - 2 + i%2 }},
		{name: "one cycle", parent: func(i int) int { return (i + 1) % size }, rule: "cycle"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			for i := range size {
				m := &Message{HandoffID: fmt.Sprintf("%06d", i), TaskID: "t", From: fmt.Sprint(i), To: fmt.Sprint(i + 1)}
				if i > 0 || test.rule != "" {
					m.ParentID = fmt.Sprintf("%06d", test.parent(i))
				}
				c.Add(m)
			}
			tasks := c.Tasks()
			if len(tasks) != 1 || tasks[0].Messages != size || len(tasks[0].Roots) != 1 {
				t.Fatalf("got %d tasks", len(tasks))
			}
			var want []string
			if test.rule != "" {
				want = []string{test.rule}
			}
			if diff := cmp.Diff(want, rulesOf(tasks)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
