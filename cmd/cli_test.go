package cmd

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/internal/webpost"
	relaycmd "github.com/eaapl/handoff/relay/cmd"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
)

var update = flag.Bool("update", false, "rewrite what the tests compare with")

func TestMain(m *testing.M) {
	os.Exit(programtest.Main(Main, relaycmd.Main, func() int {
		relay.InProcess = func(stdin io.Reader, stdout, stderr io.Writer, args []string) int {
			if slices.Equal(args, []string{webpost.Command}) {
				return relaycmd.Post(stdin, stdout, stderr)
			}
			return runProgram(relaycmd.New(), stdin, stdout, stderr, args)
		}
		time.Local = time.UTC // as TZ sets it for processes
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(400) // commands in this process allocate much
		}
		flag.Set("test.parallel", "8")                // scripts wait more than they compute
		return tier.Run(m, "TestScripts", "TestDocs") // each script and each block is a test of its own
	}))
}

// TestScripts runs the command lines of testdata/script as users do. "handoff" runs a command in this
// process, which takes a tenth of the time; "exec handoff" starts a process, for scripts that send signals,
// run commands in the background, or wait for time to pass.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	before := os.Environ()
	t.Cleanup(func() { setEnvironment(before) })
	path := os.Getenv("PATH") // commands of other scripts change it concurrently
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join(root, "testdata", "script"),
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "ROOT="+root, "TRACEPARENT=", "XDG_CONFIG_HOME="+filepath.Join(e.WorkDir, "config"),
				"XDG_STATE_HOME="+filepath.Join(e.WorkDir, "state"), "TZ=UTC", "PATH="+path,
				"GORACE="+os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"handoff": runsHandoff, "exit": exitsWith,
			"certify": certifies, "compress": compresses, "cut": cuts, "lines": picksLines, "publish": publishes, "repeat": repeats, "replace": replaces, "silent": silent,
		},
	})
}

// runsHandoff runs a command in this process, which must end with exit code 0, or after "!" with another:
// handoff [ARG]... [<FILE].
func runsHandoff(ts *testscript.TestScript, neg bool, args []string) {
	if code := inProcess(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// exitsWith runs a command that must end with a given exit code: exit CODE COMMAND [ARG]..., which runs
// "handoff" in this process, or exit CODE exec COMMAND [ARG]...
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	command, got := args[1:], 0
	if command[0] == "handoff" {
		got = inProcess(ts, command[1:])
	} else {
		if command[0] == "exec" {
			command = command[1:]
		}
		if err := ts.Exec(command[0], command[1:]...); err != nil {
			var status *exec.ExitError
			if !errors.As(err, &status) {
				ts.Fatalf("%v", err)
			}
			got = status.ExitCode()
		}
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// processState guards the environment and the working directory of this process.
var processState sync.Mutex

// inProcess runs a command line in the folder and with the environment of a script, and returns its exit
// code. Standard input is empty, or the file named by the last argument: <FILE.
func inProcess(ts *testscript.TestScript, args []string) int {
	stdin := ""
	if last := len(args) - 1; last >= 0 && len(args[last]) > 1 && args[last][0] == '<' && args[last][1] != '<' {
		stdin, args = ts.ReadFile(args[last][1:]), args[:last]
	}
	stdout, stderr := ts.Stdout(), ts.Stderr()

	processState.Lock()
	defer processState.Unlock()
	var env []string
	for _, entry := range reflect.ValueOf(ts).Elem().FieldByName("env").Seq2() { // testscript does not export it
		env = append(env, entry.String())
	}
	setEnvironment(append(env, "PWD="+ts.MkAbs(".")))
	home, err := os.Getwd()
	ts.Check(errors.Join(err, os.Chdir(ts.MkAbs("."))))
	defer func() { ts.Check(os.Chdir(home)) }()

	return runWriting(strings.NewReader(stdin), stdout, stderr, args...)
}

// setEnvironment makes env the environment of this process. Variables in both the old and the new environment
// are never unset in between. Use it sparingly: the runtime's list of variables grows by one entry whenever a
// variable is set again after it was unset.
func setEnvironment(env []string) {
	wanted := map[string]bool{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		wanted[name] = true
		os.Setenv(name, value)
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); !wanted[name] {
			os.Unsetenv(name)
		}
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

// cuts truncates a file to its first bytes: cut FILE BYTES.
func cuts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE BYTES")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	// "cp" keeps the mode of files, and the source tree may be read-only.
	ts.Check(errors.Join(err, os.Chmod(ts.MkAbs(args[0]), 0o644), os.Truncate(ts.MkAbs(args[0]), size)))
}

// publishes sends files as messages of the sender "tester": publish URL FILE...
func publishes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: publish URL FILE...")
	}
	scheme, path, _ := strings.Cut(args[0], ":")
	publish := map[string]func(context.Context, *url.URL, transport.Options) (transport.Publisher, error){"dir": dir.Publish, "sqlite": sqlqueue.Publish}[scheme]
	p, err := publish(context.Background(), &url.URL{Scheme: scheme, Path: ts.MkAbs(path)}, transport.Options{})
	ts.Check(err)
	defer p.Close()
	for i, file := range args[1:] {
		_, err := p.Publish(context.Background(), transport.Message{
			ID: fmt.Sprintf("%s %d %d", file, i, time.Now().UnixNano()), Kind: transport.Handoff, Body: []byte(ts.ReadFile(file)), ReplyTo: "tester", DispatchedAt: time.Now(),
		})
		ts.Check(err)
	}
}

// picksLines writes lines of files to another, in the given order: lines TO FROM:N[-[M]]...
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

// repeats writes a file several times, and then other files, to a new file: repeat N FROM TO
// [AND]...
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

// replaces writes a copy of a file with a text replaced, which must occur in it: replace FROM
// TO OLD NEW.
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
