package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/term/termtest"
	"github.com/eaapl/handoff/schemas"
)

// onScreen runs a command line with a terminal as standard output and error.
func onScreen(screen *term.Screen, terminal *os.File, stdin io.Reader, args ...string) error {
	root := New().RootFor(cli.NewGlobals(), args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(screen.Stream(terminal))
	root.SetErr(screen.Stream(terminal))
	return root.ExecuteContext(context.Background())
}

// TestProgress checks that every command that may take over a second shows its progress, whatever its output.
func TestProgress(t *testing.T) {
	session, err := os.ReadFile("../testdata/sessions/claude/projects/-work-shop/0d9b1f77-51c4-4b0e-8d5a-6b1a1f0c2e42.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "CLAUDE_CONFIG_DIR": "claude", "CODEX_HOME": "codex"} {
		t.Setenv(name, filepath.Join(dir, value))
	}
	for name, text := range map[string]string{
		"m.json": example(t, "message"), "macp.json": example(t, "macp"), "openai.json": example(t, "openai"), "agents.yaml": example(t, "openai-agents"), "cp.json": "{}",
		"session.jsonl": string(session), "event.jsonl": `{"request_id":"r1","event":"request"}`,
		"many.jsonl": strings.Repeat(strings.ReplaceAll(example(t, "message"), "\n", "")+"\n", 50), "schema.json": `{"type":"object"}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"validate m.json", "validate -o report.txt m.json", "validate -q m.json", "scan m.json", "chain m.json", "chain -o chain.txt m.json", "report -o report.html m.json",
		"count m.json", "inspect m.json", "inspect -o facts.txt m.json", "diff m.json m.json", "convert --format-out openai m.json",
		"convert --format-out openai -o input.json m.json", "trim --last 3 -o small.json m.json", "redact m.json",
		"compress -o all.zst many.jsonl", "compress --train -o train.dict many.jsonl", "decompress all.zst",
		"macp check macp.json", "openai check openai.json", "openai paths --agents agents.yaml openai.json", "sw4rm status event.jsonl",
		"accept m.json", "audit verify", "audit list", "audit stats", "audit chain cc35de8b-6ece-4435-abfd-a60e12baff98",
		"audit report cc35de8b-6ece-4435-abfd-a60e12baff98 --html -o task.html",
		"send --to dir:inbox --checkpoint cp.json m.json", "schema compat schema.json schema.json",
		"session list", "session show session.jsonl", "session handoff session.jsonl --to codex",
	} {
		t.Run(line, func(t *testing.T) {
			terminal := termtest.Open(t, 80)
			go func() { _, _ = io.Copy(io.Discard, terminal.Shown) }() // until the end of the test
			began := 0
			screen := &term.Screen{Clock: func() (time.Time, <-chan time.Time, func()) {
				began++
				return time.Time{}, nil, func() {}
			}}
			if err := onScreen(screen, terminal.File, strings.NewReader(""), strings.Fields(line)...); err != nil && !errors.Is(err, cli.ErrNo) {
				t.Fatal(err)
			}
			if began == 0 {
				t.Error("no progress is shown")
			}
		})
	}
}

// example returns an example of schemas/.
func example(t *testing.T, kind string) string {
	t.Helper()
	text, err := schemas.Example(kind)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestProgressOfStream checks that the progress line is shown while messages are read, and removed before their
// reports.
func TestProgressOfStream(t *testing.T) {
	terminal := termtest.Open(t, 80)
	ticks := make(chan time.Time)
	screen := &term.Screen{Clock: func() (time.Time, <-chan time.Time, func()) { return time.Time{}, ticks, func() {} }}
	stdin, producer := io.Pipe()
	ended := make(chan error)
	go func() { ended <- onScreen(screen, terminal.File, stdin, "validate", "--no-excerpt") }()
	if _, err := producer.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case ticks <- time.Time{}.Add(2 * time.Second):
	case err := <-ended:
		t.Fatalf("the command ended without progress: %v", err)
	}
	terminal.Until(t, "MB/s")
	producer.Close()
	if err := <-ended; !errors.Is(err, cli.ErrNo) {
		t.Error(err)
	}
	rest := terminal.Until(t, "1 message: 0 valid, 1 invalid")
	if !strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(rest, "\r"), " "), "\r") || strings.Contains(rest, "MB/s") {
		t.Errorf("the progress line was not removed: %q", rest)
	}
}
