package crash

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

// passedOf counts the outputs of each message, and checks that all lines are complete.
func passedOf(t *testing.T, passed map[string]int, out []byte) {
	t.Helper()
	for line := range bytes.Lines(out) {
		id, ok := idOf(bytes.TrimSuffix(line, []byte("\n")))
		if !ok || !bytes.HasSuffix(line, []byte("\n")) {
			t.Errorf("%d bytes are not a whole line", len(line))
		}
		passed[id]++
	}
}

// restOf receives the remaining messages of a folder, and returns the output.
func restOf(t *testing.T, queue, log string) []byte {
	t.Helper()
	var out bytes.Buffer
	receiveRest(t, queue, func(args ...string) *exec.Cmd {
		c := exec.Command("handoff", append([]string{"receive", "dir:" + queue, "-q", "--audit-log", log}, args...)...)
		c.Stdout = &out
		return c
	})
	return out.Bytes()
}

// TestReceiveStopped checks that SIGTERM in the middle ends receive with 0: accepted messages are written
// completely, and the rest remains for the next receiver.
func TestReceiveStopped(t *testing.T) {
	t.Parallel()
	const messages = 400
	queue, log := filepath.Join(t.TempDir(), "queue"), filepath.Join(t.TempDir(), "audit.db")
	publishStream(t, queue, messages, 0)
	passed := map[string]int{}
	c := exec.Command("handoff", "receive", "dir:"+queue, "-q", "--audit-log", log)
	stdout, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := io.CopyN(&out, stdout, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(&out, stdout); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	passedOf(t, passed, out.Bytes())
	first := len(passed)
	passedOf(t, passed, restOf(t, queue, log))
	t.Logf("%d messages were printed before it was stopped", first)
	for id, n := range passed {
		if n != 1 {
			t.Errorf("%s was printed %d times", id, n)
		}
	}
	if len(passed) != messages {
		t.Errorf("%d messages were printed, want %d", len(passed), messages)
	}
	checkAccepted(t, log, messages)
	checkEmpty(t, queue)
}

// TestReceiveStdoutClosed checks that receive ends quietly when standard output is closed, and that unwritten
// messages remain for the next receiver.
func TestReceiveStdoutClosed(t *testing.T) {
	t.Parallel()
	const messages = 3
	queue, log := filepath.Join(t.TempDir(), "queue"), filepath.Join(t.TempDir(), "audit.db")
	publishStream(t, queue, messages, 0)
	c := exec.Command("handoff", "receive", "dir:"+queue, "-q", "--audit-log", log)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdout, err := c.StdoutPipe()
	if err == nil {
		err = stdout.Close()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	passed := map[string]int{}
	passedOf(t, passed, restOf(t, queue, log))
	if len(passed) != messages {
		t.Errorf("%d messages were printed, want %d", len(passed), messages)
	}
	checkAccepted(t, log, messages)
	checkEmpty(t, queue)
}

// TestReceiveWaitsForLock checks that nothing passes while another process writes the audit log's database,
// and everything afterwards.
func TestReceiveWaitsForLock(t *testing.T) {
	t.Parallel()
	const messages = 3
	queue, log := filepath.Join(t.TempDir(), "queue"), filepath.Join(t.TempDir(), "audit.db")
	s, err := sqlstore.Open(t.Context(), log, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := exec.Command("handoff", "receive", "dir:"+queue, "-q", "--audit-log", log, "--max", "3")
	var out bytes.Buffer
	c.Stdout = &out
	publishStream(t, queue, messages, 0)
	err = s.Update(t.Context(), func(audit.Tx) error {
		if err := c.Start(); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // time for a message to pass by mistake
		for _, a := range answersAt(t, queue) {
			t.Errorf("%v were answered without records", a)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	passed := map[string]int{}
	passedOf(t, passed, out.Bytes())
	if len(passed) != messages {
		t.Errorf("%d messages were printed, want %d", len(passed), messages)
	}
	checkAccepted(t, log, messages)
}

// TestReceiveFullDisk checks that on a full disk no unrecorded message passes: receive gives back its
// messages, and ends with 2. When there is space again, the rest passes.
func TestReceiveFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 1<<20)
	queue, log := filepath.Join(t.TempDir(), "queue"), filepath.Join(dir, "audit.db")
	messages := tier.Count(400, 1500)
	publishStream(t, queue, messages, 0)
	passed := map[string]int{}
	c := exec.Command("handoff", "receive", "dir:"+queue, "-q", "--audit-log", log)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, _ := c.Output()
	passedOf(t, passed, out)
	if code := c.ProcessState.ExitCode(); code != exitTrouble || len(passed) == messages {
		t.Errorf("exit code %d, %d messages passed\n%s", code, len(passed), &stderr)
	}
	t.Logf("%d of %d messages passed on the full disk", len(passed), messages)
	growDisk(t, dir, 64<<20)
	passedOf(t, passed, restOf(t, queue, log))
	if len(passed) != messages {
		t.Errorf("%d messages passed, want %d", len(passed), messages)
	}
	checkAccepted(t, log, messages)
	checkEmpty(t, queue)
}
