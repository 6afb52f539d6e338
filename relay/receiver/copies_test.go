package receiver_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/cost"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/schemas"
)

// A life is a receiver process.
type life struct {
	*receiver.Receiver
	log *audit.Log
}

// born returns a receiver process with the log in a file.
func born(t *testing.T, path string, o receiver.Options) life {
	t.Helper()
	log := audittest.Open(t, path)
	r, err := receiver.New(t.Context(), validate.New(validate.Options{}), log, o)
	if err != nil {
		t.Fatal(err)
	}
	return life{r, log}
}

// die ends a process.
func (l life) die(t *testing.T) {
	t.Helper()
	if err := l.log.Store().Close(); err != nil {
		t.Fatal(err)
	}
}

// bring passes a message to the receiver; the sender waits at "answers".
func (l life) bring(t *testing.T, message []byte) receiver.Answer {
	t.Helper()
	return bring(t, l.Receiver, message, func(d *receiver.Delivery) { d.ReplyTo = "answers" })
}

func (l life) handOver(t *testing.T, a receiver.Answer, running bool) {
	t.Helper()
	if err := l.HandedOver(t.Context(), []receiver.Handover{{Accepted: a.Record, Resumed: a.Resumed, Running: running}}); err != nil {
		t.Fatal(err)
	}
}

// left returns the messages that a process takes over.
func (l life) left(t *testing.T) (list []receiver.Left) {
	t.Helper()
	err := l.Resume(t.Context(), func(left receiver.Left) error {
		list = append(list, left)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// recorded fails the test if the log is not valid, or has other events.
func (l life) recorded(t *testing.T, want ...audit.Event) {
	t.Helper()
	var got []audit.Event
	err := l.log.Store().View(t.Context(), func(r audit.Reader) error {
		for s, err := range r.Records(audit.Filter{}) {
			if err != nil {
				return err
			}
			audittest.CheckSchema(t, &s.Record)
			got = append(got, s.Event)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\nrecorded %v\nwant     %v", err, got, want)
	}
	if _, err := audit.Verify(t.Context(), l.log.Store(), audit.VerifyOptions{Found: func(p audit.Problem) error {
		t.Errorf("verify: %s", p.Message)
		return nil
	}}); err != nil {
		t.Error(err)
	}
}

// expect fails the test if an answer differs.
func expect(t *testing.T, a receiver.Answer, status receiver.Status, reason string, alerts ...audit.Event) {
	t.Helper()
	if a.Status != status || string(a.Reason) != reason || !slices.Equal(events(a), alerts) {
		t.Errorf("%s %s, alerts of %v; want %s %s, %v\n%+v", a.Status, a.Reason, events(a), status, reason, alerts, a)
	}
}

// example returns the example message with another id.
func example(t *testing.T, id string) []byte {
	t.Helper()
	message, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.Replace(string(message), "6e7f936b", id, 1))
}

// TestFanOut checks that two receivers of one message each accept a copy once, in one log, and that handovers,
// takeovers, failures and counts are separate (section 14.2). The cost of the task counts once.
func TestFanOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	scoring, legal := born(t, path, receiver.Options{As: "scoring"}), born(t, path, receiver.Options{As: "legal"})
	message := example(t, "6e7f936b")
	one, other := scoring.bring(t, message), legal.bring(t, message)
	for name, a := range map[string]receiver.Answer{"scoring": one, "legal": other} {
		expect(t, a, receiver.Accepted, "")
		if a.Receiver != name || a.Record.Receiver != name || a.Attempt != 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	expect(t, scoring.bring(t, message), receiver.Duplicate, "")
	reused := strings.Replace(string(message), "Score the", "Also score the", 1)
	expect(t, legal.bring(t, []byte(reused)), receiver.Rejected, "HANDOFF_ID_REUSED", audit.DeadLettered)
	scoring.handOver(t, one, false)
	want := []audit.Event{audit.Accepted, audit.Accepted, audit.Duplicate, audit.Rejected, audit.DeadLettered, audit.HandedOver}
	scoring.recorded(t, want...)

	// scoring does not take over legal's message.
	legal.die(t)
	if left := scoring.left(t); left != nil {
		t.Errorf("scoring has got %+v", left)
	}
	legal = born(t, path, receiver.Options{As: "legal"})
	left := legal.left(t)
	if len(left) != 1 || left[0].Answer.Receiver != "legal" || !left[0].Answer.Resumed || left[0].ReplyTo != "answers" || string(left[0].Raw) != string(message) {
		t.Fatalf("legal has got %+v", left)
	}
	legal.handOver(t, left[0].Answer, false)
	failed, err := scoring.Finished(t.Context(), one, receiver.Execution{ExitCode: 1, AtOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, failed, receiver.Rejected, "EXECUTION_FAILED", audit.RolledBack)
	expect(t, legal.bring(t, message), receiver.Duplicate, "")
	if again := scoring.bring(t, message); again.Status != receiver.Accepted || again.Attempt != 2 {
		t.Errorf("sent again: %+v", again)
	}
	want = append(want, audit.HandedOver, audit.ExecutionFailed, audit.RolledBack, audit.Duplicate, audit.Accepted)
	scoring.recorded(t, want...)

	err = legal.log.Store().View(t.Context(), func(r audit.Reader) error {
		for _, by := range cost.Groups() {
			bill, err := cost.OfAll(r, cost.Options{By: by})
			if err != nil || bill.Total.Handoffs != 1 || bill.Total.Cost.SpentUSD.String() != one.Record.CostSpentUSD {
				t.Errorf("by %s: %+v, %v", by, bill.Total, err)
			}
		}
		task, err := trace.Read(r, one.TaskID)
		if err != nil || len(task.Handoffs) != 1 || task.Messages != 1 || task.Total.SpentUSD.String() != one.Record.CostSpentUSD {
			t.Errorf("trace: %+v, %v", task, err)
		}
		accepted, err := trace.Accepted(r, one.TaskID)
		if err != nil || len(accepted) != 1 {
			t.Errorf("chain: %+v, %v", accepted, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestParentOfSeveral checks that a parent with several receivers is the same message for all of them.
func TestParentOfSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	parent := example(t, "6e7f936b")
	digests := map[string]string{}
	for name, message := range map[string][]byte{"scoring": parent, "legal": []byte(strings.Replace(string(parent), "Score the", "Check the", 1))} {
		digests[name] = born(t, path, receiver.Options{As: name}).bring(t, message).Record.MessageDigest.String()
	}
	digests["nobody"] = "sha256:" + strings.Repeat("0a", 32)
	next := born(t, path, receiver.Options{})
	for i, name := range []string{"scoring", "legal", "nobody"} {
		child := string(example(t, fmt.Sprint(7+i, "e7f936b")))
		child = strings.Replace(child, `"parentHandoffId": null`, `"parentHandoffId": "6e7f936b-cafd-4624-8754-0bafc4e8acb3"`, 1)
		child = strings.Replace(child, `"extensions": {`, `"extensions": {"parentDigest": "`+digests[name]+`",`, 1)
		a := next.bring(t, []byte(child))
		if name == "nobody" {
			expect(t, a, receiver.Rejected, "SIGNATURE_INVALID", audit.DeadLettered)
			continue
		}
		expect(t, a, receiver.Accepted, "")
	}
}
