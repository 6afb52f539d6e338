package live_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/viewer/live"
)

// TestLimits checks that forms and headers that are too long are not read.
func TestLimits(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	size := s.size()
	form := url.Values{"form": {s.secret(n)}, "by": {"Ada"}, "reason": {strings.Repeat("why ", 20_000)}}
	if w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/discard", n), browser: true, form: form}); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long form: status %d", w.Code)
	}
	if w := s.do(ask{path: "/?agent=" + strings.Repeat("a", 5000)}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "too long") {
		t.Errorf("a long field: status %d", w.Code)
	}
	if s.size() != size {
		t.Error("records were added")
	}
}

// TestStores checks that the pages are the same with both databases.
func TestStores(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "audit.db") },
		"PostgreSQL": storetest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			s := siteAt(t, address(t), nil)
			if page := s.get("/"); !strings.Contains(page, "The audit log has no") {
				t.Error(page)
			}
			s.bring(s.message())
			n := s.letter("8acb3", "8acb4")
			for _, tt := range []struct{ path, want string }{
				{"/", task}, {"/?id=cc35de8b", task}, {"/?id=" + strings.ToUpper(task), task}, {"/?id=6e7f936b-cafd-4624-8754-0bafc4e8acb4", task},
				{"/?agent=risk-scoring-agent", task}, {"/?event=DEAD_LETTERED", task}, {"/?reason=SAFETY_VIOLATION", task}, {"/?since=1h", task},
				{"/?id=0", "Enter at least 4 characters"}, {"/letters", fmt.Sprint("/letters/", n)}, {fmt.Sprint("/letters/", n), unsafe}, {"/stats", "risk-scoring-agent"}, {"/metrics", "handoff_audit_handoffs{"},
				{"/task?id=" + task, handoff}, {"/records/0", "ACCEPTED"},
			} {
				w := s.do(ask{path: tt.path})
				if !strings.Contains(w.Body.String(), tt.want) {
					t.Errorf("%s: %q is not there: %d %s", tt.path, tt.want, w.Code, w.Body)
				}
			}
			for _, path := range []string{"/?id=cc35de8c", "/?agent=risk", "/?event=COMPLETED", "/?until=1h", "/?reason=SCHEMA_INVALID", "/?id=sha256:0000000000"} {
				if page := s.get(path); strings.Contains(page, "/task?") || !strings.Contains(page, "No matches") {
					t.Errorf("%s finds something", path)
				}
			}
			details := s.get(fmt.Sprintf("/task/details?id=%s&of=%d&i=1", task, s.size()))
			if !strings.Contains(details, unsafe) || !strings.HasPrefix(details, `[{"message":`) {
				t.Error(details)
			}
			decided := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/release", n), form: url.Values{"by": {"Ada"}, "reason": {"a quotation"}}})
			if decided.Code != http.StatusSeeOther {
				t.Errorf("status %d: %s", decided.Code, decided.Body)
			}
			if page := s.get(fmt.Sprint("/letters/", n)); !strings.Contains(page, "It was released") || !strings.Contains(page, "hand over") {
				t.Error(page)
			}
		})
	}
}

// TestAsItWas checks that the details of a page show the log at the time of the page, whatever was added since.
func TestAsItWas(t *testing.T) {
	s := newSite(t, nil)
	s.bring(s.message())
	before := s.size()
	page := s.get("/task?id=" + task)
	if !strings.Contains(page, fmt.Sprintf("of=%d", before)) {
		t.Error("the page does not say of when its details are")
	}
	path := fmt.Sprintf("/task/details?id=%s&of=%d&i=", task, before)
	first := s.get(path + "0")
	s.bring(s.message("8acb3", "8acb4", "parentHandoffId", "parentHandoffId"))
	if got := s.get(path + "0"); got != first {
		t.Errorf("before %s\nthen %s", first, got)
	}
	for range 12 { // other pages are opened meanwhile
		s.letter("8acb3", fmt.Sprintf("8a%03x", s.size()))
		s.get("/task?id=" + task)
	}
	if got := s.get(path + "0"); got != first {
		t.Errorf("before %s\nafter others %s", first, got)
	}
	for path, status := range map[string]int{path + "1": 404, path + "-1": 404, path: 404, fmt.Sprintf("/task/details?id=%s&of=%d&i=0", task, s.size()+1): 404, "/task/details?id=none&of=1&i=0": 404, "/task?id=none": 404, "/task": 404} {
		if w := s.do(ask{path: path}); w.Code != status {
			t.Errorf("%s: status %d, want %d", path, w.Code, status)
		}
	}
}

