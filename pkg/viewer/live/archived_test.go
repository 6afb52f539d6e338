package live_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/audit/archive"
)

// TestArchiveAway: a task whose message is in a file that cannot be read has a page, which says so, until
// the file is there again.
func TestArchiveAway(t *testing.T) {
	s := newSite(t, nil)
	s.bring(s.message())
	dir := t.TempDir()
	if m, err := archive.Move(t.Context(), s.log, time.Now().Add(time.Hour), dir); err != nil || m.Messages != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	details := fmt.Sprintf("/task/details?id=%s&of=%d&i=0", task, s.size())
	look := func(away bool) {
		t.Helper()
		const why = "the message beside record 0 is in the archive: messages-"
		if page := s.get("/task?id=" + task); strings.Contains(page, why) != away {
			t.Errorf("away %v, and the page is %s", away, page)
		}
		if d := s.get(details); strings.Contains(d, why) != away || strings.Contains(d, "taskDescription") == away {
			t.Errorf("away %v, and the details are %s", away, d)
		}
	}
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	look(true)
	if err := os.Rename(dir+"-moved", dir); err != nil {
		t.Fatal(err)
	}
	look(false)
}
