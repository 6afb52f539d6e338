package chain

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// A step is a message of a test tree.
type step struct {
	id, from, to string
	after        time.Duration // time since the parent
	usd          string
	tokens       int64
	findings     []finding.Finding
	next         []step
}

var testStart = time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)

// taskOf builds the task that begins with the given steps.
func taskOf(id string, roots ...step) *chain.Task {
	t := &chain.Task{ID: id, Agrees: true}
	spent := map[string]*chain.Spender{}
	var agents []string
	var grow func(parent *chain.Node, at time.Time, s step) *chain.Node
	grow = func(parent *chain.Node, at time.Time, s step) *chain.Node {
		usd, err := message.Number("0" + s.usd).Decimal()
		if err != nil {
			panic(err)
		}
		cost := chain.Cost{SpentUSD: usd, Prompt: s.tokens, Completion: s.tokens / 2}
		n := &chain.Node{
			Message: &chain.Message{
				Place:     chain.Place{Source: "relay.jsonl", Index: t.Messages, Line: t.Messages + 1},
				HandoffID: s.id, TaskID: id, From: s.from, To: s.to, Time: at.Add(s.after),
			},
			Parent: parent, Step: cost, Findings: s.findings,
		}
		t.Messages++
		for _, f := range s.findings {
			switch f.Severity {
			case finding.Error:
				t.Errors++
			case finding.Warning:
				t.Warnings++
			}
		}
		if spent[s.from] == nil {
			spent[s.from] = &chain.Spender{Agent: s.from}
			agents = append(agents, s.from)
		}
		spent[s.from].Handoffs++
		for _, sum := range []*chain.Cost{&spent[s.from].Cost, &t.Total} {
			sum.SpentUSD = sum.SpentUSD.Add(cost.SpentUSD)
			sum.Prompt, sum.Completion = sum.Prompt+cost.Prompt, sum.Completion+cost.Completion
		}
		for _, child := range s.next {
			n.Children = append(n.Children, grow(n, n.Time, child))
		}
		return n
	}
	for _, root := range roots {
		t.Roots = append(t.Roots, grow(nil, testStart, root))
	}
	t.Total.RemainingUSD = message.NewDecimal(5, 1)
	t.Relay = t.Total
	for _, agent := range agents {
		t.Spenders = append(t.Spenders, *spent[agent])
	}
	return t
}

var (
	lost = finding.Finding{
		Rule: "chain/subtask-lost", Severity: finding.Error, Pointer: "/remainingSubtasks", Message: "the subtask \"s3\" is gone: complete it, or keep it",
		Line: 2, Column: 40, Offset: 900,
	}
	loop = finding.Finding{Rule: "chain/loop", Severity: finding.Warning, Message: "a and b hand the task to each other: found 4 times"}
	skew = finding.Finding{Rule: "chain/schema-skew", Severity: finding.Note, Message: "versions differ"}
)

func pipeline() *chain.Task {
	return taskOf("cc35de8b-6ece-4435-abfd-a60e12baff98", step{id: "aaaaaaaa-1", from: "planner", to: "researcher", usd: ".08", tokens: 4000,
		next: []step{{id: "bbbbbbbb-2", from: "researcher", to: "writer", after: 723 * time.Second, usd: ".3000001", tokens: 12000,
			next: []step{{id: "cccccccc-3", from: "writer", to: "editor", after: 26 * time.Hour, usd: ".02", tokens: 10}}}}})
}

func forked() *chain.Task {
	return taskOf("fork", step{id: "aaaaaaaa-1", from: "planner", to: "researcher", usd: ".1", findings: []finding.Finding{skew}, next: []step{
		{id: "aaaaaaaa-2", from: "researcher", to: "writer", after: time.Second, usd: ".2", findings: []finding.Finding{lost, loop}, next: []step{
			{id: "aaaaaaaa-3", from: "writer", to: "editor", after: 250 * time.Millisecond, findings: []finding.Finding{loop}, next: []step{
				{id: "aaaaaaaa-4", from: "editor", to: "printer", usd: ".1"},
				{id: "aaaaaaaa-5", from: "editor", to: "archive", findings: []finding.Finding{loop}},
			}},
		}},
		{id: "aaaaaaaa-6", from: "researcher", to: "translator", after: -3 * time.Second, usd: ".5", next: []step{
			{id: "aaaaaaaa-7", from: "translator", to: "editor", findings: []finding.Finding{lost}},
		}},
	}})
}