var entry = regexp.MustCompile(`<h2><a href="/task\?id=([^"]*)">`)

// TestPages checks that every task is on exactly one page, the newest first, however its records are
// distributed.
func TestPages(t *testing.T) {
	s := newSite(t, nil)
	const tasks = 120
	var records []audit.Record
	for round := range 3 {
		for i := range tasks {
			records = append(records, audit.Record{Event: audit.Accepted, HandoffID: fmt.Sprint("h", round, i), TaskID: fmt.Sprintf("task-%03d", i), Sender: "a", Receiver: "b"})
			records = append(records, audit.Record{Event: audit.HandedOver, HandoffID: fmt.Sprint("h", round, i), TaskID: "of-all"})
		}
	}
	s.add(records...)
	for _, query := range []string{"?", "?event=ACCEPTED", "?agent=a", "?since=1h", "?id=task"} {
		var found []string
		pages := 0
		for path := "/" + query; path != ""; pages++ {
			page := s.get(path)
			path = ""
			for _, m := range entry.FindAllStringSubmatch(page, -1) {
				if m[1] != "of-all" {
					found = append(found, m[1])
				}
			}
			if next := regexp.MustCompile(`class="more" href="([^"]*)"`).FindStringSubmatch(page); next != nil {
				path = strings.ReplaceAll(next[1], "&amp;", "&")
			}
		}
		if !slices.IsSortedFunc(found, func(a, b string) int { return strings.Compare(b, a) }) || len(found) != tasks || pages != 3 {
			t.Errorf("%s: %d tasks on %d pages: %v", query, len(found), pages, found)
		}
	}
}

