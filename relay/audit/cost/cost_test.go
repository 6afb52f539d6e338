package cost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/cost"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// pipeline writes the three records of a task with four agents (section 13.3), a rejected handoff, a task whose
// first handoff belongs to this one, and an acceptance after a rollback.
func pipeline(t testing.TB) *audit.Log {
	l := audittest.New(t)
	add := func(event audit.Event, id, task, parent, from, to, spent, left string, tokens int64) {
		audittest.Add(t, l, audit.Record{
			Event: event, HandoffID: id, TaskID: task, ParentHandoffID: parent, Sender: from, Receiver: to,
			CostSpentUSD: spent, CostRemainingUSD: left, PromptTokens: tokens, CompletionTokens: tokens / 2,
		}, nil)
	}
	add(audit.Accepted, "1", "t", "", "a", "b", "0.1", "0.9", 100)
	add(audit.Rejected, "x", "t", "1", "b", "c", "0.9", "0.1", 900)
	add(audit.Accepted, "2", "t", "1", "b", "c", "0.3", "0.7", 250)
	add(audit.RolledBack, "2", "t", "1", "b", "c", "", "", 0)
	add(audit.Accepted, "2", "t", "1", "b", "c", "0.3", "0.7", 250)
	add(audit.HandedOver, "2", "t", "", "", "", "", "", 0)
	add(audit.Accepted, "3", "t", "2", "c", "d", "0.6000000000000000000001", "0.4", 300)
	add(audit.Accepted, "4", "other", "3", "d", "e", "0.7", "0.3", 310)
	add(audit.Accepted, "5", "unpaid", "", "a", "b", "", "", 0)
	return l
}

func lines(b cost.Bill) (lines []string) {
	for _, s := range append([]cost.Sum{b.Total}, b.Sums...) {
		lines = append(lines, fmt.Sprint(s.Name, " ", s.Receiver, " ", s.Handoffs, " ", s.Cost.SpentUSD, " ", s.Cost.Prompt, " ", s.Cost.Completion))
	}
	return lines
}

