package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/output"
)

// TestSeenConcurrently checks that exactly one of many processes with the same file accepts an ID.
func TestSeenConcurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids")
	const workers, ids = 8, 50
	accepted := make([][]bool, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			s := newSeenFile(path, &claim.Set{})
			for i := range ids {
				fresh, err := s.accept([]string{fmt.Sprint("id-", i)})
				if err != nil {
					t.Error(err)
					return
				}
				accepted[w] = append(accepted[w], fresh...)
			}
		})
	}
	group.Wait()
	for i := range ids {
		n := 0
		for w := range workers {
			if len(accepted[w]) == ids && accepted[w][i] {
				n++
			}
		}
		if n != 1 {
			t.Errorf("id-%d was accepted %d times", i, n)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != ids {
		t.Errorf("the file is\n%s\n%v", text, err)
	}
}

func TestSeen(t *testing.T) {
	tests := []struct {
		name, file string
		ids        string
		fresh      string // y or n for each
		after      string
	}{
		{"new file", "", "a b", "yy", "a\nb\n"},
		{"known", "a\nb\n", "b c a", "nyn", "a\nb\nc\n"},
		{"twice in one call", "", "a a", "yn", "a\n"},
		{"last line without its end", "a\nb", "b c", "ny", "a\nb\nc\n"},
		{"part of a line", "a\nb12", "b123", "y", "a\nb12\nb123\n"},
		{"no ids", "a\n", "", "", "a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ids")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			fresh, err := newSeenFile(path, &claim.Set{}).accept(strings.Fields(tt.ids))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range fresh {
				got += map[bool]string{true: "y", false: "n"}[f]
			}
			after, err := os.ReadFile(path)
			if got != tt.fresh || string(after) != tt.after || err != nil {
				t.Errorf("got %q and %q, %v; want %q and %q", got, after, err, tt.fresh, tt.after)
			}
		})
	}
}

// TestSeenReplaced checks that a replaced file is read again.
func TestSeenReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids")
	s := newSeenFile(path, &claim.Set{})
	for _, want := range []bool{true, false} {
		if fresh, err := s.accept([]string{"a"}); err != nil || fresh[0] != want {
			t.Fatalf("got %v, %v", fresh, err)
		}
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if fresh, err := s.accept([]string{"a"}); err != nil || !fresh[0] {
		t.Errorf("got %v, %v", fresh, err)
	}
}

// TestSeenSameEnd checks that a file which was truncated, and then extended by other IDs and the same last ones,
// is detected as changed.
func TestSeenSameEnd(t *testing.T) {
	ids := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%s-%04d", prefix, i))
		}
		return list
	}
	path := filepath.Join(t.TempDir(), "ids")
	first, second := newSeenFile(path, &claim.Set{}), newSeenFile(path, &claim.Set{})
	if _, err := first.accept(append(ids("old", 100), ids("last", 2000)...)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := second.accept(append(ids("new", 100), ids("last", 2000)...)); err != nil {
		t.Fatal(err)
	}
	fresh, err := first.accept(ids("new", 100))
	if err != nil || slices.Contains(fresh, true) {
		t.Errorf("accepts ids again that another process has accepted: %v, error %v", fresh, err)
	}
}

// TestSeenRenamedWhileWaiting checks that a process that waits for the lock of a file uses the new file if the
// old one is renamed in the meantime.
func TestSeenRenamedWhileWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids")
	held, _, err := output.OpenLocked(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := newSeenFile(path, &claim.Set{}).accept([]string{"a"})
		done <- err
	}()
	time.Sleep(20 * time.Millisecond) // if it is not waiting yet, less is tested
	if err := os.Rename(path, path+".1"); err != nil {
		t.Skip(err) // Windows cannot rename an open file
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a\n" {
		t.Errorf("the new file has %q, %v", text, err)
	}
	if text, err := os.ReadFile(path + ".1"); err != nil || len(text) > 0 {
		t.Errorf("the old file has %q, %v", text, err)
	}
}

// TestSeenLongIDs checks that IDs of any length are distinguished, although only a part of each is in memory.
func TestSeenLongIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids")
	long := strings.Repeat("x", 10_000)
	if err := os.WriteFile(path, []byte(long+"1\n"+long+"2"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh, err := newSeenFile(path, &claim.Set{}).accept([]string{long + "1", long + "2", long + "3"})
	if err != nil || fmt.Sprint(fresh) != "[false false true]" {
		t.Errorf("got %v, %v", fresh, err)
	}
}
