package records_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect/collecttest"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/viewer/records"
)

func viewed(t *testing.T, l *audit.Log, f func(audit.Reader) error) {
	t.Helper()
	if err := l.Store().View(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func recordsOf(t *testing.T, r audit.Reader, task string) (records.Page, error) {
	return records.Read(t.Context(), r, task, records.Options{Options: collecttest.Options(), Facts: func(s *audit.Stored) ([]viewer.Fact, error) {
		return []viewer.Fact{{Name: "handoff", Value: s.HandoffID}}, nil
	}})
}

// recordedPage calls use with the page of the task t of a log.
func recordedPage(t *testing.T, l *audit.Log, use func(audit.Reader, records.Page)) {
	t.Helper()
	viewed(t, l, func(r audit.Reader) error {
		p, err := recordsOf(t, r, "t")
		if err == nil {
			use(r, p)
		}
		return err
	})
}

func told(id, parent string, n int) []byte {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Appendf(nil, `{"handoffId":%q,"taskId":"t","parentHandoffId":%s,"taskDescription":"Part %d","fromAgent":{"agentId":"a%[3]d"},"toAgent":{"agentType":"a%d"},
		"currentState":{"kept":"%[3]d"},"costTracking":{"costSpentSoFarUSD":0.%[3]d,"costBudgetRemainingUSD":0.%d,"tokenSpent":{"prompt":%[3]d,"completion":1}}}`, id, parent, n, n+1, 9-n)
}

// TestEvents checks that a handoff that was rejected, retried, accepted and rolled back has all these events,
// and the result of its agent.
func TestEvents(t *testing.T) {
	l := audittest.New(t)
	first, second := told("h1", "null", 1), told("h2", "h1", 2)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, first)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, Reason: "INCOMPLETE_CONTEXT", Attempt: 1, Details: audit.Details{
		Findings: []audit.Finding{{Rule: "completeness/subtasks", Severity: finding.Error, Pointer: "/currentState", Message: "is incomplete"}},
	}}, second)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, Attempt: 2, KeyID: "team-1"}, second)
	audittest.Add(t, l, audit.Record{Event: audit.HandedOver, HandoffID: "h2", TaskID: "t"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.ExecutionFailed, HandoffID: "h2", TaskID: "t", Details: audit.Details{DurationMicros: 2_500_000}}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.RolledBack, HandoffID: "h2", TaskID: "t"}, nil)
	recordedPage(t, l, func(r audit.Reader, p records.Page) {
		list := collecttest.Details(t, p.Page)
		h := p.Index.Handoffs[1]
		var names []string
		for _, e := range h.Events {
			names = append(names, e.Name)
		}
		if !slices.Equal(names, []string{"REJECTED", "ACCEPTED", "HANDED_OVER", "EXECUTION_FAILED", "ROLLED_BACK"}) {
			t.Errorf("the events are %q", names)
		}
		if h.Status != "ROLLED_BACK" || h.Parent != 0 || h.Title != "Part 2" || h.Step.USD != "0.1" {
			t.Errorf("got %+v", h)
		}
		if e := h.Events[0]; e.Attempt != 1 || e.Reason != "INCOMPLETE_CONTEXT" || h.Events[3].Ran != 2500 {
			t.Errorf("got %+v", h.Events)
		}
		d := list[1]
		if d.Message != string(second) || d.Compared != 0 || len(d.Records) != 5 || d.Records[0].Facts[0].Value != "h2" {
			t.Errorf("got %+v", d)
		}
		if !slices.ContainsFunc(d.Findings, func(f viewer.Finding) bool { return f.Pointer == "/currentState" && f.Message == "is incomplete" }) {
			t.Errorf("the findings are %+v", d.Findings)
		}
	})
}

