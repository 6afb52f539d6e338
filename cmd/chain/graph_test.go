package chain

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

func drawGraph(t *testing.T, l tasktree.Language, tasks ...*chain.Task) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&graphReport{w: &b, language: l}).Tasks(tasks); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMermaid(t *testing.T) {
	want := `flowchart TD
    h0["planner → researcher<br/>aaaaaaaa<br/>0.08 USD"]
    h1["researcher → writer<br/>bbbbbbbb"]
    h0 -->|"0.3000001 USD, 12m 3s"| h1
    h2["writer → editor<br/>cccccccc"]:::error
    h1 -->|"0.02 USD, 1d 2h"| h2
    f2["warning chain/loop#58; a and b hand the task to each other#58; found 4 times<br/>error chain/subtask-lost#58; the subtask #34;s3#34; is gone#58; complete it, or keep it"]:::error
    h2 -.- f2
    classDef error fill:#f8d7da,stroke:#b00020,color:#000
    classDef warning fill:#fff3cd,stroke:#9a6700,color:#000
    classDef note fill:#e7f1ff,stroke:#0a58ca,color:#000
`
	task := pipeline()
	task.Roots[0].Children[0].Children[0].Findings = []finding.Finding{loop, lost}
	if diff := cmp.Diff(want, drawGraph(t, tasktree.Mermaid{}, task)); diff != "" {
		t.Error(diff)
	}
	several := drawGraph(t, tasktree.Mermaid{}, pipeline(), forked())
	if strings.Count(several, "    subgraph t") != 2 || strings.Count(several, "    end\n") != 2 || !strings.Contains(several, "h3 -->|") {
		t.Errorf("two tasks are not two subgraphs:\n%s", several)
	}
}

func TestDot(t *testing.T) {
	want := `digraph handoffs {
    node [shape=box, style=filled, fillcolor=white, fontname="sans-serif"]
    edge [fontname="sans-serif"]
    h0 [label="planner → researcher\naaaaaaaa\n0.08 USD"]
    h1 [label="researcher → writer\nbbbbbbbb"]
    h0 -> h1 [label="0.3000001 USD, 12m 3s"]
    h2 [label="writer → editor\ncccccccc", fillcolor="#f8d7da", color="#b00020"]
    h1 -> h2 [label="0.02 USD, 1d 2h"]
    f2 [shape=note, label="error chain/subtask-lost: the subtask \"s3\" is gone: complete it, or keep it", fillcolor="#f8d7da", color="#b00020"]
    h2 -> f2 [style=dashed, arrowhead=none]
}
`
	task := pipeline()
	task.Roots[0].Children[0].Children[0].Findings = []finding.Finding{lost}
	if diff := cmp.Diff(want, drawGraph(t, tasktree.Dot{}, task)); diff != "" {
		t.Error(diff)
	}
}

// The lines of a diagram, with any text in their labels.
var (
	mermaidLine = regexp.MustCompile(`^(flowchart TD|    (subgraph t\d+\["L*"\]|end|[hf]\d+\["L*(<br/>L*)*"\](:::\w+)?|h\d+ -->\|"L*"\| h\d+|h\d+ -\.- f\d+|classDef \w+ fill:#\w+,stroke:#\w+,color:#000))$`)
	dotLine     = regexp.MustCompile(`^(digraph handoffs \{|\}|    (\}|(node|edge) \[[\w=, "-]+\]|subgraph cluster_\d+ \{|label="L*"|[hf]\d+ \[(shape=note, )?label="L*"(, fillcolor="#\w+", color="#\w+")?\]|h\d+ -> h\d+ \[label="L*"\]|h\d+ -> f\d+ \[style=dashed, arrowhead=none\]))$`)
)

