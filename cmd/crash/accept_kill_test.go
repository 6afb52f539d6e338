package crash

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/intake"
)

// kills is the number of receivers to kill: docs/accepting.md has figures for 1,000.
var kills = flag.Int("kills", tier.Count(6, 40), "how many receivers TestAcceptKilled kills, and half as many where it is slow")

// TestAcceptKilled kills receivers at random moments; four of them read the same messages
// concurrently. It checks that no acknowledged record is lost or duplicated, that no message passes without its
// record, that every accepted message is handed over in the end, and again only if it was in flight when its
// receiver was killed, and that chain and tree verify.
func TestAcceptKilled(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { acceptKilled(t, filepath.Join(t.TempDir(), "audit.db"), *kills) })
	t.Run("personal data apart", func(t *testing.T) {
		dir := t.TempDir()
		policy := filepath.Join(dir, "policy.yaml")
		if err := os.WriteFile(policy, []byte("always: [/currentState]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HANDOFF_PERSONAL_DATA", policy)
		t.Setenv("HANDOFF_SUBJECT_KEYS", filepath.Join(dir, "keys.db"))
		acceptKilled(t, filepath.Join(dir, "audit.db"), *kills/2)
	})
	t.Run("PostgreSQL", func(t *testing.T) { acceptKilled(t, storetest.Postgres(t), *kills/2) })
}

func acceptKilled(t *testing.T, address string, kills int) {
	writers, messages := min(4, kills), tier.Count(100, 600)
	text := acceptedStream(t, messages)
	var mu sync.Mutex
	passed := map[string]int{} // number of complete outputs of each message
	inFlight := 0              // messages that killed receivers may have written
	count := func(out []byte) {
		mu.Lock()
		defer mu.Unlock()
		for line := range bytes.SplitSeq(out, []byte("\n")) {
			if id, ok := idOf(line); ok {
				passed[id]++
			}
		}
	}
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for range kills / writers {
				out, killed := acceptUntilKilled(t, address, text, rand.Int64N(int64(len(text)*writers/kills)))
				count(out)
				mu.Lock()
				if killed {
					inFlight += intake.GroupMessages
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	before := len(passed)
	out, err := exec.Command("handoff", "accept", "-q", "--audit-log", address, "--resume").Output()
	if err != nil {
		t.Fatalf("resuming: %v", err)
	}
	count(out)
	c := exec.Command("handoff", "accept", "-q", "--audit-log", address)
	c.Stdin = bytes.NewReader(text)
	if out, err = c.Output(); err != nil {
		t.Fatalf("accepting the rest: %v", err)
	}
	count(out)
	again := 0
	for _, n := range passed {
		again += n - 1
	}
	t.Logf("%d messages were printed before the last two runs, %d of them again", before, again)
	if len(passed) != messages {
		t.Errorf("%d messages were handed over, want %d", len(passed), messages)
	}
	if again > inFlight {
		t.Errorf("%d messages were repeated, and at most %d were in flight", again, inFlight)
	}
	checkAccepted(t, address, messages)
}

// acceptUntilKilled runs a receiver, kills it after the given number of bytes of output, and
// returns the output.
func acceptUntilKilled(t *testing.T, address string, text []byte, enough int64) (out []byte, killed bool) {
	c := exec.Command("handoff", "accept", "-q", "--audit-log", address)
	var stderr bytes.Buffer
	c.Stdin, c.Stderr = slowly(text), &stderr
	stdout, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Error(err)
		return nil, false
	}
	var printed bytes.Buffer
	n, _ := io.CopyN(&printed, stdout, enough) // it may end early
	if n == enough {
		killed = c.Process.Kill() == nil
		_, _ = io.Copy(&printed, stdout)
	}
	err = c.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !(killed && errors.As(err, &exit)) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	return printed.Bytes(), killed
}

// slowly returns a reader of text in parts, so that the records form several groups.
func slowly(text []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		for part := range slices.Chunk(text, 64<<10) {
			if _, err := w.Write(part); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
		w.Close()
	}()
	return r
}

// acceptedStream returns n messages, as JSON Lines. If there are more than a few, they belong to many tasks,
// like real handoffs: messages of one task wait for each other.
func acceptedStream(t *testing.T, n int) []byte {
	t.Helper()
	var text strings.Builder
	one := strings.ReplaceAll(programtest.Run(t, "example"), "\n", "")
	for i := range n {
		fmt.Fprintln(&text, strings.NewReplacer(
			"6e7f936b-cafd-4624-8754-0bafc4e8acb3", fmt.Sprintf("6e7f936b-cafd-4624-8754-%012x", i),
			"cc35de8b-6ece-4435-abfd-a60e12baff98", fmt.Sprintf("cc35de8b-6ece-4435-abfd-%012x", i%(n/10+1)),
		).Replace(one))
	}
	return []byte(text.String())
}

// idOf returns the ID of a complete message.
func idOf(line []byte) (id string, ok bool) {
	const begin = `"handoffId": "`
	i := bytes.Index(line, []byte(begin))
	if i < 0 || !bytes.HasSuffix(line, []byte("}")) {
		return "", false
	}
	return string(line[i+len(begin):][:36]), true
}

// checkAccepted checks chain and tree of a log, and that it has every message once.
func checkAccepted(t *testing.T, address string, messages int) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), address, sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	accepted, handedOver := map[string]int{}, map[string]int{}
	err = s.View(t.Context(), func(r audit.Reader) error {
		builder, previous, n := merkle.NewBuilder(), audit.Hash{}, int64(0)
		for record, err := range r.Records(audit.Filter{}) {
			if err != nil {
				return err
			}
			if hash, err := record.Record.Hash(); err != nil || record.Sequence != n || record.PreviousRecordHash != previous || hash != record.Hash {
				t.Fatalf("record %d does not continue the chain (%v)", n, err)
			}
			audittest.CheckSchema(t, &record.Record)
			builder.Add(record.Hash)
			previous, n = record.Hash, n+1
			switch record.Event {
			case audit.Accepted:
				accepted[record.HandoffID]++
			case audit.HandedOver:
				handedOver[record.HandoffID]++
			}
		}
		if root, err := merkle.Root(t.Context(), r, n); err != nil || root != builder.Root() {
			t.Errorf("the tree is invalid (%v)", err)
		}
		if left, err := r.Pending(); err != nil || len(left) > 0 {
			t.Errorf("%d messages are not handed over (%v)", len(left), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Found: func(p audit.Problem) error { t.Error(p.Message); return nil }}); err != nil {
		t.Error(err)
	}
	for _, counts := range []map[string]int{accepted, handedOver} {
		if len(counts) != messages {
			t.Errorf("%d messages, want %d", len(counts), messages)
		}
		for id, n := range counts {
			if n != 1 {
				t.Errorf("%s: %d records", id, n)
			}
		}
	}
}
