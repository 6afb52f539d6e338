//go:build unix

package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
)

// hang is the time that a test waits for an immediate event. It only matters if the test fails.
const hang = time.Minute

// leaver is the variable with which the test's program starts a process that leaves the group and
// keeps the output, and writes its id.
const leaver = "CHILD_TEST_LEAVER"

func TestMain(m *testing.M) {
	if os.Getenv(leaver) == "" {
		tier.CleanStart()
		os.Exit(m.Run())
	}
	c := exec.Command("sleep", "1000")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		panic(err)
	}
	fmt.Println(c.Process.Pid)
}

// A witness detects whether a process that inherited it is still running: it is a pipe whose path
// is in $ALIVE, and it ends when its last writer ends.
type witness struct {
	path string
	fd   int
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{path: filepath.Join(t.TempDir(), "alive")}
	if err := syscall.Mkfifo(w.path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.fd, err = syscall.Open(w.path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(w.fd) })
	return w
}

// isGone waits until no process is left, and fails if one remains.
func (w *witness) isGone(t *testing.T) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		n, err := syscall.Read(w.fd, make([]byte, 1))
		if n == 0 && err == nil {
			return
		}
		if time.Since(began) > hang {
			t.Fatal("a process goes on")
		}
	}
}

// start starts a command that opens the witness for writing, and waits for its line of output.
func (w *witness) start(ctx context.Context, t *testing.T, s *Set, command string) (*Process, *lines) {
	t.Helper()
	told := &lines{}
	o := Options{Command: `exec 9>"$ALIVE"; echo started; ` + command, Env: append(Environment(os.Environ(), nil), "ALIVE="+w.path), Stderr: told.add}
	p, err := s.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(p, make([]byte, len("started\n"))); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return p, told
}

// within fails if a function does not return.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(hang):
		t.Fatalf("%s hangs", what)
	}
}

// noLeaks fails if a test leaves goroutines running.
func noLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Since(began) > hang {
				stacks := make([]byte, 1<<16)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}

// stubborn are commands that do not end by themselves, even if their input ends.
var stubborn = []string{
	"sleep 1000",
	"sleep 1000 & sleep 1000",
	"sleep 1000 & sleep 1000 & wait",
	"(sleep 1000 & (sleep 1000 & sleep 1000)) & wait",
	"(sleep 1000) | sleep 1000",
	"trap '' TERM INT HUP QUIT PIPE; sleep 1000; sleep 1000",
	"kill -STOP $$; sleep 1000",
	"sleep 1000 & kill -STOP $!; wait",
	"exec 0<&-; sleep 1000",
	"exec 1>&-; sleep 1000",
	"exec 0<&- 1>&- 2>&-; sleep 1000",
	"yes",
	"yes >&2",
	"cat /dev/zero",
	"cat /dev/zero >&2",
	"yes & yes >&2",
	"printf half; sleep 1000",
	"while :; do :; done",
	"while :; do sleep 0.01; done",
}

func TestContextEndsGroup(t *testing.T) {
	noLeaks(t)
	cause := errors.New("the cause")
	for _, command := range stubborn {
		t.Run(command, func(t *testing.T) {
			w := newWitness(t)
			ctx, cancel := context.WithCancelCause(context.Background())
			p, _ := w.start(ctx, t, &Set{}, command)
			reading := make(chan error)
			go func() {
				_, err := io.Copy(io.Discard, p)
				reading <- err
			}()
			go p.Write(make([]byte, 1<<20)) // more than a pipe holds
			cancel(cause)
			within(t, "Wait", func() {
				if err := <-reading; err != nil && err != cause {
					t.Errorf("reading: %v", err)
				}
				if err := p.Wait(); err != cause {
					t.Errorf("error %v", err)
				}
			})
			w.isGone(t)
		})
	}
}

func TestDeadline(t *testing.T) {
	for _, command := range stubborn {
		w := newWitness(t)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		p, err := (&Set{}).Start(ctx, Options{Command: `exec 9>"$ALIVE"; ` + command, Env: append(Environment(os.Environ(), nil), "ALIVE="+w.path), Stderr: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		within(t, command, func() {
			io.Copy(io.Discard, p)
			if err := p.Wait(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: error %v", command, err)
			}
		})
		w.isGone(t)
	}
}

// All processes that a command leaves running end with it, whether it succeeds or fails.
func TestEndEndsGroup(t *testing.T) {
	noLeaks(t)
	tests := []struct{ command, want, exit string }{
		{"cat", "in", ""},
		{"sleep 1000 & cat", "in", ""},
		{"yes >&2 & cat", "in", ""},
		{"(trap '' TERM HUP; sleep 1000; sleep 1000) & cat", "in", ""},
		{"sleep 1000 & exit 0", "", ""},
		{"exec 0<&-; sleep 1000 & echo out", "out\n", ""},
		{"exec 1>&- ; sleep 1000 & sleep 1000 & cat >/dev/null", "", ""},
		{"sleep 1000 & echo out; exit 3", "out\n", "exit status 3"},
		{"sleep 1000 & kill -KILL $$", "", "signal: killed"},
		{"cat >/dev/null; sleep 1000 & kill -TERM 0", "", "signal: terminated"},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			w := newWitness(t)
			p, _ := w.start(context.Background(), t, &Set{}, tt.command)
			within(t, "the command", func() {
				go func() {
					p.Write([]byte("in"))
					p.CloseInput()
				}()
				out, err := io.ReadAll(p)
				if err != nil || string(out) != tt.want {
					t.Errorf("output %q and error %v, want %q", out, err, tt.want)
				}
				text := ""
				if err := p.Wait(); err != nil {
					text = err.Error()
				}
				if text != tt.exit {
					t.Errorf("ended with %q, want %q", text, tt.exit)
				}
			})
			w.isGone(t)
		})
	}
}