// TestDiagramsOfHostileMessages checks that no content of a message adds other lines to a diagram.
func TestDiagramsOfHostileMessages(t *testing.T) {
	hostile := []string{
		`"]; click h0 "javascript:x"`, "a\nend\nh9[x]", "%%{init: {}}%%", "`**x**`", "$$x$$", `\`, `\" ]`, "#quot;#34;", "<b>&lt;", "ﬂ°°34¶ß", "\x1b[0m", "style:#x;", "",
	}
	for _, text := range hostile {
		found := finding.Finding{Rule: text, Severity: finding.Error, Message: text}
		second := step{id: text, from: text, to: text, findings: []finding.Finding{found}}
		first := step{id: text, from: text, to: text, next: []step{second}}
		tasks := []*chain.Task{taskOf(text, first), taskOf("other", first)}
		for name, language := range map[string]struct {
			tasktree.Language
			line   *regexp.Regexp
			letter string
		}{
			"mermaid": {tasktree.Mermaid{}, mermaidLine, `(?:[\pL\pN .,+\-_/→…]|#\d+;)`},
			"dot":     {tasktree.Dot{}, dotLine, `(?:[^"\\]|\\["\\n])`},
		} {
			line := regexp.MustCompile(strings.ReplaceAll(language.line.String(), "L", language.letter))
			for text := range strings.Lines(drawGraph(t, language.Language, tasks...)) {
				if !line.MatchString(strings.TrimSuffix(text, "\n")) {
					t.Errorf("%s: %q is not a line of a diagram", name, text)
				}
			}
		}
	}
}

func TestChainJSON(t *testing.T) {
	task := forked()
	root := task.Roots[0]
	root.Cost.SpentUSD = message.NewDecimal(900719925474099310, 2)
	root.Children[0].ParentID = "aaaaaaaa-1"
	root.Place.Source = "\xff.json"
	var b bytes.Buffer
	if err := (&jsonReport{w: &b}).Tasks([]*chain.Task{task, pipeline()}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 || !json.Valid([]byte(lines[0])) || !json.Valid([]byte(lines[1])) {
		t.Fatalf("not one object per line:\n%s", b.String())
	}
	for _, want := range []string{
		`{"taskId":"fork","handoffs":[{"handoffId":"aaaaaaaa-1","parentHandoffId":null,"source":"\\xff.json","index":0,"line":1,"from":"planner","to":"researcher",`,
		`"step":{"spentUSD":0.1,"prompt":0,"completion":0},"soFar":{"spentUSD":9007199254740993.1,`,
		`{"handoffId":"aaaaaaaa-2","parentHandoffId":"aaaaaaaa-1",`,
		`"findings":[{"rule":"chain/subtask-lost","severity":"error","message":"the subtask \"s3\" is gone: complete it, or keep it","pointer":"/remainingSubtasks","line":2,"column":40,"offset":900},`,
		`"spenders":[{"agent":"planner","handoffs":1,"spentUSD":0.1,"prompt":0,"completion":0},`,
		`"errors":2,"warnings":3}`,
	} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("no %s in\n%s", want, lines[0])
		}
	}
}

// TestChainFindings checks that other reports name each message once, before its children.
func TestChainFindings(t *testing.T) {
	var junit, log bytes.Buffer
	for _, f := range []struct {
		format string
		w      *bytes.Buffer
	}{{"junit", &junit}, {"sarif", &log}} {
		r, err := report.NewPrinter(f.format, f.w, report.Text{})
		if err != nil {
			t.Fatal(err)
		}
		if err := newMessageByMessage(r, 0).Tasks([]*chain.Task{forked()}); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		`<testsuite name="relay.jsonl" tests="7" failures="2" errors="0" time="0">`,
		`<testcase name="relay.jsonl, message 2" classname="handoff" time="0"><failure type="chain/subtask-lost" message="/remainingSubtasks: the subtask`,
		`time="0"><system-out>relay.jsonl:3:1: warning: a and b hand`,
	} {
		if !strings.Contains(junit.String(), want) {
			t.Errorf("no %s in\n%s", want, junit.String())
		}
	}
	parsed, err := sarif.FromString(log.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Validate(); err != nil {
		t.Error(err)
	}
	for _, rule := range parsed.Runs[0].Tool.Driver.Rules {
		if *rule.ID != "chain/"+*rule.Name || rule.Help == nil {
			t.Errorf("%s has no description", *rule.ID)
		}
	}
}
