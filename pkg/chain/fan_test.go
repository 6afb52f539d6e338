package chain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoDeep returns a fan-out to two receivers, whose branches have two messages each.
func twoDeep(r *rand.Rand) []object {
	from := first(r, 4)
	list := []any{object{"agentType": "worker-0"}, object{"agentType": "worker-1"}}
	from["receiverList"], from["toAgent"] = list, list[0]
	task, tips := []object{from}, []object{}
	for i := range list {
		addressed := copyOf(from)
		left := subtasks(addressed, "remainingSubtasks")
		addressed["toAgent"], addressed["remainingSubtasks"] = list[i], left[2*i:2*i+2]
		one := next(r, addressed, fmt.Sprint("helper-", i), 1)
		two := next(r, one, "agent-join", 2)
		task, tips = append(task, one, two), append(tips, two)
	}
	return append(task, next(r, merge(from, tips), "agent-end", 1))
}

// atOnce returns a fan-out whose first branch fans out again, and a message that joins both.
func atOnce(r *rand.Rand) []object {
	from := first(r, 4)
	outer := []any{object{"agentType": "worker-0"}, object{"agentType": "worker-1"}}
	inner := []any{object{"agentType": "helper-0"}, object{"agentType": "helper-1"}}
	from["receiverList"], from["toAgent"] = outer, outer[0]
	again := next(r, from, "helper-0", 2)
	again["receiverList"], again["remainingSubtasks"] = inner, subtasks(again, "remainingSubtasks")[:2]
	branch := func(parent object, to any, at int) object {
		parent = copyOf(parent)
		left := subtasks(parent, "remainingSubtasks")
		parent["toAgent"], parent["remainingSubtasks"] = to, left[at:at+1]
		return next(r, parent, "agent-join", 3)
	}
	a, b, c := branch(again, inner[0], 0), branch(again, inner[1], 1), branch(from, outer[1], 3)
	joined := merge(from, []object{merge(again, []object{a, b}), c})
	return []object{from, again, a, b, c, next(r, joined, "agent-end", 1)}
}

