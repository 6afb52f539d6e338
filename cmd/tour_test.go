package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"

	"github.com/eaapl/handoff/internal/programtest"
)

// TestTour runs the console sessions of docs/tour.md in testdata/tour, and compares their output.
func TestTour(t *testing.T) {
	tour, err := os.ReadFile(filepath.Join("..", "docs", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, session := range regexp.MustCompile("(?s)```console\n\\$ (.*?)```").FindAllSubmatch(tour, -1) {
		steps = append(steps, strings.Split(string(session[1]), "\n$ ")...)
	}
	if len(steps) == 0 {
		t.Fatal("the tour has no console session")
	}
	t.Setenv("COLUMNS", "")
	t.Chdir(filepath.Join("..", "testdata", "tour"))
	for _, step := range steps {
		command, want, shown := strings.Cut(step, "\n")
		var got bytes.Buffer
		root := newRoot()
		root.SetArgs(strings.Fields(command)[1:])
		root.SetOut(&got)
		root.SetErr(&got)
		if err := root.Execute(); err != nil && err != cli.ErrNo {
			t.Errorf("%s: %v", command, err)
		}
		if shown && want != "" && strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
			t.Errorf("%s: output:\n%s\nin the tour:\n%s", command, got.String(), want)
		}
	}
}

// TestTourPipeline runs the tour's pipeline of three agents as one script. It checks that the script has the
// stated length, and that its audit log has both handoffs of one task with their costs, and verifies.
func TestTourPipeline(t *testing.T) {
	script := tourScript(t, "extract | handoff build")
	if lines := strings.Count(script, "\n") + 1; lines > 10 {
		t.Fatalf("the pipeline has %d lines:\n%s", lines, script)
	}
	dir, env := newDocsShell(t).prepare(t, script)
	run := func(script string) string {
		c := exec.Command("sh", "-euc", script)
		c.Dir, c.Env = dir, env
		out, err := c.Output()
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, script, out)
		}
		return string(out)
	}
	out := run(script)
	for _, want := range []string{"2 handoffs", "extractor → scorer", "scorer → reporter", "$0.16 spent", "4 records, 2 messages: unchanged"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	log := run("handoff audit list --audit-log audit.db -f json --event ACCEPTED")
	if task := `"taskId":"cc35de8b-6ece-4435-abfd-a60e12baff98"`; strings.Count(log, task) != 2 {
		t.Errorf("the log has\n%s", log)
	}
}

// tourScript returns the block of docs/tour.md that contains a text.
func tourScript(t *testing.T, text string) string {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a POSIX shell")
	}
	tour, err := os.ReadFile(filepath.Join("..", "docs", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range docsBlocks(string(tour)) {
		if script := strings.Join(block.lines, "\n"); strings.Contains(script, text) {
			return script
		}
	}
	t.Fatalf("the tour has no script with %q", text)
	return ""
}

// TestTourDelivery runs the tour's four lines for a handover from one agent to another, over a
// folder and over NATS.
func TestTourDelivery(t *testing.T) {
	const folder = "dir:tasks"
	script := tourScript(t, "handoff receive "+folder)
	if lines := strings.Count(script, "\n") + 1; lines > 4 {
		t.Errorf("the script has %d lines", lines)
	}
	for _, name := range []string{"dir", "nats"} {
		t.Run(name, func(t *testing.T) {
			dir, env := newDocsShell(t).prepare(t, script)
			to := folder
			if name != "dir" {
				to = "nats://" + programtest.Server(t, "NATS", "127.0.0.1:4222") + "/tour." + programtest.UniqueName()
			}
			c := exec.Command("sh", "-euc", "export XDG_STATE_HOME=$PWD/state\n"+strings.NewReplacer("receive "+folder, "receive --max 1 "+to, folder, to).Replace(script)+"\nwait\nhandoff audit list -f json")
			c.Dir, c.Env = dir, env
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{`"receiver":"scorer","status":"`, `"event":"DISPATCHED"`, `"event":"COMPLETED"`} {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %s in\n%s", want, out)
				}
			}
		})
	}
}

// TestIndex checks that docs/index.md lists all pages.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile(filepath.Join("..", "docs", "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "index.md" && !bytes.Contains(index, []byte("]("+name+")")) {
			t.Errorf("the index does not list %s", name)
		}
	}
}