// TestCopies checks that a message with several receivers is one handoff: each event names its copy, the cost
// counts once, and the answer of one receiver is a child.
func TestCopies(t *testing.T) {
	l := audittest.New(t)
	fanOut := []byte(`{"handoffId":"h1","taskId":"t","parentHandoffId":null,"fromAgent":{"agentId":"planner"},"toAgent":{"agentType":"reader"},
		"receiverList":[{"agentType":"reader"},{"agentType":"scorer"}],"costTracking":{"costSpentSoFarUSD":0.5,"costBudgetRemainingUSD":0.5,"tokenSpent":{"prompt":1,"completion":1}}}`)
	answer := []byte(`{"handoffId":"h2","taskId":"t","parentHandoffId":"h1","fromAgent":{"agentId":"scorer"},"toAgent":{"agentType":"writer"},
		"costTracking":{"costSpentSoFarUSD":0.6,"costBudgetRemainingUSD":0.4,"tokenSpent":{"prompt":2,"completion":1}}}`)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, fanOut)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, bytes.Replace(fanOut, []byte(`"toAgent":{"agentType":"reader"}`), []byte(`"toAgent":{"agentType":"scorer"}`), 1))
	audittest.Add(t, l, audit.Record{Event: audit.ExecutionFailed, HandoffID: "h1", TaskID: "t", Receiver: "reader"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Completed, HandoffID: "h1", TaskID: "t", Receiver: "scorer"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, answer)
	recordedPage(t, l, func(_ audit.Reader, p records.Page) {
		list := collecttest.Details(t, p.Page)
		h := p.Index.Handoffs
		if len(h) != 2 || h[1].ID != "h2" || h[1].Parent != 0 || len(list[0].Records) != 4 {
			t.Fatalf("got %+v", h)
		}
		var events []string
		for _, e := range h[0].Events {
			events = append(events, e.Name+" "+e.Agent)
		}
		if want := []string{"ACCEPTED reader", "ACCEPTED scorer", "EXECUTION_FAILED reader", "COMPLETED scorer"}; !slices.Equal(events, want) {
			t.Errorf("the events are %q", events)
		}
		if !slices.Equal(h[0].Receivers, []string{"reader", "scorer"}) || p.Index.Tasks[0].Total.USD != "0.6" || h[1].Events[0].Agent != "" {
			t.Errorf("to %q, total %s, events of the answer %+v", h[0].Receivers, p.Index.Tasks[0].Total.USD, h[1].Events)
		}
	})
}

// TestLostInTheLog checks that losses between two messages are found by the messages in the log.
func TestLostInTheLog(t *testing.T) {
	l := audittest.New(t)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, []byte(`{"handoffId":"h1","taskId":"t","parentHandoffId":null,"constraints":["no names"]}`))
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, []byte(`{"handoffId":"h2","taskId":"t","parentHandoffId":"h1","constraints":[]}`))
	recordedPage(t, l, func(_ audit.Reader, p records.Page) {
		collecttest.Details(t, p.Page)
		lost := p.Index.Handoffs[1].Lost
		if !slices.ContainsFunc(lost, func(l viewer.Lost) bool { return p.Index.Rules[l.Rule].ID == "chain/constraint-dropped" }) {
			t.Errorf("lost is %+v", lost)
		}
	})
}

// TestProof checks that the proof on a page leads from the record to the root of the log.
func TestProof(t *testing.T) {
	l := audittest.New(t)
	for i := range 5 {
		audittest.Add(t, l, audit.Record{Event: audit.Accepted, RecordedAt: time.Now()}, told(fmt.Sprint("h", i), "null", i))
	}
	recordedPage(t, l, func(_ audit.Reader, p records.Page) {
		for _, d := range collecttest.Details(t, p.Page) {
			hash := func(text string) (h audit.Hash) {
				if err := h.UnmarshalText([]byte(text)); err != nil {
					t.Fatal(err)
				}
				return h
			}
			var path []merkle.Hash
			for _, text := range d.Proof.Path {
				path = append(path, merkle.Hash(hash(text)))
			}
			if err := merkle.CheckRecord(path, d.Proof.Size, merkle.Hash(hash(d.Proof.Root)), d.Proof.Sequence, merkle.Hash(hash(d.Records[0].Hash))); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestNoMessage checks that a record without its message is shown without it.
func TestNoMessage(t *testing.T) {
	l := audittest.New(t)
	audittest.Add(t, l, audit.Record{Event: audit.Dispatched, HandoffID: "h1", TaskID: "t"}, nil)
	recordedPage(t, l, func(_ audit.Reader, p records.Page) {
		d := collecttest.Details(t, p.Page)[0]
		if d.Missing == "" || d.Message != "" || p.Index.Handoffs[0].Status != "DISPATCHED" {
			t.Errorf("got %+v", d)
		}
	})
}

func TestUnknownTask(t *testing.T) {
	err := audittest.New(t).Store().View(t.Context(), func(r audit.Reader) error {
		_, err := recordsOf(t, r, "nobody")
		return err
	})
	if !errors.As(err, new(*trace.UnknownTaskError)) {
		t.Errorf("got %v", err)
	}
}
