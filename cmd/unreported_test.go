//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/programtest"
)

// TestUnreportedInterrupted checks that an interrupted verifier names the recorded messages whose verdicts it has
// not reported.
func TestUnreportedInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	programtest.Run(t, "keygen", "-o", "key")
	if err := os.WriteFile("m.json", []byte(`{"handoffId":"id-1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	programtest.Run(t, "sign", "-i", "--force", "--key-file", "key", "m.json")
	signed, err := os.ReadFile("m.json")
	if err != nil {
		t.Fatal(err)
	}

	verifier := exec.Command("handoff", "verify", "--key-file", "key", "--seen", "ids", "-o", "report")
	var stderr strings.Builder
	verifier.Stderr = &stderr
	in, err := verifier.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(signed); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if ids, _ := os.ReadFile("ids"); len(ids) > 0 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("nothing is recorded")
		}
	}
	if err := verifier.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := verifier.Wait(); verifier.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("ended with %v", err)
	}
	if want := "ids: id-1 is recorded as accepted, but its verdict may not have been written"; !strings.Contains(stderr.String(), want) {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
	if _, err := os.Stat("report"); err == nil {
		t.Error("an incomplete report remains")
	}
}
