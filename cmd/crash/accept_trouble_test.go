package crash

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/intake"
)

// TestAcceptWaitsForLock checks that nothing passes while another process writes the database,
// and everything afterwards.
func TestAcceptWaitsForLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	s, err := sqlstore.Open(t.Context(), path, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := exec.Command("handoff", "accept", "-q", "--audit-log", path)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	passed := func() int {
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Error(err)
		}
		return bytes.Count(text, []byte("\n"))
	}
	c.Stdin, c.Stdout = bytes.NewReader(acceptedStream(t, 3)), out
	err = s.Update(t.Context(), func(audit.Tx) error {
		if err := c.Start(); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // time for a message to pass by mistake
		if n := passed(); n > 0 {
			t.Errorf("%d messages passed without their records", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil || passed() != 3 {
		t.Errorf("%v, %d messages", err, passed())
	}
	checkAccepted(t, path, 3)
}

// TestAcceptFullDisk checks that on a full disk no unrecorded message passes, with exit code 2,
// and that the rest passes when there is space again.
func TestAcceptFullDisk(t *testing.T) {
	dir := smallDisk(t, 1<<20)
	path := filepath.Join(dir, "audit.db")
	messages := tier.Count(500, 2000)
	text := acceptedStream(t, messages)
	run := func() (passed int, code int) {
		c := exec.Command("handoff", "accept", "-q", "--audit-log", path)
		c.Stdin = bytes.NewReader(text)
		out, _ := c.Output()
		return bytes.Count(out, []byte("\n")), c.ProcessState.ExitCode()
	}
	passed, code := run()
	if code != exitTrouble || passed == messages {
		t.Errorf("exit code %d, %d messages passed", code, passed)
	}
	growDisk(t, dir, 64<<20)
	again, code := run()
	if code != exitYes {
		t.Errorf("exit code %d with free space", code)
	}
	t.Logf("%d of %d messages passed on the full disk", passed, messages)
	if passed+again < messages || passed+again > messages+intake.GroupMessages {
		t.Errorf("%d and %d messages passed, of %d", passed, again, messages)
	}
	checkAccepted(t, path, messages)
}

// TestAcceptReadOnly checks that on a read-only disk nothing passes, with or without an existing audit log,
// with exit code 2, and that everything passes once when the disk is writable.
func TestAcceptReadOnly(t *testing.T) {
	dir := smallDisk(t, 16<<20)
	const messages = 4
	text := acceptedStream(t, messages)
	accept := func(name string, text []byte) (passed []byte, code int) {
		c := exec.Command("handoff", "accept", "-q", "--audit-log", filepath.Join(dir, name))
		c.Stdin = bytes.NewReader(text)
		passed, _ = c.Output()
		return passed, c.ProcessState.ExitCode()
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if passed, code := accept("audit.db", first); code != exitYes || !bytes.Equal(passed, append(first, '\n')) {
		t.Fatalf("exit code %d, %q passed", code, passed)
	}
	lockDisk(t, dir, true)
	for _, name := range []string{"audit.db", "new.db", "new/audit.db"} {
		if passed, code := accept(name, rest); code != exitTrouble || len(passed) > 0 {
			t.Errorf("%s: exit code %d, %q passed", name, code, passed)
		}
	}
	lockDisk(t, dir, false)
	if passed, code := accept("audit.db", text); code != exitYes || !bytes.Equal(passed, rest) {
		t.Errorf("exit code %d, %q passed", code, passed)
	}
	checkAccepted(t, filepath.Join(dir, "audit.db"), messages)
}

// TestAcceptConnectionsLost ends the connections to PostgreSQL at random moments, like a restart of the
// server: a receiver then ends with exit code 2 or continues, and in the end every message was accepted and
// handed over.
func TestAcceptConnectionsLost(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	name := "handoff " + t.Name()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const messages = 300
	text := acceptedStream(t, messages)
	stop := make(chan struct{})
	var ending sync.WaitGroup
	ending.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(15 * time.Millisecond):
			}
			if _, err := db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", name); err != nil {
				t.Error(err)
				return
			}
		}
	})
	passed := map[string]int{}
	accept := func(args ...string) int {
		c := exec.Command("handoff", append([]string{"accept", "-q", "--audit-log", address + "&application_name=" + strings.ReplaceAll(name, " ", "%20")}, args...)...)
		if len(args) == 0 {
			c.Stdin = slowly(text)
		}
		out, _ := c.Output()
		for line := range bytes.SplitSeq(out, []byte("\n")) {
			if id, ok := idOf(line); ok {
				passed[id]++
			}
		}
		return c.ProcessState.ExitCode()
	}
	for range 10 {
		if code := accept(); code != exitYes && code != exitTrouble {
			t.Errorf("exit code %d", code)
		}
	}
	close(stop)
	ending.Wait()
	if code := accept("--resume"); code != exitYes {
		t.Errorf("resuming ended with %d", code)
	}
	if code := accept(); code != exitYes {
		t.Errorf("the last run ended with %d", code)
	}
	if len(passed) != messages {
		t.Errorf("%d messages passed, want %d", len(passed), messages)
	}
	checkAccepted(t, address, messages)
}

// TestClockGoesBack checks that records are ordered by their numbers, not by their times.
func TestClockGoesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	s, err := sqlstore.Open(t.Context(), path, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, year := range []int{2026, 2020, 2030} {
		now := func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
		err := audit.NewLog(s, now).Append(t.Context(), func(b *audit.Batch) error {
			_, err := b.Add(audit.Record{Event: audit.Duplicate, HandoffID: "h"}, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if out := programtest.Run(t, "audit", "verify", "--audit-log", path); !strings.Contains(out, "3") {
		t.Errorf("verify printed %q", out)
	}
}

// TestReadOnlyLog checks that an audit log on a read-only disk is read and verified, even with the
// write-ahead log of a killed process, and that nothing can be added.
func TestReadOnlyLog(t *testing.T) {
	from, dir := t.TempDir(), smallDisk(t, 16<<20)
	c := exec.Command("handoff", "accept", "-q", "--audit-log", filepath.Join(from, "audit.db"))
	c.Stdin = bytes.NewReader(acceptedStream(t, 4))
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "closed"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	s, err := sqlstore.Open(t.Context(), filepath.Join(from, "audit.db"), sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error { return b.Set("owner", "legal") }); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "killed"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	lockDisk(t, dir, true)
	defer lockDisk(t, dir, false)
	for name, records := range map[string]int{"closed": 8, "killed": 9} {
		path := filepath.Join(dir, name, "audit.db")
		if out := programtest.Run(t, "audit", "verify", "--audit-log", path); !strings.Contains(out, fmt.Sprintf("%d records", records)) {
			t.Errorf("%s: verify printed %q", name, out)
		}
		if out := programtest.Run(t, "audit", "list", "-f", "json", "--audit-log", path); strings.Count(out, "\n")+1 != records {
			t.Errorf("%s: list printed %s", name, out)
		}
		if out, err := exec.Command("handoff", "audit", "init", "--retention", "30d", "--audit-log", path).CombinedOutput(); err == nil || !strings.Contains(string(out), "audit.db: ") || strings.Contains(string(out), "(8)") {
			t.Errorf("%s: init printed %q (%v)", name, out, err)
		}
	}
}
