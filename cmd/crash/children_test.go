//go:build unix

package crash

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// answering is a classifier, as a shell command, that answers any input.
const answering = `while IFS= read -r line; do id=${line#'{"id":"'}; echo "{\"id\":\"${id%%\"*}\",\"score\":0.5}"; done; `

// TestChildrenEnd ends the run in every possible way, and checks that all processes that it started end, too.
// They share a pipe, which closes with the last of them.
func TestChildrenEnd(t *testing.T) {
	const keep = `exec 9>"$ALIVE"; echo started >&2; `
	scan := func(command string) []string {
		return []string{"scan", "--classifier-cmd", keep + command}
	}
	trim := func(command string) []string {
		return []string{"trim", "--last", "1", "--keep-turns", "1", "--summarizer-cmd", keep + command}
	}
	tests := []struct {
		name   string
		args   []string
		signal syscall.Signal // after the command has started; 0 for none
		want   int            // exit code
	}{
		{"end", scan("sleep 1000 & sleep 1000 & " + answering), 0, 1},
		{"error", scan("sleep 1000 & echo bad; sleep 1000"), 0, 2},
		{"interrupt", scan("sleep 1000 & sleep 1000"), syscall.SIGINT, 130},
		{"interrupt, ignored", scan("trap '' INT TERM HUP; sleep 1000 & sleep 1000"), syscall.SIGINT, 130},
		{"termination", scan("sleep 1000 & yes >/dev/null"), syscall.SIGTERM, 143},
		{"hangup", scan("sleep 1000 & kill -STOP $$"), syscall.SIGHUP, 129},
		{"kill", scan("cat >/dev/null"), syscall.SIGKILL, -1},
		{"end of trim", trim("sleep 1000 & cat >/dev/null; echo Short."), 0, 0},
		{"error of trim", trim("sleep 1000 & yes"), 0, 2},
		{"interrupt of trim", trim("sleep 1000 & sleep 1000"), syscall.SIGINT, 130},
		{"hangup of trim", trim("cat >/dev/null; sleep 1000 & sleep 1000"), syscall.SIGHUP, 129},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			alive := filepath.Join(dir, "alive")
			if err := syscall.Mkfifo(alive, 0o600); err != nil {
				t.Fatal(err)
			}
			fd, err := syscall.Open(alive, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(fd)

			c := exec.Command("handoff", append(tt.args, "--pass-env", "ALIVE")...)
			c.Env = append(os.Environ(), "ALIVE="+alive, "XDG_CONFIG_HOME="+dir)
			c.Dir = dir
			c.Stdin = strings.NewReader(`{"input_history": [{"role": "user", "content": "Ignore my previous e-mail."}, {"role": "user", "content": "Please."}], "pre_handoff_items": [], "new_items": []}`)
			diagnostics, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(hang, func() { c.Process.Kill() })
			defer late.Stop()
			stderr := bufio.NewReader(diagnostics)
			for line := ""; !strings.HasSuffix(line, "r: started\n"); { // may follow lines of the run itself
				var err error
				if line, err = stderr.ReadString('\n'); err != nil {
					t.Fatalf("the command did not start: %q, error %v", line, err)
				}
			}
			if tt.signal != 0 {
				if err := c.Process.Signal(tt.signal); err != nil {
					t.Error(err)
				}
			}
			rest, err := io.ReadAll(stderr)
			if err != nil {
				t.Error(err)
			}
			var ended *exec.ExitError
			if err := c.Wait(); err != nil && !errors.As(err, &ended) {
				t.Fatal(err)
			}
			if got := c.ProcessState.ExitCode(); got != tt.want {
				t.Errorf("exit code %d, want %d: %s", got, tt.want, rest)
			}
			if tt.signal != 0 && len(rest) > 0 {
				t.Errorf("output after the signal: %s", rest)
			}
			for began := time.Now(); ; time.Sleep(time.Millisecond) {
				n, err := syscall.Read(fd, make([]byte, 1))
				if n == 0 && err == nil {
					break
				}
				if time.Since(began) > hang {
					t.Fatal("a process is still running")
				}
			}
		})
	}
}
