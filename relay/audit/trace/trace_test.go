package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
)

func view(t *testing.T, l *audit.Log, f func(audit.Reader) error) {
	t.Helper()
	if err := l.Store().View(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// summary has the values that the tree of messages and the tree of records share.
func summary(t *chain.Task) (lines []string) {
	lines = append(lines, fmt.Sprint("total ", t.Total.SpentUSD, t.Total.Prompt, t.Total.Completion, t.Relay.SpentUSD, t.Agrees))
	var walk func(list []*chain.Node, above string)
	walk = func(list []*chain.Node, above string) {
		for _, n := range list {
			lines = append(lines, fmt.Sprint(n.HandoffID, " below ", above, " ", n.Step.SpentUSD, n.Step.Prompt, n.Step.Completion))
			walk(n.Children, n.HandoffID)
		}
	}
	walk(t.Roots, "")
	for _, s := range t.Spenders {
		lines = append(lines, fmt.Sprint(s.Agent, s.Handoffs, s.Cost.SpentUSD))
	}
	slices.Sort(lines)
	return lines
}

// TestTaskIsThatOfItsMessages checks that a task in the log has the same tree, steps and total as package chain
// computes from its messages: chains, fan-outs, joins, and broken ones.
func TestTaskIsThatOfItsMessages(t *testing.T) {
	folders, err := filepath.Glob("../../../testdata/chain/*/*")
	if err != nil || len(folders) < 20 {
		t.Fatalf("%d folders: %v", len(folders), err)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		switch filepath.Base(filepath.Dir(folder)) {
		case "duplicate-id", "time-reversed", "many-roots": // the times of the messages are in their order there
			continue
		}
		t.Run(folder, func(t *testing.T) {
			l := audittest.New(t)
			checker := chain.New(chain.Unchecked())
			for i, text := range messages(t, folder) {
				d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				m, err := chain.Read(d, chain.Place{Index: i})
				if err != nil {
					t.Fatal(err)
				}
				checker.Add(m)
				audittest.Add(t, l, audit.Record{Event: audit.Accepted}, text)
			}
			for _, want := range checker.Tasks() {
				view(t, l, func(r audit.Reader) error {
					got, err := trace.Read(r, want.ID)
					if err != nil {
						return err
					}
					if diff := cmp.Diff(summary(want), summary(got.Task)); diff != "" {
						t.Errorf("task %s (-messages +log):\n%s", want.ID, diff)
					}
					return nil
				})
			}
		})
	}
}

func TestUnknownTask(t *testing.T) {
	l := audittest.New(t)
	view(t, l, func(r audit.Reader) error {
		for _, id := range []string{"", "nobody"} {
			if _, err := trace.Read(r, id); !errors.As(err, new(*trace.UnknownTaskError)) {
				t.Errorf("%q: got %v", id, err)
			}
		}
		return nil
	})
}

// TestStatus checks that later events determine the status of a handoff, and that unrelated ones do not.
func TestStatus(t *testing.T) {
	digest := audit.Hash{1}
	for name, tt := range map[string]struct {
		events []audit.Event
		want   audit.Event
	}{
		"accepted":                      {[]audit.Event{audit.Dispatched, audit.Accepted}, audit.Accepted},
		"begun":                         {[]audit.Event{audit.Dispatched, audit.Begun}, audit.Begun},
		"begun, rejected":               {[]audit.Event{audit.Begun, audit.Begun, audit.Rejected}, audit.Rejected},
		"rolled back, begun again":      {[]audit.Event{audit.Begun, audit.Accepted, audit.RolledBack, audit.Begun}, audit.RolledBack},
		"came again":                    {[]audit.Event{audit.Accepted, audit.HandedOver, audit.Duplicate}, audit.HandedOver},
		"another message with its id":   {[]audit.Event{audit.Accepted, audit.HandedOver, "other REJECTED", "other DEAD_LETTERED"}, audit.HandedOver},
		"rejected, escalated":           {[]audit.Event{audit.Rejected, audit.Escalated}, audit.Rejected},
		"rejected, corrected":           {[]audit.Event{audit.Rejected, audit.Accepted}, audit.Accepted},
		"released":                      {[]audit.Event{audit.Rejected, audit.DeadLettered, audit.Released, audit.Accepted}, audit.Accepted},
		"discarded":                     {[]audit.Event{audit.Rejected, audit.DeadLettered, audit.Discarded}, audit.Discarded},
		"failed and rolled back":        {[]audit.Event{audit.Accepted, audit.HandedOver, audit.ExecutionFailed, audit.RolledBack, audit.Escalated}, audit.RolledBack},
		"revoked":                       {[]audit.Event{audit.Dispatched, audit.Revoked}, audit.Revoked},
		"revoked too late":              {[]audit.Event{audit.Accepted, audit.HandedOver, audit.Revoked}, audit.HandedOver},
		"revoked and withdrawn":         {[]audit.Event{audit.Accepted, audit.Revoked, audit.RolledBack}, audit.RolledBack},
		"acknowledged, personal erased": {[]audit.Event{audit.Accepted, audit.Completed, audit.Acknowledged, audit.Erased}, audit.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			l := audittest.New(t)
			for _, e := range tt.events {
				r := audit.Record{Event: e, HandoffID: "h", TaskID: "t", MessageDigest: digest}
				if len(e) > 6 && e[:6] == "other " {
					r.Event, r.MessageDigest = e[6:], audit.Hash{2}
				}
				audittest.Add(t, l, r, nil)
			}
			view(t, l, func(r audit.Reader) error {
				task, err := trace.Read(r, "t")
				if err == nil && task.Handoffs[0].Status != tt.want {
					t.Errorf("%s, want %s", task.Handoffs[0].Status, tt.want)
				}
				return err
			})
		})
	}
}

// TestRejectedHandoff checks that a handoff that was not accepted is a child of its parent without a cost.
func TestRejectedHandoff(t *testing.T) {
	l := audittest.New(t)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "1", TaskID: "t", Sender: "a", Receiver: "b", CostSpentUSD: "1", CostRemainingUSD: "2"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, HandoffID: "2", ParentHandoffID: "1", TaskID: "t", Sender: "b", CostSpentUSD: "2", CostRemainingUSD: "1"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "3", ParentHandoffID: "1", TaskID: "t", Sender: "b", CostSpentUSD: "2.5", CostRemainingUSD: "0.5"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, TaskID: "t"}, nil)
	view(t, l, func(r audit.Reader) error {
		task, err := trace.Read(r, "t")
		if err != nil {
			return err
		}
		var got []string
		for n := range task.Nodes() {
			h := task.Of(n)
			got = append(got, fmt.Sprint(n.HandoffID, " ", h.Status, " ", n.Step.SpentUSD, " ", n.Parent != nil))
		}
		want := []string{"1 ACCEPTED 1 false", "2 REJECTED 0 true", "3 ACCEPTED 1.5 true", " REJECTED 0 false"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if task.Total.SpentUSD.String() != "2.5" {
			t.Errorf("total %s", task.Total.SpentUSD)
		}
		return nil
	})
}

