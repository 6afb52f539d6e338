package cmd

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/transport"
)

var update = flag.Bool("update", false, "rewrite what the tests compare with")

func TestMain(m *testing.M) {
	testscript.Main(tier.Clean{M: m}, map[string]func(){"handoff": func() { os.Exit(Main()) }})
}

// TestScripts runs testdata/script: the command line as its users use it.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "ROOT="+root, "TRACEPARENT=", "XDG_CONFIG_HOME="+filepath.Join(e.WorkDir, "config"),
				"XDG_STATE_HOME="+filepath.Join(e.WorkDir, "state"), "TZ=UTC",
				"GORACE="+os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"certify": certifies, "exit": exitsWith, "compress": compresses, "cut": cuts, "lines": picksLines, "publish": publishes, "repeat": repeats, "replace": replaces, "silent": silent,
		},
	})
}

// exitsWith runs a command that has to end with one exit code: exit CODE COMMAND…
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// compresses writes a compressed copy of a file: compress gzip|zstd FROM TO.
func compresses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: compress gzip|zstd FROM TO")
	}
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if args[0] == "zstd" {
		z, err := zstd.NewWriter(&out)
		ts.Check(err)
		w = z
	}
	_, err := io.WriteString(w, ts.ReadFile(args[1]))
	ts.Check(errors.Join(err, w.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o644))
}

// cuts leaves the first bytes of a file: cut FILE BYTES.
func cuts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE BYTES")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	// "cp" keeps the mode of files, and those of the source tree may be read-only.
	ts.Check(errors.Join(err, os.Chmod(ts.MkAbs(args[0]), 0o644), os.Truncate(ts.MkAbs(args[0]), size)))
}

// publishes sends files as messages of the sender "tester": publish URL FILE...
func publishes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: publish URL FILE...")
	}
	scheme, path, _ := strings.Cut(args[0], ":")
	row, u, err := transportOf(scheme + ":" + ts.MkAbs(path))
	ts.Check(err)
	p, err := row.publish(context.Background(), u, transport.Options{})
	ts.Check(err)
	defer p.Close()
	for i, file := range args[1:] {
		_, err := p.Publish(context.Background(), transport.Message{
			ID: fmt.Sprintf("%s %d %d", file, i, time.Now().UnixNano()), Kind: transport.Handoff, Body: []byte(ts.ReadFile(file)), ReplyTo: "tester", DispatchedAt: time.Now(),
		})
		ts.Check(err)
	}
}

// picksLines writes lines of files to another, in the order named: lines TO FROM:N[-[M]]...
func picksLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: lines TO FROM:N[-[M]]...")
	}
	var text strings.Builder
	for _, arg := range args[1:] {
		name, picked, _ := strings.Cut(arg, ":")
		lines := strings.SplitAfter(strings.TrimSuffix(ts.ReadFile(name), "\n"), "\n")
		lines[len(lines)-1] += "\n"
		first, last, several := strings.Cut(picked, "-")
		from, err := strconv.Atoi(first)
		ts.Check(err)
		to := from
		if several {
			to = len(lines)
		}
		if last != "" {
			to, err = strconv.Atoi(last)
			ts.Check(err)
		}
		text.WriteString(strings.Join(lines[from-1:to], ""))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text.String()), 0o644))
}

// repeats writes a file several times over, and others after it, to another:
// repeat N FROM TO [AND]...
func repeats(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: repeat N FROM TO [AND]...")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := strings.Repeat(ts.ReadFile(args[1]), n)
	for _, file := range args[3:] {
		text += ts.ReadFile(file)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o644))
}

// replaces writes a copy of a file in which a text is replaced that must be
// there: replace FROM TO OLD NEW.
func replaces(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace FROM TO OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[2]) {
		ts.Fatalf("%s has no %q", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.ReplaceAll(text, args[2], args[3])), 0o644))
}
