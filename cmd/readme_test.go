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

	"github.com/eaapl/handoff/cmd/internal/cli"
)

// TestReadme runs the console sessions of the README in testdata/readme and
// compares what they show.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, session := range regexp.MustCompile("(?s)```console\n\\$ (.*?)```").FindAllSubmatch(readme, -1) {
		steps = append(steps, strings.Split(string(session[1]), "\n$ ")...)
	}
	if len(steps) == 0 {
		t.Fatal("the README has no console session")
	}
	t.Chdir(filepath.Join("..", "testdata", "readme"))
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
			t.Errorf("%s shows\n%s\nand the README says\n%s", command, got.String(), want)
		}
	}
}

// TestReadmePipeline runs the README's pipeline of three agents as one script: it is no longer
// than it says, and its audit log has both handoffs of one task, what they cost, and verifies.
func TestReadmePipeline(t *testing.T) {
	script := readmeScript(t, "extract | handoff build")
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

// readmeScript returns the block of the README that has a text.
func readmeScript(t *testing.T, text string) string {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a POSIX shell")
	}
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range docsBlocks(string(readme)) {
		if script := strings.Join(block.lines, "\n"); strings.Contains(script, text) {
			return script
		}
	}
	t.Fatalf("the README has no script with %q", text)
	return ""
}

// TestReadmeDelivery runs the README's four lines, by which one agent hands over to another,
// over a folder and over NATS.
func TestReadmeDelivery(t *testing.T) {
	const folder = "dir:tasks"
	script := readmeScript(t, "handoff receive "+folder)
	if lines := strings.Count(script, "\n") + 1; lines > 4 {
		t.Errorf("it has %d lines", lines)
	}
	for _, name := range []string{"dir", "nats"} {
		t.Run(name, func(t *testing.T) {
			dir, env := newDocsShell(t).prepare(t, script)
			to := folder
			if name != "dir" {
				to = places[name](t)
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