// TestFans checks that each fault of a fan-out is found once, and its place.
func TestFans(t *testing.T) {
	// without leaves a message out.
	without := func(at int) func(r *rand.Rand) []object {
		return func(r *rand.Rand) []object { return slices.Delete(fanOut(r, 3), at, at+1) }
	}
	oneType := func(task []object) {
		for _, to := range append(subtasks(task[0], "receiverList"), task[0]["toAgent"]) {
			to.(object)["agentType"] = "worker"
		}
		for _, m := range task[1 : len(task)-1] {
			m["fromAgent"].(object)["agentId"] = "worker"
		}
	}
	handTo := func(m object, agent string) { m["toAgent"].(object)["agentType"] = agent }
	tests := []struct {
		name   string
		task   func(r *rand.Rand) []object
		change func(task []object)
		want   []string // the index of the message, and the rule
		twice  bool     // the total may count a message twice
	}{
		{name: "receivers of one type", task: fanOut3, change: oneType},
		{name: "receivers of one type, one is missing", task: without(2), change: oneType, want: []string{"3 fan-in"}},
		{name: "toAgent is a receiver, too", task: without(1), change: func(task []object) {
			task[0]["receiverList"] = subtasks(task[0], "receiverList")[1:]
			task[3]["parentHandoffId"] = task[0]["handoffId"]
		}, want: []string{"3 fan-in"}},
		{name: "long branches", task: twoDeep, change: func([]object) {}},
		{name: "long branches: what another has completed is not there", task: twoDeep, change: func(task []object) {
			done := subtasks(task[5], "completedSubtasks")
			task[5]["completedSubtasks"] = done[:len(done)-1]
		}, want: []string{"5 fan-in"}},
		{name: "one message joins two fan-outs", task: atOnce, change: func([]object) {}},
		{name: "what another branch has completed is not there", task: fanOut3, change: func(task []object) {
			task[4]["completedSubtasks"] = subtasks(task[4], "completedSubtasks")[:2]
		}, want: []string{"4 fan-in"}},
		{name: "what no branch lists, below the fan-out", task: fanOut3, change: func(task []object) {
			extra := object{"subtaskId": "extra", "description": "Send the letters"}
			task[0]["remainingSubtasks"] = append(subtasks(task[0], "remainingSubtasks"), extra)
			task[4]["parentHandoffId"] = task[0]["handoffId"]
		}, want: []string{"1 subtask-lost"}},
		{name: "what is left at the branches, below the fan-out", task: fanOut3, change: func(task []object) {
			for _, m := range task[:4] {
				m["remainingSubtasks"] = append(subtasks(m, "remainingSubtasks"), object{"subtaskId": "extra", "description": "Send the letters"})
			}
			task[4]["parentHandoffId"] = task[0]["handoffId"]
		}, want: []string{"4 fan-in"}},
		{name: "when another branch has completed something is its own business", task: fanOut3, change: func(task []object) {
			for i, at := range []int{2, 4} {
				subtasks(task[at], "completedSubtasks")[i].(object)["completedAt"] = "2026-06-12T08:00:00Z"
			}
		}, want: []string{"2 time-reversed"}},
		{name: "a stranger where the branches are joined, and the agent that joins later", task: func(r *rand.Rand) []object {
			task := fanOut(r, 3)
			task = append(task, next(r, task[4], "agent-join", 1))
			return append(task, next(r, task[5], "agent-x", 1))
		}, change: func(task []object) {
			task[4]["fromAgent"].(object)["agentId"] = "stranger"
		}, want: []string{"4 wrong-sender"}},
		{name: "a branch of another task is there", task: fanOut3, change: func(task []object) {
			task[3]["taskId"] = "another"
		}, want: []string{"3 task-changed"}},
		{name: "the result of another branch", task: fanOut3, change: func(task []object) {
			subtasks(task[4], "completedSubtasks")[2].(object)["result"] = "another"
		}, want: []string{"4 result-changed"}},
		{name: "one result of two branches that did the same", task: fanOut3, change: func(task []object) {
			same := copyOf(subtasks(task[1], "completedSubtasks")[0].(object))
			same["result"] = "another"
			for _, m := range []object{task[2], task[4]} {
				m["completedSubtasks"] = append(subtasks(m, "completedSubtasks"), same)
			}
			task[2]["remainingSubtasks"] = []any{}
		}},
		{name: "older than another branch", task: fanOut3, change: func(task []object) {
			task[2]["timestamp"] = "2026-06-12T10:00:00Z"
		}, want: []string{"4 time-reversed"}},
		{name: "the sender is addressed by another branch only, and joins nothing", task: fanOut3, change: func(task []object) {
			handTo(task[1], "agent-x")
			handTo(task[2], "agent-y")
		}, want: []string{"4 wrong-sender"}, twice: true},
		{name: "two of three branches meet", task: fanOut3, change: func(task []object) {
			handTo(task[2], "agent-y")
		}, twice: true},
		{name: "not joined yet", task: without(4), change: func([]object) {}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := test.task(rand.New(rand.NewPCG(1, 2)))
			for i := range task {
				task[i] = copyOf(task[i])
			}
			test.change(task)
			tasks := checkObjects(t, Options{}, task...)
			var got []string
			for _, task := range tasks {
				for n := range task.Nodes() {
					for _, f := range n.Findings {
						got = append(got, fmt.Sprint(n.Place.Index, " ", strings.TrimPrefix(f.Rule, "chain/")))
					}
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, strings.Join(findings(tasks), "\n"))
			}
			if tasks[0].Agrees == test.twice {
				t.Errorf("agrees: %t, total %v, relay %v", tasks[0].Agrees, tasks[0].Total, tasks[0].Relay)
			}
			last := task[len(task)-1]
			if total := tasks[0].Total.SpentUSD; test.want == nil && !test.twice && last["toAgent"].(object)["agentType"] == "agent-end" &&
				total.String() != fmt.Sprint(last["costTracking"].(object)["costSpentSoFarUSD"]) {
				t.Errorf("total %s, want that of the last message, %v", total, last["costTracking"])
			}
		})
	}
}

// TestAddressees checks how a finding lists the addressees of a message.
func TestAddressees(t *testing.T) {
	task := line(rand.New(rand.NewPCG(1, 2)), 2)
	agent := object{"agentType": "agent-1"}
	task[0]["receiverList"] = []any{agent, "agent-x", object{}, object{"agentType": "agent-0"}, agent}
	task[1]["fromAgent"].(object)["agentId"] = "nobody"
	got := findings(checkObjects(t, Options{}, task...))
	if want := `addressed to "agent-0", "agent-1", "agent-x": check`; len(got) != 1 || !strings.Contains(got[0], want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
