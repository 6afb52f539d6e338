package crash

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// TestReceiveKilled kills receivers of a shared queue at random moments, three at a time. It checks that no
// message is lost or accepted twice, and that each is handed over and answered, again only if it was in flight
// when its receiver was killed.
func TestReceiveKilled(t *testing.T) {
	t.Parallel()
	const receivers = 3
	messages := tier.Count(60, 300)
	folder := t.TempDir()
	queue, log := filepath.Join(folder, "queue"), filepath.Join(folder, "audit.db")
	var ids []string
	var publishing sync.WaitGroup
	publishing.Go(func() { ids = publishStream(t, queue, messages, 7*time.Millisecond) })
	var mu sync.Mutex
	passed := map[string]int{}
	runs := 0
	run := func(args ...string) *exec.Cmd {
		mu.Lock()
		runs++
		out, err := os.Create(filepath.Join(folder, fmt.Sprintf("out-%d", runs)))
		mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		c := exec.Command("handoff", append([]string{"receive", "dir:" + queue, "-q", "--audit-log", log}, args...)...)
		c.Stdout, c.Stderr = out, os.Stderr
		return c
	}
	killReceivers(t, receivers, func() *exec.Cmd { return run() })
	publishing.Wait()
	receiveRest(t, queue, run)
	files, err := filepath.Glob(filepath.Join(folder, "out-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		out, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.SplitSeq(out, []byte("\n")) {
			if id, ok := idOf(line); ok {
				passed[id]++
			}
		}
	}
	again := 0
	for _, n := range passed {
		again += n - 1
	}
	t.Logf("%d messages, %d of them repeated", len(passed), again)
	if len(passed) != messages {
		t.Errorf("%d messages were handed over, want %d", len(passed), messages)
	}
	if most := *kills * intake.GroupMessages; again > most {
		t.Errorf("%d messages were repeated, and at most %d were in flight", again, most)
	}
	checkAccepted(t, log, messages)
	answers := answersAt(t, queue)
	for _, id := range ids {
		if !slices.ContainsFunc(answers[id], func(a receiver.Answer) bool { return a.Status == receiver.Accepted || a.Status == receiver.Duplicate }) {
			t.Errorf("%s got the answers %v", id, answers[id])
		}
	}
	checkEmpty(t, queue)
}

// killReceivers runs the given number of receivers at a time, and kills each at a random moment.
func killReceivers(t *testing.T, receivers int, start func() *exec.Cmd) {
	t.Helper()
	var running sync.WaitGroup
	for range receivers {
		running.Go(func() {
			for range *kills / receivers {
				c := start()
				if err := c.Start(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(rand.N(300 * time.Millisecond))
				if err := c.Process.Kill(); err != nil {
					t.Error(err)
				}
				_ = c.Wait() // killed
			}
		})
	}
	running.Wait()
}

// receiveRest receives the remaining messages of a folder: it stops a receiver when none remain, and checks that
// another one has nothing to do.
func receiveRest(t *testing.T, queue string, start func(args ...string) *exec.Cmd) {
	t.Helper()
	// A message that is given back between the two calls is in one of the lists.
	receiveUntil(t, start, func() bool { return len(leftIn(t, queue, "new/*", "taken/*/*", "new/*")) == 0 })
}

// receiveUntil runs a receiver until done returns true, and then another one to its end, which hands over the
// messages that the first one only accepted. A receiver ends with exit code 1 if its agent failed.
func receiveUntil(t *testing.T, start func(args ...string) *exec.Cmd, done func() bool) {
	t.Helper()
	run := func(until func(*os.Process), args ...string) {
		t.Helper()
		c, stderr := start(args...), &bytes.Buffer{}
		c.Stderr = stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		until(c.Process)
		allowed := []int{exitYes}
		if slices.Contains(c.Args, "--") {
			allowed = append(allowed, exitNo)
		}
		if err := c.Wait(); !slices.Contains(allowed, c.ProcessState.ExitCode()) {
			t.Errorf("receiving the rest: %v\n%s", err, stderr)
		}
	}
	if runtime.GOOS == "windows" { // Windows has no SIGTERM
		run(func(*os.Process) {}, "--idle-timeout", "3s")
		return
	}
	if !done() {
		run(func(p *os.Process) {
			pause := 50 * time.Millisecond
			for began := time.Now(); !done(); time.Sleep(pause) {
				if time.Since(began) > hang+time.Duration(*deliverMessages)*10*time.Millisecond {
					t.Errorf("messages remain after %v", time.Since(began))
					break
				}
				pause += pause / 10 // done may read a long log
			}
			if err := p.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		})
	}
	run(func(*os.Process) {}, "--idle-timeout", "100ms")
}

// TestReceiveKilledWithAgents kills receivers while their agents run, some of which fail. It checks that each
// message is completed or rolled back, that its sender gets the outcome, and that no agent outlives its
// receiver.
func TestReceiveKilledWithAgents(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux do agents end with their receivers")
	}
	const receivers = 3
	messages := tier.Count(45, 150)
	folder := t.TempDir()
	queue, log, done := filepath.Join(folder, "queue"), filepath.Join(folder, "audit.db"), filepath.Join(folder, "done")
	var ids []string
	var publishing sync.WaitGroup
	publishing.Go(func() { ids = publishStream(t, queue, messages, 10*time.Millisecond) })
	receive := func(args ...string) *exec.Cmd {
		agent := `id=$(sed -n 's/.*"handoffId": "\([^"]*\)".*/\1/p'); sleep 0.02; case $id in *7) exit 3;; esac; echo $id >>'` + done + `'`
		args = append([]string{"receive", "dir:" + queue, "-q", "--audit-log", log, "--concurrency", "2"}, args...)
		return exec.Command("handoff", append(args, "--", "sh", "-c", agent)...)
	}
	killReceivers(t, receivers, func() *exec.Cmd { return receive() })
	publishing.Wait()
	receiveRest(t, queue, receive)
	outcomes := eventsOf(t, log, audit.Completed, audit.RolledBack)
	text, err := os.ReadFile(done)
	if err != nil {
		t.Fatal(err)
	}
	answers := answersAt(t, queue)
	completed := 0
	for _, id := range ids {
		list := answers[id]
		answered := func(s receiver.Status, reason finding.Reason) bool {
			return slices.ContainsFunc(list, func(a receiver.Answer) bool { return a.Status == s && a.Reason == reason })
		}
		switch events := outcomes[id]; {
		case len(events) != 1:
			t.Errorf("%s: %v", id, events)
		case events[0] == audit.Completed:
			completed++
			if !answered(receiver.Completed, "") || !strings.Contains(string(text), id) {
				t.Errorf("%s was completed, and its sender got %v", id, statuses(list))
			}
		default:
			if !answered(receiver.Rejected, receiver.ExecutionFailed) {
				t.Errorf("%s was rolled back, and its sender got %v", id, statuses(list))
			}
		}
	}
	t.Logf("%d of %d were completed", completed, messages)
	checkEmpty(t, queue)
}

