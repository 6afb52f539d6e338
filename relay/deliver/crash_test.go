package deliver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// crashAt is the variable with the number of the step at which the test binary, running as a sender, is killed.
// crashIn is its folder, crashDoes its action.
const (
	crashAt   = "HANDOFF_TEST_CRASH_AT"
	crashIn   = "HANDOFF_TEST_CRASH_IN"
	crashDoes = "HANDOFF_TEST_CRASH_DOES"
)

func TestMain(m *testing.M) {
	if at := os.Getenv(crashAt); at != "" {
		n, err := strconv.Atoi(at)
		if err == nil {
			err = crash(n, os.Getenv(crashIn), os.Getenv(crashDoes))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	tier.CleanStart()
	os.Exit(m.Run())
}

// steps kills this process at a step. There is a step before and after each operation outside of the store, so
// that each transaction of the store is between two steps.
type steps struct {
	left atomic.Int64
}

func (s *steps) step() {
	if s.left.Add(-1) == 0 {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	}
}

type crashingLog struct {
	audit.Store
	*steps
}

func (l crashingLog) Update(ctx context.Context, f func(audit.Tx) error) error {
	l.step()
	defer l.step()
	return l.Store.Update(ctx, f)
}

type crashingPublisher struct {
	transport.Publisher
	*steps
}

func (p crashingPublisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	p.step()
	defer p.step()
	return p.Publisher.Publish(ctx, m)
}

func (p crashingPublisher) Answers(ctx context.Context, name string) (transport.Consumer, error) {
	p.step()
	c, err := p.Publisher.Answers(ctx, name)
	return crashingConsumer{c, p.steps}, err
}

type crashingConsumer struct {
	transport.Consumer
	*steps
}

func (c crashingConsumer) Next(ctx context.Context) (transport.Delivery, error) {
	d, err := c.Consumer.Next(ctx)
	if err == nil {
		c.step()
		d = crashingDelivery{d, c.steps}
	}
	return d, err
}

type crashingDelivery struct {
	transport.Delivery
	*steps
}

func (d crashingDelivery) Ack(ctx context.Context) error {
	d.step()
	defer d.step()
	return d.Delivery.Ack(ctx)
}

// withSender calls use with a sender in a folder; s kills it.
func withSender(ctx context.Context, folder string, s *steps, use func(*deliver.Store, *deliver.Sender) error) error {
	records, err := sqlstore.Open(ctx, filepath.Join(folder, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		return err
	}
	store, err := deliver.Open(ctx, filepath.Join(folder, "state.db"), deliver.Options{Create: true})
	if err != nil {
		return errors.Join(err, records.Close())
	}
	sender := deliver.NewSender(store, audit.NewLog(crashingLog{records, s}, nil), deliver.SenderOptions{
		Open: func(ctx context.Context, address string) (transport.Publisher, error) {
			s.step()
			p, err := dir.Publish(ctx, &url.URL{Scheme: "dir", Path: address}, transport.Options{})
			return crashingPublisher{p, s}, err
		},
		Transport: func(string) string { return "dir" },
	})
	err = use(store, sender)
	return errors.Join(err, sender.Close(), store.Close(), records.Close())
}

// crash performs one action as a sender, which is killed at a step.
func crash(at int, folder, does string) error {
	s := &steps{}
	s.left.Store(int64(at))
	ctx := context.Background()
	return withSender(ctx, folder, s, func(store *deliver.Store, sender *deliver.Sender) error {
		switch does {
		case "send":
			message, err := os.ReadFile(filepath.Join(folder, "m.json"))
			if err != nil {
				return err
			}
			o, err := store.Examine(jsonstream.NewRaw(message), jsonstream.Limits{})
			if err != nil {
				return err
			}
			o.Checkpoint, o.To = checkpoint, []deliver.Address{{Receiver: o.Receivers[0], Destination: filepath.Join(folder, "queue")}}
			results, err := sender.Send(ctx, []*deliver.Outgoing{o})
			if err == nil && results[0].Problem != "" {
				err = errors.New(results[0].Problem)
			}
			return err
		case "stream":
			return crashStream(ctx, folder, store, sender)
		case "flush":
			return sender.Flush(ctx, func([]*deliver.Handoff) error { return nil })
		default: // collect answers and roll back
			until, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			got, err := sender.Rollback(ctx, until, deliver.Rollback{HandoffID: exampleID, Force: does == "force"})
			if err == nil && !bytes.Equal(got, checkpoint) {
				err = fmt.Errorf("the checkpoint is %q", got)
			}
			return err
		}
	})
}

// killedAt runs a sender that is killed at a step, and reports whether it reached the step.
func killedAt(t *testing.T, at int, folder, does string) bool {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), crashAt+"="+strconv.Itoa(at), crashIn+"="+folder, crashDoes+"="+does)
	out, err := c.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.ExitCode() == -1 || err != nil && len(out) == 0:
		return true
	}
	t.Fatalf("%s: %v: %s", does, err, out)
	return false
}