func TestContent(t *testing.T) {
	l := audittest.New(t)
	for _, text := range []string{
		`{"handoffId":"1","taskId":"t","completedSubtasks":[{"subtaskId":"s1","result":1}],"remainingSubtasks":[{"subtaskId":"s2","description":"second"}]}`,
		`{"handoffId":"2","taskId":"t","parentHandoffId":"1","taskDescription":"d","completedSubtasks":[{"subtaskId":"s1"},{"subtaskId":"s2","description":"second","result":{"a": 2}}],"remainingSubtasks":[],"currentState":{"x":[1,2]}}`,
	} {
		audittest.Add(t, l, audit.Record{Event: audit.Accepted}, []byte(text))
	}
	view(t, l, func(r audit.Reader) error {
		task, err := trace.Read(r, "t")
		if err != nil {
			return err
		}
		c, err := task.Content(r, task.Handoffs[1])
		if err != nil {
			return err
		}
		want := &trace.Content{
			Description: "d", State: []byte(`{"x":[1,2]}`),
			Concluded: []trace.Subtask{{ID: "s2", Description: "second", Result: []byte(`{"a": 2}`)}},
			Completed: []trace.Subtask{{ID: "s1"}, {ID: "s2", Description: "second", Result: []byte(`{"a": 2}`)}},
		}
		if diff := cmp.Diff(want, c); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

// messages returns the messages in the JSON files of a folder.
func messages(t *testing.T, dir string) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no messages: %v", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := jsonstream.NewSplitter(bytes.NewReader(text), jsonstream.Limits{})
		for {
			raw, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, bytes.Clone(raw.Bytes))
		}
	}
	return all
}

// TestCopies checks that each copy of a handoff to several receivers has its own status, and that the tree has
// the handoff once (section 14.2).
func TestCopies(t *testing.T) {
	l := audittest.New(t)
	for _, r := range []audit.Record{
		{Event: audit.Accepted, Receiver: "a"}, {Event: audit.Accepted, Receiver: "b"}, {Event: audit.HandedOver, Receiver: "a"}, {Event: audit.HandedOver, Receiver: "b"},
		{Event: audit.Rejected, Receiver: "c"}, {Event: audit.Completed, Receiver: "b"}, {Event: audit.ExecutionFailed, Receiver: "a"},
	} {
		r.HandoffID, r.TaskID, r.CostSpentUSD, r.CostRemainingUSD = "h", "t", "0.5", "1"
		audittest.Add(t, l, r, nil)
	}
	view(t, l, func(r audit.Reader) error {
		task, err := trace.Read(r, "t")
		if err != nil {
			return err
		}
		want := []trace.Copy{{Receiver: "a", Status: audit.ExecutionFailed}, {Receiver: "b", Status: audit.Completed}, {Receiver: "c", Status: audit.Rejected}}
		if h := task.Handoffs[0]; len(task.Handoffs) != 1 || h.Status != audit.Completed || !slices.Equal(h.Copies, want) || task.Total.SpentUSD.String() != "0.5" {
			t.Errorf("%s %+v, cost %s", h.Status, h.Copies, task.Total.SpentUSD)
		}
		return nil
	})
}
