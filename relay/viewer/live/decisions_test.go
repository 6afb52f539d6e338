package live_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/live"
)

// post posts a form about a letter like a browser.
func (s *site) post(letter int64, what string, form url.Values) (status int, page string) {
	s.Helper()
	form.Set("form", s.secret(letter))
	w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/%s", letter, what), browser: true, form: form, header: http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}})
	return w.Code, w.Body.String()
}

// records returns the records of the given events.
func (s *site) records(events ...audit.Event) (list []audit.Stored) {
	s.Helper()
	err := s.log.Store().View(s.Context(), func(r audit.Reader) (err error) {
		list, err = audit.List(r, audit.Filter{Events: events})
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return list
}

// broken are the rules that the message of [site.letter] violates. Its record names the first one.
func broken() []string {
	return []string{"safety/override-instructions", "safety/model", "safety/override-all-rules"}
}

// TestRelease checks that the release of a letter is recorded with name and reason, as on the command line, and
// that the message then waits for the next receiver, with a note on the page until the handover.
func TestRelease(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	rules := slices.Sorted(slices.Values(broken()))
	if status, page := s.post(n, "release", url.Values{"by": {" Ada Byron "}, "reason": {"a quotation,\r\nno order"}, "allowed": {"all"}}); status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", status, page)
	}
	released, accepted := s.records(audit.Released), s.records(audit.Accepted)
	if len(released) != 1 || len(accepted) != 1 {
		t.Fatalf("%+v, %+v", released, accepted)
	}
	d := released[0].Details
	if d.By != "Ada Byron" || d.Explanation != "a quotation,\nno order" || *d.Concerns != n || !slices.Equal(d.Allowed, rules) || accepted[0].Details.By != "Ada Byron" || !slices.Equal(accepted[0].Details.Allowed, rules) {
		t.Errorf("%+v, %+v", d, accepted[0].Details)
	}
	page := s.get(fmt.Sprint("/letters/", n))
	if !strings.Contains(page, "waits to be handed over") || !strings.Contains(page, fmt.Sprint("hand over ", accepted[0].Sequence)) || !strings.Contains(page, "Ada Byron") || strings.Contains(page, "<form") {
		t.Error(page)
	}
	if list := s.get("/letters"); !strings.Contains(list, "No message waits") {
		t.Error(list)
	}
	other, err := receiver.New(t.Context(), nil, s.log, receiver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var left []receiver.Left
	if err := other.Resume(t.Context(), func(l receiver.Left) error { left = append(left, l); return nil }); err != nil || len(left) != 1 || !strings.Contains(string(left[0].Raw), unsafe) {
		t.Fatalf("%+v, %v", left, err)
	}
	if err := other.HandedOver(t.Context(), []receiver.Handover{{Accepted: left[0].Answer.Record, Resumed: true}}); err != nil {
		t.Fatal(err)
	}
	if page := s.get(fmt.Sprint("/letters/", n)); !strings.Contains(page, "has been handed over") {
		t.Error(page)
	}
}

// TestReleaseSome checks that a letter with findings that are not allowed still waits, and that the page shows
// them together with the input.
func TestReleaseSome(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	rules := broken()
	size := s.size()
	status, page := s.post(n, "release", url.Values{"by": {"Ada <Byron>"}, "reason": {"a quotation"}, "allowed": {"some"}, "rule": rules[:1]})
	if status != http.StatusUnprocessableEntity || s.size() != size {
		t.Fatalf("status %d: %s", status, page)
	}
	for _, want := range []string{"It would still be rejected", `name="rule" value="` + rules[1] + `">`, `value="Ada &lt;Byron&gt;"`, ">a quotation</textarea>", `value="` + rules[0] + `" checked`, `value="some" checked`, "<title>Not done: "} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not there: %s", want, page)
		}
	}
	if status, page := s.post(n, "release", url.Values{"by": {"Ada"}, "reason": {"why"}, "allowed": {"some"}}); status != http.StatusUnprocessableEntity || !strings.Contains(page, `id="allow-wrong"`) {
		t.Errorf("nothing is ticked: status %d: %s", status, page)
	}
	if status, page := s.post(n, "release", url.Values{"by": {"Ada"}, "reason": {"why"}, "allowed": {"some"}, "rule": rules}); status != http.StatusSeeOther {
		t.Errorf("status %d: %s", status, page)
	}
}