// eventsIn returns the events of the log in a folder.
func eventsIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), filepath.Join(folder, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.View(t.Context(), func(r audit.Reader) error {
		records, err := audit.List(r, audit.Filter{})
		for _, s := range records {
			list = append(list, string(s.Event))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// queued returns the messages in the queue of a folder, without duplicates, and puts them back.
func queued(t *testing.T, folder string) map[string]transport.Message {
	t.Helper()
	c, err := dir.Consume(t.Context(), &url.URL{Scheme: "dir", Path: filepath.Join(folder, "queue")}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	found := map[string]transport.Message{}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		d, err := c.Next(ctx)
		cancel()
		if err != nil {
			return found
		}
		m := d.Message()
		found[strings.TrimPrefix(m.ID, m.ReplyTo+"/")] = m
	}
}

// TestKilledWhileSending checks that a sender that is killed between any two steps leaves no message without
// its checkpoint and its record, and that the next sender continues: the message is published, and has one
// record.
func TestKilledWhileSending(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"send", "flush"} {
		for at := 1; ; at += tier.Count(4, 1) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "m.json"), example(t), 0o600); err != nil {
				t.Fatal(err)
			}
			killed := killedAt(t, at, folder, "send")
			if before := queued(t, folder); len(before) > 0 && len(eventsIn(t, folder)) != 1 {
				t.Errorf("killed at step %d: %d messages in the queue, and the log has %v", at, len(before), eventsIn(t, folder))
			}
			if killedAt(t, 0, folder, next) {
				t.Fatal("killed")
			}
			if got := eventsIn(t, folder); len(got) != 1 || got[0] != "DISPATCHED" {
				t.Errorf("killed at step %d: the log has %v", at, got)
			}
			got := queued(t, folder)
			if m, ok := got[exampleID+"/risk-scoring-agent/1"]; !ok || len(got) != 1 || !bytes.Equal(m.Body, example(t)) {
				t.Errorf("killed at step %d: the queue has %d messages", at, len(got))
			}
			if !killed {
				if at < 5 {
					t.Errorf("only %d steps", at)
				}
				break
			}
		}
	}
}

// TestKilledWhileRollingBack checks that a sender that is killed while it takes an answer or rolls back loses
// neither: the next one rolls back, with one record.
func TestKilledWhileRollingBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ does, want string }{
		{"rollback", "DISPATCHED ROLLED_BACK"},
		{"force", "DISPATCHED REVOKED ROLLED_BACK"},
	} {
		for at := 1; ; at += tier.Count(4, 1) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "m.json"), example(t), 0o600); err != nil {
				t.Fatal(err)
			}
			if killedAt(t, 0, folder, "send") {
				t.Fatal("killed")
			}
			status, reason := receiver.Accepted, finding.Reason("")
			if tt.does == "rollback" {
				status, reason = receiver.Rejected, "SAFETY_VIOLATION"
			}
			reply(t, folder, answerText(exampleID, status, func(a *receiver.Answer) {
				a.Reason, a.RecordedAt = reason, audit.FormatTime(time.Now()) // the sender's processes use the real time
			}))
			killed := killedAt(t, at, folder, tt.does)
			if killedAt(t, 0, folder, tt.does) {
				t.Fatal("killed")
			}
			if got := strings.Join(eventsIn(t, folder), " "); got != tt.want {
				t.Errorf("%s, killed at step %d: the log has %s", tt.does, at, got)
			}
			if tt.does == "force" {
				if killedAt(t, 0, folder, "flush") {
					t.Fatal("killed")
				}
				if got := queued(t, folder)[exampleID+"/risk-scoring-agent/1/revoked"]; got.Kind != transport.Revocation {
					t.Errorf("killed at step %d: no revocation", at)
				}
			}
			if !killed {
				if at < 8 {
					t.Errorf("only %d steps", at)
				}
				break
			}
		}
	}
}

// reply answers the message in the queue of a folder, and leaves the message there.
func reply(t *testing.T, folder string, text []byte) {
	t.Helper()
	c, err := dir.Consume(t.Context(), &url.URL{Scheme: "dir", Path: filepath.Join(folder, "queue")}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Answer(ctx, transport.Message{ID: "a", Kind: transport.Answer, Key: exampleID, Body: text}); err != nil {
		t.Fatal(err)
	}
}
