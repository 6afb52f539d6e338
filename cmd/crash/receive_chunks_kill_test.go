package crash

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// TestReceiveChunksKilled kills a receiver of streams at random moments: each message is accepted once and
// handed over, and none of its chunks remain.
func TestReceiveChunksKilled(t *testing.T) {
	t.Parallel()
	messages := tier.Count(30, 100)
	folder := t.TempDir()
	queue, log := filepath.Join(folder, "queue"), filepath.Join(folder, "audit.db")
	publishChunks(t, queue, messages)
	var mu sync.Mutex
	runs := 0
	run := func(args ...string) *exec.Cmd {
		mu.Lock()
		defer mu.Unlock()
		runs++
		out, err := os.Create(filepath.Join(folder, fmt.Sprintf("out-%d", runs)))
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("handoff", append([]string{"receive", "dir:" + queue, "-q", "--stream-chunks", "--audit-log", log}, args...)...)
		c.Stdout, c.Stderr = out, os.Stderr
		return c
	}
	killReceivers(t, 1, func() *exec.Cmd { return run() })
	receiveRest(t, queue, run)
	checkAccepted(t, log, messages)
	passed := map[string]bool{}
	for n := range runs {
		out, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("out-%d", n+1)))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out) {
			if m, err := message.Parse(line, message.Options{}); err == nil { // otherwise it was killed in the meantime
				passed[m.HandoffID()] = true
			}
		}
	}
	if len(passed) != messages {
		t.Errorf("%d messages were handed over, want %d", len(passed), messages)
	}
	for id, list := range answersAt(t, queue) {
		for _, a := range list {
			if a.Status == receiver.Rejected {
				t.Errorf("%s was rejected: %s", id, a.Details)
			}
		}
		delete(passed, id)
	}
	if len(passed) > 0 {
		t.Errorf("%d messages were not answered", len(passed))
	}
	checkEmpty(t, queue)
}

// publishChunks publishes messages to a folder in chunks, and returns their ids.
func publishChunks(t *testing.T, queue string, messages int) (ids []string) {
	t.Helper()
	p, err := dir.Publish(t.Context(), &url.URL{Scheme: "dir", Path: queue}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	splitter := chunked.NewSplitter(chunked.SplitOptions{ChunkBytes: chunked.MinChunkBytes})
	for line := range bytes.Lines(acceptedStream(t, messages)) {
		m, err := message.Parse(line, message.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.HandoffID())
		n := 0
		err = splitter.Split(m, func(chunk []byte) error {
			_, err := p.Publish(t.Context(), transport.Message{ID: fmt.Sprint(m.HandoffID(), n), Key: m.HandoffID(), Kind: transport.Chunk, Body: chunk, ReplyTo: "tester", Attempt: 1, DispatchedAt: time.Now()})
			n++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// TestReceiveChunksKilledWithAgents kills receivers whose agents begin early: each stream is completed or rolled
// back once, and only one agent gets its last chunk.
func TestReceiveChunksKilledWithAgents(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux do agents end with their receivers")
	}
	messages := tier.Count(30, 100)
	folder := t.TempDir()
	queue, log, done := filepath.Join(folder, "queue"), filepath.Join(folder, "audit.db"), filepath.Join(folder, "done")
	ids := publishChunks(t, queue, messages)
	receive := func(args ...string) *exec.Cmd {
		agent := `exec sed -n -e 's/.*"streamId":"\([^"]*\)".*"kind":"last".*/\1/p' -e 's/^{"schemaVersion.*"handoffId":"\([^"]*\)".*/\1/p' >>'` + done + `'`
		args = append([]string{"receive", "dir:" + queue, "-q", "--stream-chunks", "--audit-log", log, "--concurrency", "2"}, args...)
		return exec.Command("handoff", append(args, "--", "sh", "-c", agent)...)
	}
	killReceivers(t, 1, func() *exec.Cmd { return receive() })
	receiveRest(t, queue, receive)
	text, err := os.ReadFile(done)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, begun := eventsOf(t, log, audit.Completed, audit.RolledBack), eventsOf(t, log, audit.Begun)
	answers := answersAt(t, queue)
	completed := 0
	for _, id := range ids {
		n := bytes.Count(text, []byte(id))
		switch events := outcomes[id]; {
		case len(events) != 1 || n > 1:
			t.Errorf("%s: %v, and %d agents got its last chunk", id, events, n)
		case events[0] == audit.Completed:
			completed++
			if n == 0 {
				t.Errorf("%s was completed, and no agent got its last chunk", id)
			}
		}
		if len(answers[id]) == 0 {
			t.Errorf("%s was not answered", id)
		}
	}
	if len(begun) == 0 {
		t.Error("no agent began early")
	}
	t.Logf("%d of %d were completed; agents began early with %d", completed, messages, len(begun))
	programtest.Run(t, "audit", "verify", "--audit-log", log)
	checkEmpty(t, queue)
}
