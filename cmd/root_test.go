package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// TestNewRootFor compares the commands of a tree made for one call with the same ones of
// the whole tree.
func TestNewRootFor(t *testing.T) {
	whole := newRoot()
	for _, m := range makers() {
		t.Run(m.name, func(t *testing.T) {
			root := newRootFor(cli.NewGlobals(), []string{m.name, "--help"})
			if n := len(root.Commands()); !m.about && n != 1 {
				t.Errorf("%d commands are made", n)
			}
			want, _, err := whole.Find([]string{m.name})
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := root.Find([]string{m.name})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(help(t, want), help(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, args := range [][]string{nil, {"help", "sign"}, {"--color", "never", "sign"}, {"__complete", ""}, {"sing"}, {"config"}} {
		if n := len(newRootFor(cli.NewGlobals(), args).Commands()); n != len(makers()) {
			t.Errorf("%q: %d commands, want all %d", args, n, len(makers()))
		}
	}
}

// help is what a command and those below it say of themselves.
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

func TestDelayCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 120
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	delayCollection()
	delayed := debug.SetGCPercent(800)
	if delayed != 800 {
		t.Errorf("%d percent at first, want 800", delayed)
	}
	for range 1000 {
		runtime.GC()
		time.Sleep(time.Millisecond) // for the cleanup to run
		if debug.SetGCPercent(800) == usual {
			return
		}
	}
	t.Errorf("never %d percent again", usual)
}

// initialBytes are what packages may allocate before the program does anything, as every
// call pays for it: those that take much, and the rest of them together.
var initialBytes = map[string]int{
	"github.com/santhosh-tekuri/jsonschema/v5":   1_200_000, // compiles the schemas of five drafts
	"github.com/Masterminds/semver/v3":           240_000,   // compiles expressions
	"github.com/xeipuuv/gojsonschema":            150_000,   // go-sarif imports it
	"github.com/google/jsonschema-go/jsonschema": 90_000,    // makes tables of types for handoff mcp
	"ours":   66_000,
	"others": 460_000, // of which the server for models takes a fifth
}

// TestInitialBytes counts instead of timing, so that it gives the same on any machine.
func TestInitialBytes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "handoff.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, module).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var trace bytes.Buffer
	handoff := exec.Command(program, "version")
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
		if _, ok := initialBytes[name]; !ok {
			name = "others"
			if strings.HasPrefix(line[1], module) {
				name = "ours"
			}
			if limit := 50_000; bytes > limit {
				t.Errorf("%s: %d bytes, more than %d", line[1], bytes, limit)
			}
		}
		got[name] += bytes
	}
	for name, limit := range initialBytes {
		if got[name] > limit {
			t.Errorf("%s: %d bytes, more than %d", name, got[name], limit)
		}
	}
}

// TestConnectionLost: only the end of a pipe goes without words.
func TestConnectionLost(t *testing.T) {
	broken := os.NewSyscallError("write", syscall.EPIPE)
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{fmt.Errorf("standard output: cannot be written: %w", broken), exitPipe, ""},
		{fmt.Errorf("the database: %w", &net.OpError{Op: "write", Net: "tcp", Err: broken}), exitTrouble, "handoff: the database: write tcp: write: broken pipe\n"},
	} {
		var stderr bytes.Buffer
		if code := exitCode(tt.err, &stderr); code != tt.code || stderr.String() != tt.want {
			t.Errorf("%v: got %d, %q", tt.err, code, stderr.String())
		}
	}
}

// TestClosed: an answer does not stand where something went wrong after it.
func TestClosed(t *testing.T) {
	trouble := errors.New("trouble")
	for _, tt := range []struct {
		err, closing error
		code         int
		want         string
	}{
		{nil, nil, exitYes, ""},
		{cli.ErrNo, nil, exitNo, ""},
		{nil, trouble, exitTrouble, "handoff: trouble\n"},
		{cli.ErrNo, trouble, exitTrouble, "handoff: trouble\n"},
		{cli.ErrReported, trouble, exitTrouble, "handoff: trouble\n"},
		{errors.New("first"), trouble, exitTrouble, "handoff: first\nhandoff: trouble\n"},
	} {
		var stderr bytes.Buffer
		if code := exitCode(cli.Closed(tt.err, nil, tt.closing), &stderr); code != tt.code || stderr.String() != tt.want {
			t.Errorf("%v, then %v: got %d, %q", tt.err, tt.closing, code, stderr.String())
		}
	}
}