// TestTimes checks that records are found by time without reading others.
func TestTimes(t *testing.T) {
	s := newSite(t, nil)
	start := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)
	hour := 0
	log := audit.NewLog(s.log.Store(), func() time.Time { hour++; return start.Add(time.Duration(hour) * time.Hour) })
	for i := range 40 {
		err := log.Append(t.Context(), func(b *audit.Batch) error {
			_, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: fmt.Sprint("h", i), TaskID: fmt.Sprintf("task-%02d", i)}, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	page := s.get("/?since=2026-06-12+10:00&until=2026-06-12T13:00:00Z")
	var found []string
	for _, m := range entry.FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	if want := []string{"task-11", "task-10", "task-09"}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if w := s.do(ask{path: "/?since=yesterday"}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `id="since-wrong"`) || !strings.Contains(w.Body.String(), `aria-invalid="true"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestHostileTexts checks that texts of messages, senders and users cannot be markup, other kinds of links, or
// text that changes the direction of a page.
func TestHostileTexts(t *testing.T) {
	s := newSite(t, nil)
	const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}javascript:alert(1)`
	s.add(
		audit.Record{Event: audit.Rejected, HandoffID: "h" + attack, TaskID: "t" + attack, Sender: "s" + attack, Receiver: "r\u202e" + attack, Reason: "R" + attack, Transport: attack, LatencyMicros: 1,
			Details: audit.Details{Findings: []audit.Finding{{Rule: attack, Severity: "error", Pointer: "/" + attack, Message: attack}}}},
		audit.Record{Event: audit.DeadLettered, HandoffID: "h" + attack, TaskID: "t" + attack, Sender: "s" + attack, Receiver: "r" + attack, Reason: "R" + attack, Details: audit.Details{Concerns: new(int64)}},
		audit.Record{Event: audit.Accepted, HandoffID: "x", TaskID: "t\n\x1b[31m", Sender: attack, Receiver: attack, Transport: attack, LatencyMicros: 1},
	)
	n := s.letter("a quotation", "a quotation", "legal-analysis-agent", `legal-<script>alert(1)</script>`)
	decided := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/discard", n), form: url.Values{"by": {attack}, "reason": {attack}}})
	if decided.Code != http.StatusSeeOther {
		t.Fatalf("status %d: %s", decided.Code, decided.Body)
	}
	q := url.QueryEscape(attack)
	for _, path := range []string{"/", "/?id=" + q, "/?agent=" + q, "/?event=" + q, "/?reason=" + q, "/?since=" + q, "/letters", fmt.Sprint("/letters/", n), "/stats", "/records/0", "/records/1", "/task?id=" + url.QueryEscape("t"+attack), "/records/" + url.PathEscape(attack), "/" + url.PathEscape(attack), "/letters/" + url.PathEscape(attack)} {
		w := s.do(ask{path: path, browser: true})
		page := w.Body.String()
		body := page[strings.Index(page, "</style>"):]
		for _, bad := range []string{"<script>alert", "<img", `"'>`, "\u202e", "\x1b"} {
			ofScript := strings.HasPrefix(path, "/task?") && bad == "\u202e" // the script of the report escapes this data
			if strings.Contains(body, bad) && !ofScript {
				t.Errorf("%s has %q", path, bad)
			}
		}
	}
	form := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/release", s.letter("8acb3", "8acb5")), form: url.Values{"by": {attack}, "reason": {""}, "allowed": {"some"}, "rule": {attack}}})
	if body := form.Body.String(); form.Code != http.StatusUnprocessableEntity || strings.Contains(body, "<script>") || strings.Contains(body, "<img") {
		t.Errorf("status %d: %s", form.Code, body)
	}
}

// TestClientLeaves checks that a query ends when its client disconnects, and that other queries continue.
func TestClientLeaves(t *testing.T) {
	var s *site
	begun, ended := make(chan struct{}, 10), make(chan error, 10)
	s = newSite(t, func(o *live.Options) { o.Store = slowStore{o.Store, begun, ended} })
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	done := make(chan *httptest.ResponseRecorder)
	go func() {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		done <- w
	}()
	<-begun
	leave()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	if w := <-done; w.Body.Len() > 0 || len(s.logged) > 0 {
		t.Errorf("%s, logged %q", w.Body, s.logged)
	}
}

// slowStore is a store that blocks until its context ends.
type slowStore struct {
	audit.Store
	begun chan struct{}
	ended chan error
}

func (s slowStore) View(ctx context.Context, _ func(audit.Reader) error) error {
	s.begun <- struct{}{}
	<-ctx.Done()
	s.ended <- ctx.Err()
	return ctx.Err()
}

// TestQueriesAtOnce checks that the number of concurrent reads of the log is limited.
func TestQueriesAtOnce(t *testing.T) {
	begun, ended := make(chan struct{}, 100), make(chan error, 100)
	s := newSite(t, func(o *live.Options) { o.Store = slowStore{o.Store, begun, ended} })
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range 20 {
		go func() {
			r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1/", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			s.handler.ServeHTTP(httptest.NewRecorder(), r)
			done <- struct{}{}
		}()
	}
	time.Sleep(200 * time.Millisecond)
	if n := len(begun); n < 1 || n > 4 {
		t.Errorf("%d queries run at once", n)
	}
	leave()
	for range 20 {
		<-done
	}
}

// TestTrouble checks that an error of the log is shown on the page, and logged for the operator.
func TestTrouble(t *testing.T) {
	s := newSite(t, func(o *live.Options) { o.Store = brokenStore{o.Store} })
	w := s.do(ask{path: "/", browser: true})
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "the disk is &lt;gone&gt;") || len(s.logged) != 1 {
		t.Errorf("status %d: %s, logged %q", w.Code, w.Body, s.logged)
	}
}

type brokenStore struct{ audit.Store }

func (brokenStore) View(context.Context, func(audit.Reader) error) error {
	return fmt.Errorf("the disk is <gone>")
}

// TestFresh checks that a page reloads itself only on request.
func TestFresh(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/", "/letters", "/stats"} {
		if got := s.do(ask{path: path}).Header().Get("Refresh"); got != "" {
			t.Errorf("%s: Refresh %q", path, got)
		}
		if w := s.do(ask{path: path + "?fresh=1"}); w.Header().Get("Refresh") != "10" || !strings.Contains(w.Body.String(), "Stop reloading") {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
	if !bytes.Contains(s.do(ask{path: "/"}).Body.Bytes(), []byte("Loaded at ")) {
		t.Error("the page does not say of when it is")
	}
}
