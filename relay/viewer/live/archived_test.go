package live_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit/archive"
)

// TestArchiveAway checks that a task and a dead letter whose messages are in an unreadable file have pages that
// report this, until the file can be read again.
func TestArchiveAway(t *testing.T) {
	s := newSite(t, nil)
	s.bring(s.message())
	n := s.letter("6e7f936b", "7e7f936b")
	dir := t.TempDir()
	const (
		why       = "the message beside record 0 is in the archive: messages-"
		whyLetter = "the message beside record 1 is in the archive: messages-"
	)
	if m, err := archive.Move(t.Context(), s.log, time.Now().Add(time.Hour), dir); err != nil || m.Messages != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	details := fmt.Sprintf("/task/details?id=%s&of=%d&i=0", task, s.size())
	letter := fmt.Sprintf("/letters/%d", n)
	look := func(away bool) {
		t.Helper()
		if page := s.get(letter); strings.Contains(page, whyLetter) != away || strings.Contains(page, dir) || strings.Contains(page, `<pre class="message"`) == away || !strings.Contains(page, "<form") {
			t.Errorf("away %v, and the letter is %s", away, page)
		}
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
	release := func() (int, string) {
		return s.post(n, "release", url.Values{"by": {"Ada"}, "reason": {"why"}, "allowed": {"all"}})
	}
	if status, page := release(); status != http.StatusUnprocessableEntity || !strings.Contains(page, "T"+whyLetter[1:]) || strings.Contains(page, dir) {
		t.Errorf("status %d: %s", status, page)
	}
	if err := os.Rename(dir+"-moved", dir); err != nil {
		t.Fatal(err)
	}
	look(false)
	if status, page := release(); status != http.StatusSeeOther {
		t.Errorf("status %d: %s", status, page)
	}
}
