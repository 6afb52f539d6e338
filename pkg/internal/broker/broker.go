// Package broker is what the transports share that go through a message broker: how its
// address is read, and how long one tries to reach it.
package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/pkg/internal/polling"
	"github.com/eaapl/handoff/pkg/transport"
)

// HostPort returns the host and the port of an address that need not name its port.
func HostPort(u *url.URL, port string) string {
	if u.Port() != "" {
		port = u.Port()
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// OnlyParameters returns an error if an address has no host, or parameters that are not among
// those known.
func OnlyParameters(u *url.URL, known ...string) error {
	if u.Hostname() == "" {
		return fmt.Errorf("%s: no host in the address", transport.Shown(u))
	}
	for name := range u.Query() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: unknown parameter %q", transport.Shown(u), name)
		}
	}
	if u.Fragment != "" {
		return fmt.Errorf("%s: a # in the address has to be written as %%23", transport.Shown(u))
	}
	return nil
}

// ReasonHeader says beside a dead letter why it is one.
const ReasonHeader = "Handoff-Reason"

// HeaderValue returns a text as the value of a header: printable ASCII, the rest
// percent-encoded.
func HeaderValue(text string) string {
	for _, h := range (&transport.Message{ID: text}).Headers() {
		return h.Value
	}
	return ""
}

// Reason returns why something is a dead letter as the value of [ReasonHeader].
func Reason(reason string) string { return HeaderValue(transport.OneLine(reason)) }

// NameError says that a sender cannot have a name.
func NameError(name string) error {
	if transport.IsName(name) {
		return nil
	}
	return fmt.Errorf("%q cannot be the name of a sender: 1 to 64 of a-z, 0-9 and -", name)
}

// The waits between two tries: from the first they double, up to the longest, and each is
// shortened by up to a half by chance.
const (
	FirstWait   = 50 * time.Millisecond
	LongestWait = 5 * time.Second
)

// Wait returns how long to wait after a number of tries that failed.
func Wait(failed int) time.Duration {
	wait := LongestWait
	if failed < 8 {
		wait = min(wait, FirstWait<<max(failed-1, 0))
	}
	return polling.Spread(wait)
}

// Pause waits after a number of tries that failed. It returns false when ctx is done.
func Pause(ctx context.Context, failed int) bool {
	return polling.Sleep(ctx, Wait(failed))
}

// Retry calls try until it succeeds, with waits between. It ends at once with an error that is
// a [*transport.TooLargeError] or a [*transport.PermanentError], which it names the address
// in, or says that the server's certificate is not trusted; and when ctx is done, with an error
// that names the address and why the last try before its deadline failed, and is that of ctx. A
// permanent error after tries that failed for other reasons is none, since what these have done
// is not known.
func Retry(ctx context.Context, address string, try func() error) error {
	var last error
	for failed := 1; ; failed++ {
		err := try()
		switch permanent := (*transport.PermanentError)(nil); {
		case err == nil:
			return nil
		case errors.As(err, new(*transport.TooLargeError)):
			return err
		case errors.As(err, new(*tls.CertificateVerificationError)):
			return &transport.PermanentError{Err: At(address, err)}
		case errors.As(err, &permanent) && last == nil:
			return &transport.PermanentError{Err: At(address, permanent.Err)}
		case errors.As(err, &permanent):
			return At(address, permanent.Err)
		case last == nil || !over(ctx):
			last = err
		}
		if !Pause(ctx, failed) {
			if errors.Is(last, context.Canceled) {
				return last
			}
			return &endedError{At(address, last), ctx.Err()}
		}
	}
}

// over reports whether a context is done, or will be at once: a connection ends at its deadline by
// itself, and says that it has got no answer.
func over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// At returns an error in plain words, with the address before it.
func At(address string, err error) error {
	err = neterror.Plain(err)
	if strings.HasPrefix(err.Error(), address+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", address, err)
}

// An endedError says why the last try failed before the end of a context.
type endedError struct{ last, end error }

func (e *endedError) Error() string   { return e.last.Error() }
func (e *endedError) Unwrap() []error { return []error{e.last, e.end} }