// TestOf checks that spending is exact, counts each accepted handoff once, and continues from a parent in
// another task.
func TestOf(t *testing.T) {
	l := pipeline(t)
	err := l.Store().View(t.Context(), func(r audit.Reader) error {
		task, err := trace.Read(r, "t")
		if err != nil {
			return err
		}
		for by, want := range map[cost.Group][]string{
			cost.Agent: {"  3 0.6000000000000000000001 300 150", "c  1 0.3000000000000000000001 50 25", "b  1 0.2 150 75", "a  1 0.1 100 50"},
			cost.Pair:  {"  3 0.6000000000000000000001 300 150", "c d 1 0.3000000000000000000001 50 25", "b c 1 0.2 150 75", "a b 1 0.1 100 50"},
			cost.Day:   {"  3 0.6000000000000000000001 300 150", "2026-06-12  3 0.6000000000000000000001 300 150"},
			cost.Task:  {"  3 0.6000000000000000000001 300 150", "t  3 0.6000000000000000000001 300 150"},
		} {
			if diff := cmp.Diff(want, lines(cost.Of(task, cost.Options{By: by}))); diff != "" {
				t.Errorf("by %s (-want +got):\n%s", by, diff)
			}
		}
		bill, err := cost.OfAll(r, cost.Options{By: cost.Task})
		if err != nil {
			return err
		}
		want := []string{"  5 0.7 310 155", "t  3 0.6000000000000000000001 300 150", "other  1 0.0999999999999999999999 10 5", "unpaid  1 0 0 0"}
		if diff := cmp.Diff(want, lines(bill)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPeriod checks that handoffs count by the time of their acceptance, and continue from a parent that is older
// or in another task. The log has one record each second, from 09:30:01.
func TestPeriod(t *testing.T) {
	l := pipeline(t)
	at := func(second int) time.Time { return time.Date(2026, 6, 12, 9, 30, second, 0, time.UTC) }
	err := l.Store().View(t.Context(), func(r audit.Reader) error {
		for _, tt := range []struct {
			since, until time.Time
			task, all    []string
		}{
			{at(7), time.Time{}, []string{"  1 0.3000000000000000000001 50 25", "c  1 0.3000000000000000000001 50 25"},
				[]string{"  3 0.4 60 30", "c  1 0.3000000000000000000001 50 25", "d  1 0.0999999999999999999999 10 5", "a  1 0 0 0"}},
			{time.Time{}, at(5), []string{"  1 0.1 100 50", "a  1 0.1 100 50"}, []string{"  1 0.1 100 50", "a  1 0.1 100 50"}},
			{at(5), at(7), []string{"  1 0.2 150 75", "b  1 0.2 150 75"}, []string{"  1 0.2 150 75", "b  1 0.2 150 75"}},
			{at(30), time.Time{}, []string{"  0 0 0 0"}, []string{"  0 0 0 0"}},
		} {
			o := cost.Options{By: cost.Agent, Since: tt.since, Until: tt.until}
			task, err := trace.Read(r, "t")
			if err != nil {
				return err
			}
			if diff := cmp.Diff(tt.task, lines(cost.Of(task, o))); diff != "" {
				t.Errorf("from %s to %s (-want +got):\n%s", tt.since, tt.until, diff)
			}
			bill, err := cost.OfAll(r, o)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(tt.all, lines(bill)); diff != "" {
				t.Errorf("all from %s to %s (-want +got):\n%s", tt.since, tt.until, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLastAcceptanceCounts checks that the last of several acceptances of a handoff counts, for a task and for
// the whole log, even if the handoff is the parent of one in another task.
func TestLastAcceptanceCounts(t *testing.T) {
	l := audittest.New(t)
	add := func(event audit.Event, id, task, parent, from, spent string, tokens int64) {
		audittest.Add(t, l, audit.Record{
			Event: event, HandoffID: id, TaskID: task, ParentHandoffID: parent, Sender: from, Receiver: "z",
			CostSpentUSD: spent, CostRemainingUSD: "1", PromptTokens: tokens, CompletionTokens: tokens,
		}, nil)
	}
	add(audit.Accepted, "1", "t", "", "a", "0.1", 10)
	add(audit.Accepted, "2", "t", "1", "b", "0.3", 30)
	add(audit.RolledBack, "2", "t", "1", "b", "", 0)
	add(audit.Accepted, "2", "t", "1", "b", "0.5", 70)
	add(audit.Accepted, "3", "t", "2", "c", "0.6", 90)
	add(audit.Accepted, "4", "other", "2", "d", "0.7", 100)
	ofTask := map[string][]string{
		"t":     {"  3 0.6 90 90", "b  1 0.4 60 60", "a  1 0.1 10 10", "c  1 0.1 20 20"},
		"other": {"  1 0.2 30 30", "d  1 0.2 30 30"},
	}
	ofAll := []string{"  4 0.8 120 120", "b  1 0.4 60 60", "d  1 0.2 30 30", "a  1 0.1 10 10", "c  1 0.1 20 20"}
	err := l.Store().View(t.Context(), func(r audit.Reader) error {
		for id, want := range ofTask {
			task, err := trace.Read(r, id)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, lines(cost.Of(task, cost.Options{By: cost.Agent}))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", id, diff)
			}
		}
		bill, err := cost.OfAll(r, cost.Options{By: cost.Agent})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(ofAll, lines(bill)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSpellings checks that a UUID identifies the same task in lowercase and in uppercase, and that costs are
// complete even if a parent is not in the log.
func TestSpellings(t *testing.T) {
	l := audittest.New(t)
	for _, r := range []audit.Record{
		{HandoffID: "1", TaskID: "AB", ParentHandoffID: "0", Sender: "a", CostSpentUSD: "0.3", CostRemainingUSD: "1"},
		{HandoffID: "2", TaskID: "ab", ParentHandoffID: "1", Sender: "b", CostSpentUSD: "0.7", CostRemainingUSD: "1"},
	} {
		r.Event = audit.Accepted
		audittest.Add(t, l, r, nil)
	}
	err := l.Store().View(t.Context(), func(r audit.Reader) error {
		task, err := trace.Read(r, "ab")
		if err != nil {
			return err
		}
		bill, err := cost.OfAll(r, cost.Options{By: cost.Agent})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(lines(cost.Of(task, cost.Options{By: cost.Agent})), lines(bill)); diff != "" || bill.Total.Handoffs != 2 {
			t.Errorf("(-task +all):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