// eventsOf returns the recorded events of each handoff, of some kinds, with repeats.
func eventsOf(t *testing.T, log string, events ...audit.Event) map[string][]audit.Event {
	t.Helper()
	found := map[string][]audit.Event{}
	for _, event := range events {
		for line := range strings.Lines(programtest.Run(t, "audit", "list", "-f", "json", "--limit", "100000", "--event", string(event), "--audit-log", log)) {
			var r struct{ Record struct{ HandoffID string } }
			if err := json.Unmarshal([]byte(line), &r, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			found[r.Record.HandoffID] = append(found[r.Record.HandoffID], event)
		}
	}
	return found
}

// statuses returns the statuses of answers.
func statuses(list []receiver.Answer) (all []string) {
	for _, a := range list {
		all = append(all, string(a.Status)+" "+string(a.Reason))
	}
	return all
}

// publishStream publishes messages to a folder, with a pause after each, and returns their IDs.
func publishStream(t *testing.T, queue string, messages int, pause time.Duration) (ids []string) {
	t.Helper()
	p, err := dir.Publish(t.Context(), &url.URL{Scheme: "dir", Path: queue}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for line := range bytes.Lines(acceptedStream(t, messages)) {
		line = bytes.TrimSpace(line)
		id, _ := idOf(line)
		ids = append(ids, id)
		_, err := p.Publish(t.Context(), transport.Message{ID: id, Key: id, Kind: transport.Handoff, Body: line, ReplyTo: "tester", DispatchedAt: time.Now()})
		if err != nil {
			t.Error(err)
		}
		time.Sleep(pause)
	}
	return ids
}

// answersAt returns the answers to the tester, by the ID of their messages, in order of arrival.
func answersAt(t *testing.T, queue string) map[string][]receiver.Answer {
	t.Helper()
	p, err := dir.Publish(t.Context(), &url.URL{Scheme: "dir", Path: queue}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := p.Answers(t.Context(), "tester")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answers := map[string][]receiver.Answer{}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		d, err := c.Next(ctx)
		cancel()
		if err != nil {
			return answers
		}
		var a receiver.Answer
		if err := json.Unmarshal(d.Message().Body, &a); err != nil {
			t.Fatal(err)
		}
		answers[a.HandoffID] = append(answers[a.HandoffID], a)
		if err := d.Ack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// checkEmpty checks that a folder has no waiting and no taken message.
func checkEmpty(t *testing.T, queue string) {
	t.Helper()
	if files := leftIn(t, queue, "new/*", "taken/*/*", "dead/*"); len(files) > 0 {
		t.Errorf("remaining files: %s", strings.Join(files, ", "))
	}
}

// leftIn returns the files of a folder that match any of some patterns.
func leftIn(t *testing.T, queue string, patterns ...string) (left []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(queue, pattern))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, files...)
	}
	return left
}
