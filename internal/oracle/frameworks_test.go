package oracle_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
)

// programOfPage matches a block of code and the file name in its first line.
var programOfPage = regexp.MustCompile("(?s)```(?:js|python)\n((?://|#) (\\S+)\n.*?)```")

// TestFrameworks runs the code of docs/frameworks.md as printed, with its frameworks and with models that
// give fixed answers: testdata/oracles/frameworks has a program for each, which prints ok at its end.
func TestFrameworks(t *testing.T) {
	scripts := oracle.Install(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "frameworks.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(
		os.CopyFS(dir, os.DirFS(filepath.Join(scripts, "frameworks"))),
		os.Symlink(filepath.Join(filepath.Dir(scripts), "node_modules"), filepath.Join(dir, "node_modules")),
	); err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, block := range programOfPage.FindAllStringSubmatch(string(page), -1) {
		if err := os.WriteFile(filepath.Join(dir, block[2]), []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if block[2] != "handoff.mjs" { // imported by the others
			tests = append(tests, block[2])
		}
	}
	if want := []string{"agents.mjs", "agents_checked.py", "graph.mjs", "sdk.mjs", "executor.mjs", "stays.mjs"}; !slices.Equal(tests, want) {
		t.Fatalf("the page has the programs %q, want %q", tests, want)
	}
	bin := filepath.Join(dir, "bin")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+"/", "github.com/eaapl/handoff", "github.com/eaapl/handoff/relay/handoff-relay").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range tests {
		t.Run(name, func(t *testing.T) {
			program, test := "node", strings.TrimSuffix(name, ".mjs")+".test.mjs"
			if strings.HasSuffix(name, ".py") {
				program, test = "python3", "agents_test.py"
				if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
					t.Skip(err)
				}
			}
			c := exec.CommandContext(t.Context(), program, test)
			c.Dir = dir
			c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "PYTHONDONTWRITEBYTECODE=1")
			out, err := c.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), "ok\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
