package broker_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

func TestRetry(t *testing.T) {
	away, denied := errors.New("away"), &transport.PermanentError{Err: errors.New("denied")}
	tries := func(errs ...error) func() error {
		return func() error {
			err := errs[0]
			errs = errs[1:]
			return err
		}
	}
	if err := broker.Retry(t.Context(), "h:1", tries(away, away, nil)); err != nil {
		t.Errorf("the third try should do: %v", err)
	}
	err := broker.Retry(t.Context(), "h:1", tries(denied))
	if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || err.Error() != "h:1: denied" {
		t.Errorf("denied at once: %v", err)
	}
	err = broker.Retry(t.Context(), "h:1", tries(away, denied))
	if e := (*transport.PermanentError)(nil); errors.As(err, &e) || err.Error() != "h:1: denied" {
		t.Errorf("denied after a try whose effect is not known: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = broker.Retry(ctx, "h:1", func() error { cancel(); return away })
	if !errors.Is(err, context.Canceled) || !errors.Is(err, away) || err.Error() != "h:1: away" {
		t.Errorf("the end of the context: %v", err)
	}
	late, end := context.WithTimeout(t.Context(), 0)
	defer end()
	if err := broker.Retry(late, "h:1", late.Err); !errors.Is(err, context.DeadlineExceeded) || err.Error() != "h:1: no answer in time" {
		t.Errorf("no answer: %v", err)
	}
	if err := broker.Retry(ctx, "h:1", ctx.Err); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v", err)
	}
}

func TestOnlyParameters(t *testing.T) {
	for address, want := range map[string]string{
		"x://user:secret@h/q?a=1":      "",
		"x://user:secret@h/q?b=1":      `x://h/q: unknown parameter "b"`,
		"x:///q":                       "x:///q: the address has no host",
		"x://h/q#f":                    "x://h/q: write a # in the address as %23",
		"x://:secret@h/q?b=1&a=secret": `unknown parameter "b"`,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		err = broker.OnlyParameters(u, "a")
		if err == nil && want != "" || err != nil && strings.Contains(err.Error(), "secret") || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

// TestRetryUntilDeadline checks that the error is not the interruption of the last try by the deadline.
func TestRetryUntilDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &timed{Context: ctx, deadline: time.Now().Add(time.Hour)}
	away := errors.New("away")
	err := broker.Retry(c, "h:1", func() error {
		if away != nil {
			err := away
			away = nil
			return err
		}
		c.deadline = time.Now() // its timer has not expired yet
		time.AfterFunc(20*time.Millisecond, cancel)
		return os.ErrDeadlineExceeded
	})
	if err == nil || err.Error() != "h:1: away" {
		t.Errorf("got %v", err)
	}
}

// timed is a context that ends after its deadline.
type timed struct {
	context.Context
	deadline time.Time
}

func (t *timed) Deadline() (time.Time, bool) { return t.deadline, true }
