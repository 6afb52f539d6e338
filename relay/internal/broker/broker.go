// Package broker has the common parts of transports that use a message broker: parsing of addresses, retries,
// and held deliveries.
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
	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/transport"
)

// HostPort returns the host and the port of an address, with a default port.
func HostPort(u *url.URL, port string) string {
	if u.Port() != "" {
		port = u.Port()
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// OnlyParameters returns an error if an address has no host, or unknown parameters.
func OnlyParameters(u *url.URL, known ...string) error {
	if u.Hostname() == "" {
		return fmt.Errorf("%s: the address has no host", transport.Shown(u))
	}
	for name := range u.Query() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: unknown parameter %q", transport.Shown(u), name)
		}
	}
	if u.Fragment != "" {
		return fmt.Errorf("%s: write a # in the address as %%23", transport.Shown(u))
	}
	return nil
}

// ReasonHeader is the header of a dead letter with its reason.
const ReasonHeader = "Handoff-Reason"

// HeaderValue returns a text as a header value: printable ASCII, the rest percent-encoded.
func HeaderValue(text string) string {
	for _, h := range (&transport.Message{ID: text}).Headers() {
		return h.Value
	}
	return ""
}

// Reason returns the reason of a dead letter as the value of [ReasonHeader].
func Reason(reason string) string { return HeaderValue(transport.OneLine(reason)) }

// NameError returns the error for an invalid name of a sender.
func NameError(name string) error {
	if transport.IsName(name) {
		return nil
	}
	return fmt.Errorf("%q cannot be the name of a sender: use 1 to 64 of a-z, 0-9 and -", name)
}

// The minimum and maximum pauses between two tries. They double from the first to the longest, and are
// randomly shortened by up to a half.
const (
	FirstWait   = 50 * time.Millisecond
	LongestWait = 5 * time.Second
)

// Wait returns the pause after a number of failed tries.
func Wait(failed int) time.Duration {
	wait := LongestWait
	if failed < 8 {
		wait = min(wait, FirstWait<<max(failed-1, 0))
	}
	return polling.Spread(wait)
}

// Pause pauses after a number of failed tries. It returns false when ctx is done.
func Pause(ctx context.Context, failed int) bool {
	return polling.Sleep(ctx, Wait(failed))
}

// Retry calls try until it succeeds, with pauses. It returns at once with an error that is a
// [*transport.TooLargeError] or a [*transport.PermanentError], to which it adds the address, or that reports
// an untrusted certificate of the server. When ctx is done, its error wraps the error of ctx, with the
// address and the last error before the deadline. A permanent error after tries that failed for other
// reasons is not final, since the effect of those tries is unknown.
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

// over reports whether a context is done, or about to be: a connection ends at its deadline by itself, with
// an error that it got no answer.
func over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// At returns an error in plain words, preceded by the address.
func At(address string, err error) error {
	err = neterror.Plain(err)
	if strings.HasPrefix(err.Error(), address+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", address, err)
}

// An endedError has the error of the last try before the end of a context.
type endedError struct{ last, end error }

func (e *endedError) Error() string   { return e.last.Error() }
func (e *endedError) Unwrap() []error { return []error{e.last, e.end} }
