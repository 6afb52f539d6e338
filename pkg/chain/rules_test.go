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
)

// TestRules checks the table of rules.
func TestRules(t *testing.T) {
	const table = "missing-parent orphan cycle duplicate-id many-roots task-changed trace-broken parent-digest wrong-sender version-mismatch time-reversed " +
		"subtask-lost subtask-reopened result-changed subtask-forgotten constraint-dropped state-lost fact-lost " +
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

// TestDecisions checks the behaviour in cases that the specification leaves open.
func TestDecisions(t *testing.T) {
	cost := func(m object) object { return m["costTracking"].(object) }
	tests := []struct {
		name    string
		task    func(r *rand.Rand) []object
		change  func(task []object)
		options Options
		want    []string
	}{
		{name: "fan-out: a message that joins it may name any branch as parent", task: fanOut3, change: func(task []object) {
			task[4]["parentHandoffId"] = task[2]["handoffId"]
			task[4]["conversationHistorySummary"] = task[2]["conversationHistorySummary"]
		}},
		{name: "fan-out: a message that joins it may name it as parent", task: fanOut3, change: func(task []object) {
			task[4]["parentHandoffId"] = task[0]["handoffId"]
		}},
		{name: "fan-out: the sender may be addressed by another branch than the parent", task: fanOut3, change: func(task []object) {
			task[1]["toAgent"].(object)["agentType"] = "agent-other"
		}},
		{name: "fan-out: a branch need not list what another does", task: fanOut3, change: func(task []object) {
			task[1]["remainingSubtasks"] = []any{}
		}},
		{name: "fan-out: what no branch lists is lost", task: fanOut3, change: func(task []object) {
			extra := object{"subtaskId": "extra", "description": "Send the letters"}
			task[0]["remainingSubtasks"] = append(subtasks(task[0], "remainingSubtasks"), extra)
		}, want: []string{"subtask-lost"}},
		{name: "fan-in: a subtask of another branch is not there", task: fanOut3, change: func(task []object) {
			done := subtasks(task[4], "completedSubtasks")
			task[4]["completedSubtasks"] = done[:1]
		}, want: []string{"fan-in"}},
		{name: "fan-in: what is spent is that of all branches", task: fanOut3, change: func(task []object) {
			task[4]["costTracking"] = costOf(12, 988, 120, 52)
		}, want: []string{"budget-grown", "tokens-shrunk"}},
		{name: "fan-in: what another branch has completed is not done again", task: fanOut3, change: func(task []object) {
			done := subtasks(task[4], "completedSubtasks")
			task[4]["completedSubtasks"], task[4]["remainingSubtasks"] = done[:2], done[2:]
		}, want: []string{"fan-in"}},
		{name: "fan-in: an agent that continues several branches joins none", task: func(r *rand.Rand) []object {
			task := fanOut(r, 2)[:3]
			return append(task, next(r, task[1], "agent-end", 1), next(r, task[2], "agent-end", 1))
		}, change: func([]object) {}},
		{name: "agents: an id is of the types that it is mapped to", task: line4, change: func(task []object) {
			task[2]["fromAgent"].(object)["agentId"] = "agent-2@eu-west"
		}, options: Options{Agents: map[string][]string{"agent-2@eu-west": {"other", "agent-2"}}}},
		{name: "agents: a receiver is addressed as well", task: func(r *rand.Rand) []object { return line(r, 3) }, change: func(task []object) {
			task[1]["receiverList"] = []any{object{"agentType": "agent-2"}, object{"agentType": "agent-b"}}
			task[2]["fromAgent"].(object)["agentId"] = "agent-b"
		}},
		{name: "version: what is no range says nothing", task: line4, change: func(task []object) {
			task[1]["toAgent"].(object)["agentVersion"] = "the latest"
		}},
		{name: "version: a range of a kilobyte is not read", task: line4, change: func(task []object) {
			task[1]["toAgent"].(object)["agentVersion"] = strings.Repeat("9.9.9 || ", 100) + "9.9.9"
		}},
		{name: "budget: the tolerance is per boundary", task: line4, change: func(task []object) {
			cost(task[1])["costBudgetRemainingUSD"] = 9.5
		}, options: Options{Tolerance: message.NewDecimal(5, 1)}},
		{name: "budget: what was spent goes down", task: line4, change: func(task []object) {
			cost(task[3])["costSpentSoFarUSD"] = 0.01
		}, want: []string{"budget-drift"}},
		{name: "budget: a message without readable costs is passed over", task: line4, change: func(task []object) {
			task[2]["costTracking"] = "unknown"
		}},
		{name: "budget: a first message without readable costs", task: line4, change: func(task []object) {
			delete(task[0], "costTracking")
			delete(task[1], "costTracking")
		}},
		{name: "budget: a number that is too long is none", task: line4, change: func(task []object) {
			cost(task[2])["costSpentSoFarUSD"] = json.Number("1e99999")
		}},
		{name: "budget: tokens that cannot be read are passed over, not the dollars", task: line4, change: func(task []object) {
			cost(task[2])["tokenSpent"], cost(task[2])["costSpentSoFarUSD"] = "many", 0.01
			cost(task[3])["tokenSpent"].(object)["prompt"] = 1
		}, want: []string{"budget-drift", "tokens-shrunk"}},
		{name: "ids: of two with one id, the parent is that of the same task", task: func(r *rand.Rand) []object {
			return append(line(r, 3), line(r, 3)...)
		}, change: func(task []object) {
			task[3]["handoffId"], task[4]["parentHandoffId"] = task[0]["handoffId"], task[0]["handoffId"]
		}, want: []string{"duplicate-id"}},
		{name: "ids: UUIDs are the same in either case", task: line4, change: func(task []object) {
			task[2]["parentHandoffId"] = strings.ToUpper(task[2]["parentHandoffId"].(string))
			task[3]["taskId"] = strings.ToUpper(task[3]["taskId"].(string))
		}},
		{name: "trace: one that is not valid is not compared", task: line4, change: func(task []object) {
			task[2]["traceparent"] = "00-" + strings.Repeat("0", 32) + "-0000000000000001-00"
		}},
		{name: "digest: of another message", task: line4, change: func(task []object) {
			task[2]["extensions"] = object{"parentDigest": "sha256:" + strings.Repeat("0", 64)}
		}, want: []string{"parent-digest"}},
		{name: "digest: something else in its place", task: line4, change: func(task []object) {
			task[2]["extensions"] = object{"parentDigest": 7}
		}, want: []string{"parent-digest"}},
		{name: "digest: the parent has none", task: line4, change: func(task []object) {
			task[1]["relevantContext"] = []any{json.Number("1e400")}
			task[2]["extensions"] = object{"parentDigest": "sha256:" + strings.Repeat("0", 64)}
		}, want: []string{"parent-digest"}},
		{name: "digest: of a first message, nothing is known", task: line4, change: func(task []object) {
			task[0]["extensions"] = object{"parentDigest": "sha256:" + strings.Repeat("0", 64)}
		}},
		{name: "result: equal by value, in any order of members", task: line4, change: func(task []object) {
			subtasks(task[3], "completedSubtasks")[0].(object)["result"] = object{"amount": json.Number("1250e-2")}
		}},
		{name: "result: one of several that the parent has", task: line4, change: func(task []object) {
			for _, m := range task[1:] {
				again := copyOf(subtasks(m, "completedSubtasks")[0].(object))
				again["result"] = "another"
				m["completedSubtasks"] = append(subtasks(m, "completedSubtasks"), again)
			}
		}},
		{name: "facts: a member is not another with the same name and value", task: line4, change: func(task []object) {
			for i, m := range task {
				state := m["currentState"].(object)
				state["4711"] = 4711
				if i == 0 {
					state["8822"] = 8822
					m["conversationHistoryVerbatim"] = append(subtasks(m, "conversationHistoryVerbatim"), object{"role": "user", "content": "The order is 8822."})
				}
			}
		}, want: []string{"fact-lost", "state-lost"}},
		{name: "facts: a credential without a known form is none", task: line4, change: func(task []object) {
			task[0]["conversationHistoryVerbatim"] = []any{object{"role": "user", "content": "Never tell them the password: Tr0ub4dor" + "&3xyz of amqp://app:" + "k7Zq1Wm2@mq.example.com"}}
			for _, m := range task[1:] {
				m["conversationHistoryVerbatim"] = []any{}
			}
		}},
		{name: "facts: another member may have them", task: line4, change: func(task []object) {
			task[3]["conversationHistoryVerbatim"] = []any{}
			task[3]["relevantContext"] = []any{object{"source": "mail", "excerpt": "Claim C-1041: we settle for EUR 4,200."}}
		}},
		{name: "facts: a credential is none", task: line4, change: func(task []object) {
			for _, m := range task[:3] {
				m["conversationHistoryVerbatim"] = append([]any{object{"role": "user", "content": "The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a."}},
					subtasks(m, "conversationHistoryVerbatim")...)
			}
		}},
		{name: "loop: more visits are allowed", task: line6, change: pingPong, options: Options{MaxVisits: 3}},
		{name: "loop: two agents, and more than two visits", task: line6, change: pingPong, want: []string{"loop"}},
		{name: "loop: three agents", task: line6, change: func(task []object) {
			for i, m := range task {
				m["fromAgent"].(object)["agentId"], m["toAgent"].(object)["agentType"] = "abc"[i%3:i%3+1], "abcabc"[i%3+1:i%3+2]
			}
		}, options: Options{MaxVisits: 1}, want: []string{"loop"}},
		{name: "time: 1970 is a time", task: line4, change: func(task []object) {
			subtasks(task[3], "completedSubtasks")[2].(object)["completedAt"] = "1970-01-01T00:00:00Z"
		}, want: []string{"time-reversed"}},
		{name: "time: an inherited subtask is not judged again", task: line4, change: func(task []object) {
			for _, m := range task[1:] {
				subtasks(m, "completedSubtasks")[0].(object)["completedAt"] = began.Format("2006-01-02T15:04:05Z")
			}
		}},
		{name: "time: nothing was completed after the first message was sent", task: line4, change: func(task []object) {
			task[0]["remainingSubtasks"] = subtasks(task[1], "remainingSubtasks")
			task[0]["completedSubtasks"] = subtasks(task[1], "completedSubtasks")
		}, want: []string{"time-reversed"}},
		{name: "facts: the ids of the message itself do not count", task: line4, change: func(task []object) {
			id := task[2]["fromAgent"].(object)["executionId"]
			task[1]["conversationHistoryVerbatim"] = append(subtasks(task[1], "conversationHistoryVerbatim"),
				object{"role": "user", "content": "The run is " + id.(string) + "."})
		}, want: []string{"fact-lost"}},
		{name: "facts: each of many children is asked for them", task: func(r *rand.Rand) []object {
			task := line(r, 2)
			for range 6 {
				task = append(task, next(r, task[0], "agent-2", 1))
			}
			return task
		}, change: func(task []object) {
			task[7]["conversationHistoryVerbatim"] = subtasks(task[7], "conversationHistoryVerbatim")[1:]
		}, want: []string{"fact-lost"}},
		{name: "fan-in: what another branch has added and not done", task: fanOut3, change: func(task []object) {
			task[2]["remainingSubtasks"] = append(subtasks(task[2], "remainingSubtasks"), object{"subtaskId": "s9", "description": "Ask the insurer"})
		}, want: []string{"fan-in"}},
		{name: "budget: a figure of a thousand digits", task: line4, change: func(task []object) {
			cost(task[3])["costSpentSoFarUSD"] = json.Number("1e900")
		}, want: []string{"budget-drift"}},
		{name: "schema: two minor versions are no skew", task: line4, change: func(task []object) { task[2]["schemaVersion"] = "2.2" }},
		{name: "schema: another major version is", task: line4, change: func(task []object) {
			task[3]["schemaVersion"] = "3.0"
		}, want: []string{"schema-skew"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := test.task(rand.New(rand.NewPCG(1, 2)))
			for i := range task {
				task[i] = copyOf(task[i])
			}
			test.change(task)
			tasks := checkObjects(t, test.options, task...)
			if diff := cmp.Diff(test.want, rulesOf(tasks)); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, strings.Join(findings(tasks), "\n"))
			}
		})
	}
}

func fanOut3(r *rand.Rand) []object { return fanOut(r, 3) }
func line4(r *rand.Rand) []object   { return line(r, 4) }
func line6(r *rand.Rand) []object   { return line(r, 6) }

func pingPong(task []object) {
	for i, m := range task {
		m["fromAgent"].(object)["agentId"], m["toAgent"].(object)["agentType"] = "ab"[i%2:i%2+1], "ba"[i%2:i%2+1]
	}
}

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
