package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	relaycmd "github.com/eaapl/handoff/relay/cmd"
)

// TestRootFor compares the commands of a tree made for one call with the commands of the complete tree, in both
// programs.
func TestRootFor(t *testing.T) {
	for name, p := range map[string]*program.Program{"handoff": New(), "handoff-relay": relaycmd.New()} {
		whole := p.Root()
		for _, m := range program.Commands {
			if p.Make[m.Name] == nil {
				continue
			}
			t.Run(name+"/"+m.Name, func(t *testing.T) {
				root := p.RootFor(cli.NewGlobals(), []string{m.Name, "--help"})
				if n := len(root.Commands()); !m.WholeTree && n != 1 {
					t.Errorf("%d commands were made", n)
				}
				want, _, err := whole.Find([]string{m.Name})
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := root.Find([]string{m.Name})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(help(t, want), help(t, got)); diff != "" {
					t.Error(diff)
				}
			})
		}
		for _, args := range [][]string{nil, {"help", "sign"}, {"--color", "never", "sign"}, {"__complete", ""}, {"sing"}, {"config"}} {
			if n := len(p.RootFor(cli.NewGlobals(), args).Commands()); n != len(program.Commands) {
				t.Errorf("%s: %q: %d commands, want all %d", name, args, n, len(program.Commands))
			}
		}
	}
}

// TestDescribed checks that each program has the help of the other's commands.
func TestDescribed(t *testing.T) {
	both := []*program.Program{New(), relaycmd.New()}
	for i, p := range both {
		own, described := p.Root(), both[1-i].Root()
		for _, m := range program.Commands {
			if p.Make[m.Name] == nil || both[1-i].Make[m.Name] != nil {
				continue
			}
			want, _, err := own.Find([]string{m.Name})
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := described.Find([]string{m.Name})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(help(t, want), help(t, got)); diff != "" {
				t.Errorf("%s: %s", m.Name, diff)
			}
		}
	}
}

// help returns the help of a command and its subcommands.
func help(t *testing.T, c *cobra.Command) string {
	t.Helper()
	var b bytes.Buffer
	c.SetOut(&b)
	if err := c.Help(); err != nil {
		t.Fatal(err)
	}
	for _, sub := range c.Commands() {
		b.WriteString(help(t, sub))
	}
	return b.String()
}

// initialBytes are limits for the memory that packages allocate during initialization, which every call pays
// for: the largest ones by name, and the rest together.
var initialBytes = map[string]map[string]int{
	"": { // handoff
		"ours":   62_000, // a fifth of it for the descriptions of 21 formats
		"others": 250_000,
	},
	"/relay/handoff-relay": {
		"github.com/xeipuuv/gojsonschema":            150_000, // go-sarif imports it
		"github.com/google/jsonschema-go/jsonschema": 90_000,  // creates tables of types for handoff mcp
		"ours":   66_000,
		"others": 460_000, // a fifth of it for handoff mcp
	},
}

// itabGrowth is the memory that the runtime allocates when its table of method tables doubles. That happens
// once during a start, and counts for the package whose initialization fills the table.
const itabGrowth = 18_432

// TestInitialBytes checks the memory of initialization. It does not measure time, which depends on the machine.
func TestInitialBytes(t *testing.T) {
	for program, limits := range initialBytes {
		t.Run("handoff"+program, func(t *testing.T) {
			got := bytesAtStart(t, module+program, limits)
			for name, limit := range limits {
				if got[name] > limit {
					t.Errorf("%s: %d bytes, more than %d", name, got[name], limit)
				}
			}
		})
	}
}

// bytesAtStart returns the bytes allocated by the initialization of packages in a program: of each named
// package, of our other ones, and of all others.
func bytesAtStart(t *testing.T, program string, named map[string]int) map[string]int {
	file := filepath.Join(t.TempDir(), "handoff.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var trace bytes.Buffer
	handoff := exec.Command(file, "--version")
	handoff.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	handoff.Stderr = &trace
	if err := handoff.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &trace)
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(trace.String(), -1)
	if len(lines) < 10 {
		t.Fatalf("too few packages in the trace:\n%s", &trace)
	}
	got := make(map[string]int)
	for _, line := range lines {
		name := line[1]
		bytes, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := named[name]; !ok {
			name = "others"
			if strings.HasPrefix(line[1], module) {
				name = "ours"
			}
			if limit := 50_000; bytes > limit {
				t.Errorf("%s: %d bytes, more than %d", line[1], bytes, limit)
			}
		}
		if name == "ours" && bytes >= itabGrowth {
			bytes -= itabGrowth
			got["others"] += itabGrowth
		}
		got[name] += bytes
	}
	return got
}
