package cmd

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/eaapl/handoff/pkg/chunked"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/transport"
	"github.com/eaapl/handoff/pkg/transport/dir"
)

// TestReceiveChunksKilled kills a receiver of streams at random moments: each message is accepted
// once, handed over, and nothing is left of its chunks.
func TestReceiveChunksKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	const messages = 100
	folder := t.TempDir()
	queue, log := filepath.Join(folder, "queue"), filepath.Join(folder, "audit.db")
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
		n := 0
		err = splitter.Split(m, func(chunk []byte) error {
			_, err := p.Publish(t.Context(), transport.Message{ID: fmt.Sprint(m.HandoffID(), n), Key: m.HandoffID(), Kind: transport.Chunk, Body: chunk, ReplyTo: "tester", Attempt: 1})
			n++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
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
	if err := run("--idle-timeout", "3s").Run(); err != nil {
		t.Errorf("receiving the rest: %v", err)
	}
	checkAccepted(t, log, messages)
	passed := map[string]bool{}
	for n := range runs {
		out, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("out-%d", n+1)))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out) {
			if m, err := message.Parse(line, message.Options{}); err == nil { // else it was killed meanwhile
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
