package records_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/viewer/collect/collecttest"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/records"
	"github.com/eaapl/handoff/schemas"
)

// TestArchived checks that archived messages are read from their file. If it is missing or damaged, the page
// shows the rest, and names the missing message and the reason, but not the directory.
func TestArchived(t *testing.T) {
	l := audittest.New(t)
	first, second, third := told("h1", "null", 1), told("h2", "h1", 2), told("h3", "h2", 3)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, first)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, second)
	before, err := time.Parse(time.DateOnly, "2027-01-01") // the clock of the log is in 2026
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if m, err := archive.Move(t.Context(), l, before, dir); err != nil || m.Messages != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, third)
	recordedPage(t, l, func(_ audit.Reader, p records.Page) {
		if list := collecttest.Details(t, p.Page); list[0].Message != string(first) || list[1].Message != string(second) || p.Unread != nil || p.Index.Unread != nil {
			t.Errorf("got %+v; unread %v", list, p.Unread)
		}
	})
	file := filepath.Join(dir, archive.Name(0, 1))
	for _, gone := range []struct {
		what, why string
		with      func() error
	}{
		{"damaged", "it is not a complete file of messages", func() error { return os.Truncate(file, 40) }},
		{"missing", "", func() error { return os.Remove(file) }},
	} {
		t.Run(gone.what, func(t *testing.T) {
			if err := gone.with(); err != nil {
				t.Fatal(err)
			}
			recordedPage(t, l, func(_ audit.Reader, p records.Page) {
				list := collecttest.Details(t, p.Page)
				want := "the message beside record 0 is in the archive: " + archive.Name(0, 1) + ": "
				if len(p.Index.Unread) != 2 || p.Index.Unread[0] != list[0].Missing || !strings.HasPrefix(list[0].Missing, want) || strings.Contains(p.Index.Unread[1], dir) {
					t.Errorf("it says %q and %q", p.Index.Unread, list[0].Missing)
				}
				if len(p.Unread) != 2 || !strings.Contains(p.Unread[0].Error(), file+": "+gone.why) {
					t.Errorf("unread are %v", p.Unread)
				}
				h := p.Index.Handoffs
				if len(h) != 3 || h[1].Parent != 0 || h[1].Status != "ACCEPTED" || h[1].Step.USD != "0.1" || len(list[1].Records) != 1 {
					t.Errorf("the records say %+v", h)
				}
				for _, r := range p.Index.Rules { // the parent of the third handoff is in the file, which cannot be read
					if r.ID == "chain/missing-parent" || r.ID == "chain/orphan" {
						t.Errorf("found %+v", r)
					}
				}
				if list[2].Message != string(third) || list[2].Compared != -1 || h[2].Title != "Part 3" {
					t.Errorf("what is not in the archive: %+v", list[2])
				}
			})
		})
	}
}

// TestErased checks that erased data is not on the page: a message shows replacements instead and, where the
// original is required, who erased the data, and why.
func TestErased(t *testing.T) {
	l := audittest.New(t)
	keys, err := sqlkeys.Open(t.Context(), filepath.Join(t.TempDir(), "keys.db"), sqlkeys.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	scanner, err := privacy.New(privacy.Policy{Subject: "/currentState/customer", Always: []string{"/currentState/name"}})
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := personal.New(personal.Options{Scanner: scanner, Keys: func(context.Context) (personal.KeyStore, error) { return keys, nil }})
	if err != nil {
		t.Fatal(err)
	}
	example, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	const name, customer = "Erika Mustermann-Qx", "C-4711-Q"
	text := strings.Replace(string(example), `"currentState": {`, `"currentState": {"customer": "`+customer+`", "name": "`+name+`",`, 1)
	accepting, err := receiver.New(t.Context(), validate.New(validate.Options{}), l, receiver.Options{Personal: sealer})
	if err != nil {
		t.Fatal(err)
	}
	delivery, err := accepting.Examine(t.Context(), jsonstream.NewRaw([]byte(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := accepting.Record(t.Context(), []*receiver.Delivery{delivery}, nil); err != nil {
		t.Fatal(err)
	}
	page := func(exact bool, use func(records.Page)) {
		t.Helper()
		viewed(t, l, func(r audit.Reader) error {
			p, err := recordsOf(t, personal.NewReader(t.Context(), r, sealer, exact), "cc35de8b-6ece-4435-abfd-a60e12baff98")
			if err == nil {
				use(p)
			}
			return err
		})
	}
	page(true, func(p records.Page) {
		if d := collecttest.Details(t, p.Page)[0]; d.Message != text || d.Missing != "" {
			t.Errorf("before: missing %q, message %s", d.Missing, d.Message)
		}
	})
	if _, err := sealer.Erase(t.Context(), l, personal.Subject{ID: customer}, personal.Decision{By: "Ada", Reason: "Article 17"}); err != nil {
		t.Fatal(err)
	}
	for _, exact := range []bool{false, true} {
		page(exact, func(p records.Page) {
			list := collecttest.Details(t, p.Page)
			all, err := json.Marshal([]any{p.Index, list})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(all), name) || strings.Contains(string(all), customer) {
				t.Errorf("exact %v: it is still there: %s", exact, all)
			}
			d := list[0]
			if exact && (d.Message != "" || !strings.HasSuffix(d.Missing, "by Ada: Article 17")) || !exact && !strings.Contains(d.Message, "<HIDDEN_1>") {
				t.Errorf("exact %v: missing %q, message %s", exact, d.Missing, d.Message)
			}
			if p.Unread != nil || p.Index.Handoffs[0].Status != "ACCEPTED" {
				t.Errorf("exact %v: unread %v, status %s", exact, p.Unread, p.Index.Handoffs[0].Status)
			}
		})
	}
}
