package trace_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// TestSearch checks that the search finds the first accepted handoff with a value, the message to compare it
// with, and each later one that changes the value. Rejected handoffs do not count.
func TestSearch(t *testing.T) {
	l := audittest.New(t)
	add := func(event audit.Event, id, parent, state string) {
		audittest.Add(t, l, audit.Record{Event: event}, fmt.Appendf(nil, `{"handoffId":%q,"taskId":"t","parentHandoffId":%q,"currentState":%s}`, id, parent, state))
	}
	add(audit.Accepted, "1", "", `{}`)
	add(audit.Rejected, "x", "1", `{"risk":"high","n":7}`)
	add(audit.Accepted, "2", "1", `{"risk":"low","list":[1]}`)
	add(audit.Accepted, "3", "2", `{"risk":"high","n":5.0,"list":[1]}`)
	add(audit.Accepted, "4", "2", `{"risk":"low","list":[2]}`)
	add(audit.Accepted, "5", "3", `{"risk":"high","n":5}`)
	add(audit.Accepted, "6", "gone", `{"risk":"high","n":"5"}`)
	add(audit.Accepted, "7", "6", `{}`)
	value := func(s string) *string { return &s }
	for name, tt := range map[string]struct {
		question trace.Question
		want     []string
	}{
		"any value":                {trace.Question{Pointer: "/currentState/risk"}, []string{"2 after 1", "3 after 2", "7 after 6"}},
		"a text":                   {trace.Question{"/currentState/risk", value("high")}, []string{"3 after 2", "7 after 6"}},
		"a text as JSON":           {trace.Question{"/currentState/risk", value(`"high"`)}, []string{"3 after 2", "7 after 6"}},
		"a number by its value":    {trace.Question{"/currentState/n", value("5.00")}, []string{"3 after 2", "6 after 5", "7 after 6"}},
		"from the first on":        {trace.Question{"/currentState", value("{}")}, []string{"1 after ", "2 after 1", "3 after 2", "4 after 2", "5 after 3", "6 after 5", "7 after 6"}},
		"in a list":                {trace.Question{"/currentState/list/0", value("2")}, []string{"4 after 2", "5 after 3"}},
		"what only a rejected one": {trace.Question{"/currentState/n", value("7")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			view(t, l, func(r audit.Reader) error {
				task, err := trace.Read(r, "t")
				if err != nil {
					return err
				}
				var got []string
				err = task.Search(r, tt.question, func(c trace.Change) error {
					before := ""
					if c.Before != nil {
						before = c.Before.HandoffID
					}
					got = append(got, c.Handoff.HandoffID+" after "+before)
					return nil
				})
				if none := errors.As(err, new(*trace.NotCarriedError)); none != (tt.want == nil) || err != nil && !none {
					t.Errorf("error %v", err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				return nil
			})
		})
	}
}

// TestFind checks that records are found by number and hash, and handoffs by id, each with its message.
func TestFind(t *testing.T) {
	l := audittest.New(t)
	text := []byte(`{"handoffId":"h","taskId":"t"}`)
	first := audittest.Add(t, l, audit.Record{Event: audit.Accepted}, text)
	audittest.Add(t, l, audit.Record{Event: audit.HandedOver, HandoffID: "h", TaskID: "t"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, HandoffID: "other"}, nil)
	hash := first.Hash.String()
	for name, want := range map[string]string{
		"0": "0 + 1", "1": "1 + ", "h": "01 + ", "H": "01 + ", hash: "0 + 1", hash[:13]: "0 + 1", hash[7:20]: "0 + 1",
		"9": "", "": "", "zz": "", hash[:12]: "", "sha256:": "", "00000000": "0 + 1",
	} {
		view(t, l, func(r audit.Reader) error {
			found, err := trace.Find(r, name)
			got := ""
			if err == nil {
				for _, s := range found.Records {
					got += fmt.Sprint(s.Sequence)
				}
				got += " + "
				for _, s := range found.After {
					got += fmt.Sprint(s.Sequence)
				}
				if message, err := found.Message(r); err != nil || string(message) != string(text) {
					t.Errorf("%q: message %q, %v", name, message, err)
				}
			} else if !errors.As(err, new(*trace.UnknownError)) {
				return err
			}
			if got != want {
				t.Errorf("%q: found %q, want %q", name, got, want)
			}
			return nil
		})
	}
	view(t, l, func(r audit.Reader) error {
		found, err := trace.Find(r, "other")
		if err != nil {
			return err
		}
		if _, err := found.Message(r); !errors.As(err, new(*trace.NoMessageError)) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}