func TestSetClose(t *testing.T) {
	s := &Set{}
	w := newWitness(t)
	for _, command := range append(stubborn, "cat") {
		w.start(context.Background(), t, s, command)
	}
	within(t, "Close", s.Close)
	w.isGone(t)
}

// A long output is read to its end, also slowly.
func TestLongOutput(t *testing.T) {
	const size = 3 << 20
	w := newWitness(t)
	p, _ := w.start(context.Background(), t, &Set{}, fmt.Sprintf("head -c %d /dev/zero", size))
	within(t, "the command", func() {
		n := 0
		for part := make([]byte, 1<<16); ; {
			m, err := p.Read(part)
			n += m
			if err != nil {
				break
			}
			runtime.Gosched()
		}
		if err := p.Wait(); err != nil || n != size {
			t.Errorf("%d bytes of %d, error %v", n, size, err)
		}
	})
}

// A process that has left the group and keeps the output is an error, and does not block the
// caller.
func TestLeaver(t *testing.T) {
	noLeaks(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	told := &lines{}
	p, err := (&Set{}).Start(context.Background(), Options{Command: "exec '" + program + "'", Env: append(os.Environ(), leaver+"=1"), Stderr: told.add})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the command", func() {
		out, err := io.ReadAll(p)
		if pid, bad := strconv.Atoi(strings.TrimSpace(string(out))); bad == nil {
			syscall.Kill(pid, syscall.SIGKILL)
		} else {
			t.Errorf("output %q", out)
		}
		if err != errHeld {
			t.Errorf("error %v", err)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestNoEnvironment(t *testing.T) {
	t.Setenv("HANDOFF_KEY", "secret")
	for _, env := range [][]string{nil, {}, Environment(os.Environ(), nil)} {
		p, err := (&Set{}).Start(context.Background(), Options{Command: "export -p", Env: env, Stderr: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(p)
		if err := errors.Join(err, p.Wait()); err != nil || strings.Contains(string(out), "HANDOFF") {
			t.Errorf("error %v, environment:\n%s", err, out)
		}
	}
}

// Many commands run at once, and end in every way at any time.
func TestAtOnce(t *testing.T) {
	noLeaks(t)
	s := &Set{}
	w := newWitness(t)
	env := append(Environment(os.Environ(), nil), "ALIVE="+w.path)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%25)*time.Millisecond)
			defer cancel()
			p, err := s.Start(ctx, Options{Command: `exec 9>"$ALIVE"; sleep 1000 & ` + stubborn[i%len(stubborn)], Env: env, Stderr: func(string) {}})
			if err != nil {
				t.Error(err)
				return
			}
			go p.Write(make([]byte, 1<<17))
			io.Copy(io.Discard, p)
			if err := p.Wait(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	within(t, "one of many", all.Wait)
	w.isGone(t)
	if len(s.running) != 0 {
		t.Errorf("%d are still known", len(s.running))
	}
}

// TestArgs checks that a program runs without a shell and, if requested, with the whole
// environment, and that its output is complete.
func TestArgs(t *testing.T) {
	noLeaks(t)
	t.Setenv("HANDOFF_TEST", "inherited")
	const script = `i=0; while [ $i -lt 3000 ]; do echo "a line of more than twenty bytes $i" >&2; i=$((i+1)); done; echo "$1 $HANDOFF_TEST"`
	told := &lines{}
	p, err := (&Set{}).Start(t.Context(), Options{Args: []string{"sh", "-c", script, "sh", "$(one argument)"}, Inherit: true, Endless: true, Stderr: told.add})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the program", func() {
		out, err := io.ReadAll(p)
		if err := errors.Join(err, p.Wait()); err != nil || string(out) != "$(one argument) inherited\n" {
			t.Errorf("error %v, output %q", err, out)
		}
	})
	if len(told.all) != 3000 || !strings.HasSuffix(told.last(), " 2999") {
		t.Errorf("%d of its lines came, the last one %q", len(told.all), told.last())
	}
	if _, err := (&Set{}).Start(t.Context(), Options{Args: []string{"/no/such/program"}, Stderr: told.add}); err == nil || err.Error() != "/no/such/program: no such file or directory" {
		t.Errorf("got %v", err)
	}
}