func drawTasks(t *testing.T, columns int, colors, all bool, tasks ...*chain.Task) string {
	t.Helper()
	var b bytes.Buffer
	w := newTextReport(&b, columns, term.NewPalette(colors), all)
	if err := errors.Join(w.Tasks(tasks), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestChainText(t *testing.T) {
	got := drawTasks(t, 80, false, false, pipeline(), forked())
	want := `✓ cc35de8b-6ece-4435-abfd-a60e12baff98  3 handoffs, 4 agents, $0.4000001, 24,015 tokens, 1d 2h
from → to             2026-06-12        cost  tokens  handoff   place
planner → researcher    09:30:00       $0.08   6,000  aaaaaaaa  relay.jsonl:1
researcher → writer      +12m 3s  $0.3000001  18,000  bbbbbbbb  relay.jsonl:2
writer → editor           +1d 2h       $0.02      15  cccccccc  relay.jsonl:3

Cost  $0.4000001 spent, $0.5 left; 16,010 prompt and 8,005 completion tokens
  planner     1 handoff       $0.08  20.0%   6,000 tokens  ████
  researcher  1 handoff  $0.3000001  75.0%  18,000 tokens      ████████████████
  writer      1 handoff       $0.02   5.0%      15 tokens                      █

✗ fork  7 handoffs, 7 agents, $0.9, 0 tokens, 4s
from → to                    2026-06-12  cost  tokens  handoff     place
planner → researcher           09:30:00  $0.1       0  aaaaaaaa-1  relay.jsonl:1
│   note: versions differ [chain/schema-skew]
├── researcher → writer             +1s  $0.2       0  aaaaaaaa-2  relay.jsonl:2
│   │   error: /remainingSubtasks: the subtask "s3" is gone: complete it, or
│   │   keep it [chain/subtask-lost]
│   │   warning: a and b hand the task to each other: found 4 times [chain/loop]
│   writer → editor              +250ms    $0       0  aaaaaaaa-3  relay.jsonl:3
│   │   warning: a and b hand the task to each other: found 4 times [chain/loop]
│   ├── editor → printer            +0s  $0.1       0  aaaaaaaa-4  relay.jsonl:4
│   └── editor → archive            +0s    $0       0  aaaaaaaa-5  relay.jsonl:5
│           warning: a and b hand the task to each other: found 4 times
│           [chain/loop]
└── researcher → translator         -3s  $0.5       0  aaaaaaaa-6  relay.jsonl:6
    translator → editor             +0s    $0       0  aaaaaaaa-7  relay.jsonl:7
        error: /remainingSubtasks: the subtask "s3" is gone: complete it, or
        keep it [chain/subtask-lost]

Cost  $0.9 spent, $0.5 left; 0 prompt and 0 completion tokens
  planner      1 handoff  $0.1  11.1%  0 tokens  ███
  researcher  2 handoffs  $0.7  77.8%  0 tokens     █████████████████████████
  writer       1 handoff    $0   0.0%  0 tokens
  editor      2 handoffs  $0.1  11.1%  0 tokens                              ███
  translator   1 handoff    $0   0.0%  0 tokens

2 tasks, 10 handoffs: 2 errors, 3 warnings
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for line := range strings.Lines(got) {
		if n := term.Width(strings.TrimSuffix(line, "\n")); n > 80 && !strings.HasPrefix(line, "✓") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(drawTasks(t, 80, true, false, pipeline(), forked()), ""); plain != got {
		t.Error("colours change the text")
	}
}

// TestChainTextOfSeveralRoots checks that several first messages are branches of one fork, each with its time.
func TestChainTextOfSeveralRoots(t *testing.T) {
	task := taskOf("roots", step{id: "r1", from: "a", to: "b"}, step{id: "r2", from: "c", to: "d", after: 100 * time.Hour})
	task.Roots[0].Time = time.Time{}
	task.Agrees, task.Relay.SpentUSD = false, message.NewDecimal(125, 2)
	got := drawTasks(t, 80, false, false, task)
	for _, want := range []string{"├── a → b           -    $0", "└── c → d    13:30:00    $0", "the last messages report $1.25 and 0 tokens:"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestChainTextFolds checks that among many tasks, each one without findings takes one line, unless all are
// requested.
func TestChainTextFolds(t *testing.T) {
	var tasks []*chain.Task
	for i := range maxTasks {
		tasks = append(tasks, taskOf(fmt.Sprint("task-", i), step{id: "1", from: "a", to: "b"}))
	}
	count := func(all bool) int {
		return strings.Count(drawTasks(t, 80, false, all, tasks...), "\nCost")
	}
	if n := count(false); n != maxTasks {
		t.Errorf("%d of %d tasks are shown in full", n, maxTasks)
	}
	tasks = append(tasks, taskOf("noted", step{id: "1", from: "a", to: "b", findings: []finding.Finding{skew}}))
	if n := count(false); n != 1 {
		t.Errorf("%d tasks are shown in full, want the one with a finding", n)
	}
	if n := count(true); n != maxTasks+1 {
		t.Errorf("%d tasks are shown in full, want all", n)
	}
}

// TestChainTextOfHostileMessages checks that no content of a message can control the terminal or imitate a line
// of the drawing.
func TestChainTextOfHostileMessages(t *testing.T) {
	hostile := "\x1b[2J\r\n✓ forged\u202e\x00" + strings.Repeat("x", 1<<20)
	found := finding.Finding{Rule: "chain/loop", Severity: finding.Error, Message: hostile, Pointer: hostile}
	task := taskOf(hostile, step{id: hostile, from: hostile, to: hostile, findings: slices.Repeat([]finding.Finding{found}, 1000)})
	task.Roots[0].Place.Source, task.Roots[0].Receivers = hostile, []string{hostile, hostile}
	got := drawTasks(t, 80, false, false, task)
	if strings.ContainsAny(got, "\x1b\r\x00\u202e") || strings.Contains(got, "\n✓ forged") {
		t.Error("control characters are printed")
	}
	if len(got) > 64<<10 {
		t.Errorf("%d bytes for one message", len(got))
	}
	if !strings.Contains(got, "… and 980 more") {
		t.Error("omitted findings are not reported")
	}
}

// TestChainTextOfDeepTasks checks that a chain without forks is not indented, and that the size of a tree that
// forks at each message is proportional to the number of its messages.
func TestChainTextOfDeepTasks(t *testing.T) {
	const messages = 20000
	for name, shape := range map[string]func(*chain.Node, int) *chain.Node{
		"line": func(n *chain.Node, i int) *chain.Node { n.Children = n.Children[:1]; return n.Children[0] },
		"comb": func(n *chain.Node, i int) *chain.Node { return n.Children[0] },
	} {
		task := taskOf(name, step{id: "root", from: "a", to: "b"})
		for n, i := task.Roots[0], 0; i < messages; i++ {
			for j := range 2 {
				child := *n.Message
				child.HandoffID = fmt.Sprint(i, "-", j)
				n.Children = append(n.Children, &chain.Node{Message: &child, Parent: n})
			}
			n = shape(n, i)
		}
		got := drawTasks(t, 80, false, false, task)
		if len(got) > 200*2*messages {
			t.Errorf("%s: %d bytes for %d messages", name, len(got), messages)
		}
		if name == "line" && strings.ContainsAny(got, "├└│") {
			t.Error("the chain is indented")
		}
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 5 * time.Millisecond: "5ms", 59 * time.Second: "59s", 61 * time.Second: "1m 1s", 3*time.Hour + 4*time.Minute: "3h 4m",
		49 * time.Hour: "2d 1h", -90 * time.Second: "-1m 30s", math.MinInt64: "-106751d 23h",
	} {
		if got := term.Elapsed(d); got != want {
			t.Errorf("elapsed(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestIDColumns(t *testing.T) {
	for want, ids := range map[int][]string{
		8:  {"6e7f936b-cafd", "8c1f8e2c-58c5", "8c1f8e2c-58c5", ""},
		11: {"6e7f936b-cafd", "6e7f936b-c1", "6e7f936b-d"},
		36: {strings.Repeat("x", 100) + "1", strings.Repeat("x", 100) + "2"},
	} {
		var steps []step
		for _, id := range ids {
			steps = append(steps, step{id: id})
		}
		if got := tasktree.IDColumns(taskOf("t", steps...)); got != want {
			t.Errorf("%q: %d columns, want %d", ids, got, want)
		}
	}
}