// TestDiscard checks that a discarded letter no longer waits, and cannot be decided again.
func TestDiscard(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	secret := s.secret(n)
	if status, page := s.post(n, "discard", url.Values{"by": {"Ada"}, "reason": {"an attack"}}); status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", status, page)
	}
	discarded := s.records(audit.Discarded)
	if len(discarded) != 1 || discarded[0].Details.By != "Ada" || discarded[0].Details.Explanation != "an attack" {
		t.Errorf("%+v", discarded)
	}
	size := s.size()
	w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/release", n), browser: true, form: url.Values{"form": {secret}, "by": {"Bob"}, "reason": {"why not"}}})
	if w.Code != http.StatusSeeOther || s.size() != size {
		t.Errorf("it was decided again: status %d", w.Code)
	}
	if page := s.get(fmt.Sprint("/letters/", n)); !strings.Contains(page, "It was discarded") || !strings.Contains(page, "an attack") || strings.Contains(page, "<form") {
		t.Error(page)
	}
	for _, name := range []string{"0", "99", "-1", "x", handoff} {
		if w := s.do(ask{path: "/letters/" + name}); w.Code != http.StatusNotFound {
			t.Errorf("letter %s: status %d", name, w.Code)
		}
	}
}

// TestFieldErrors checks that missing input is reported beside its field, in the form that was sent.
func TestFieldErrors(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	size := s.size()
	for name, tt := range map[string]struct {
		form url.Values
		want []string
	}{
		"nothing":       {url.Values{}, []string{"-by-wrong", "-reason-wrong"}},
		"spaces":        {url.Values{"by": {" "}, "reason": {"\r\n"}}, []string{"-by-wrong", "-reason-wrong"}},
		"no reason":     {url.Values{"by": {"Ada"}}, []string{"-reason-wrong"}},
		"a long name":   {url.Values{"by": {strings.Repeat("a", 201)}, "reason": {"why"}}, []string{"-by-wrong"}},
		"a long reason": {url.Values{"by": {"Ada"}, "reason": {strings.Repeat("a", 4001)}}, []string{"-reason-wrong"}},
		"controls":      {url.Values{"by": {"A\x1b[31m"}, "reason": {"a\x00b"}}, []string{"-by-wrong", "-reason-wrong"}},
		"no text":       {url.Values{"by": {"A\xff"}, "reason": {"why"}}, []string{"-by-wrong"}},
	} {
		for _, what := range []string{"release", "discard"} {
			status, page := s.post(n, what, tt.form)
			if status != http.StatusUnprocessableEntity {
				t.Errorf("%s, %s: status %d", name, what, status)
			}
			for _, id := range tt.want {
				if !strings.Contains(page, `id="`+what+id+`"`) {
					t.Errorf("%s, %s: %s is not there", name, what, id)
				}
			}
			other := map[string]string{"release": "discard", "discard": "release"}[what]
			if strings.Contains(page, `id="`+other+`-by-wrong"`) || strings.Count(page, ` aria-invalid="true"`) != len(tt.want) {
				t.Errorf("%s, %s: other fields are wrong, too", name, what)
			}
		}
	}
	if s.size() != size {
		t.Error("records were added")
	}
}

// TestInTheWay checks that a letter whose id belongs to another waiting message is not released, and that the
// page reports this.
func TestInTheWay(t *testing.T) {
	s := newSite(t, nil)
	first := s.bring(s.message())
	other := s.bring(s.message("Score the", "Also score the"))
	if first.Status != receiver.Accepted || other.Reason != receiver.HandoffIDReused {
		t.Fatalf("%+v, %+v", first, other)
	}
	status, page := s.post(other.Record.Sequence+1, "release", url.Values{"by": {"Ada"}, "reason": {"why"}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, "must be handed over first") {
		t.Errorf("status %d: %s", status, page)
	}
}

// TestSecretsAreHidden checks that credentials in a dead letter are not shown, unless that is requested.
func TestSecretsAreHidden(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	for _, shown := range []bool{false, true} {
		s := newSite(t, func(o *live.Options) { o.Secrets = shown })
		n := s.letter("Breach of", secret+" breach of")
		page := s.get(fmt.Sprint("/letters/", n))
		if strings.Contains(page, secret) != shown || strings.Contains(page, "asterisks") == shown {
			t.Errorf("shown %v: %s", shown, page)
		}
	}
}
