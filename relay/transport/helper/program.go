package helper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/transport"
)

// prefix is the prefix of the programs' names.
const prefix = "handoff-transport-"

// grace is the time for a program to close its places, and again to end after that.
const grace = 10 * time.Second

// A Program opens places of transports that are programs in PATH: a program's name is a fixed prefix
// and the scheme of the address. The zero value is ready to use.
type Program struct {
	// Children kills the programs when it is closed; nil relies on the end of their input.
	Children *child.Set
	// Env is the whole environment of the programs, as NAME=VALUE; nil means the environment of this
	// process, which often holds the keys to a transport.
	Env []string
	// Stderr, if set, receives every line of the programs' standard error, unescaped: it may hold
	// control characters. It is called from other goroutines.
	Stderr func(line string)
}

// Publish is [Program.Publish] of the zero Program.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	return Program{}.Publish(ctx, u, o)
}

// Consume is [Program.Consume] of the zero Program.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	return Program{}.Consume(ctx, u, o)
}

// Publish starts the program for an address, and opens the place for publishing. The publisher is a
// [transport.Asker] if the program supports it. ctx only applies to opening.
func (p Program) Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	c, hello, err := p.open(ctx, u, rolePublish, o)
	if err != nil {
		return nil, err
	}
	if hello.Ask {
		return asker{publisher{c}}, nil
	}
	return publisher{c}, nil
}

// Consume starts the program for an address, and opens the place for consuming. ctx only applies to
// opening.
func (p Program) Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	c, _, err := p.open(ctx, u, roleConsume, o)
	if err != nil {
		return nil, err
	}
	return &consumer{conn: c}, nil
}

// programName returns the name of the program for a scheme.
func programName(scheme string) (string, error) {
	if scheme == "" || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-") != "" {
		return "", fmt.Errorf("%q cannot be the name of a transport: use only a-z, 0-9, + and -", scheme)
	}
	return prefix + scheme, nil
}

// checking bounds the time of a program to check an address.
const checking = 10 * time.Second

// Check returns an error if the program for an address reports that the address can never work. It
// returns nil if the program does not support the check or cannot decide; Publish then reports the
// error.
func (p Program) Check(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, checking)
	defer cancel()
	p.Stderr = nil // it would repeat the error
	c, _, err := p.open(ctx, u, roleCheck, transport.Options{})
	if err == nil {
		_ = c.close() // nothing is open
	}
	if bad := (*addressError)(nil); errors.As(err, &bad) {
		return bad
	}
	return nil
}

func (p Program) open(ctx context.Context, u *url.URL, role string, o transport.Options) (*conn, *response, error) {
	name, err := programName(u.Scheme)
	if err == nil {
		if err = child.FindAgent(name); errors.Is(err, child.ErrNotFound) {
			err = fmt.Errorf("%s: there is no built-in transport of this name, and no program %s in PATH: install it, or correct the address", u.Scheme, name)
		}
	}
	if err != nil {
		return nil, nil, &transport.PermanentError{Err: err}
	}
	children := p.Children
	if children == nil {
		children = new(child.Set)
	}
	lifetime, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &runningProgram{name: name, kill: kill, said: func(text string) string { return neterror.PeerText(text, u) }}
	r.Process, err = children.Start(lifetime, child.Options{Args: []string{name}, Env: p.Env, Inherit: p.Env == nil, Endless: true, Stderr: func(line string) {
		r.note(line)
		if p.Stderr != nil {
			p.Stderr(line)
		}
	}})
	if err != nil {
		kill(nil)
		return nil, nil, &transport.PermanentError{Err: err}
	}
	o = o.WithDefaults()
	c := newConn(name, r, o.MaxBytes, r.said)
	hello, err := c.call(ctx, request{
		Do: doHello, Versions: []int{version}, Role: role, URL: u.String(),
		MaxBytes: o.MaxBytes, Prefetch: o.Prefetch, LeaseMillis: o.Lease.Milliseconds(), Withhold: o.Withhold,
	}, nil)
	if err == nil && hello.Version != version {
		err = &transport.PermanentError{Err: fmt.Errorf("%s uses version %d of the protocol, but this program uses version %d", name, hello.Version, version)}
	}
	if err != nil {
		r.stop(err)
		<-c.ended
		return nil, nil, err
	}
	c.acksLetters = o.Withhold && !hello.Withhold
	return c, hello, nil
}

var errHangs = fmt.Errorf("it did not end within %s of the end of its input", grace)

// runningProgram is a program and the reason of its end.
type runningProgram struct {
	*child.Process
	name string
	kill context.CancelCauseFunc
	said func(string) string

	mu   sync.Mutex
	last string // the last line of its standard error with text
}

func (r *runningProgram) note(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = line
}

// Close closes the input.
func (r *runningProgram) Close() error { return r.CloseInput() }

func (r *runningProgram) stop(reason error) { r.kill(reason) }

func (r *runningProgram) end(reason error) error {
	r.CloseInput()
	if reason != io.EOF { // it may be blocked on its output
		r.kill(reason)
	}
	hangs := time.AfterFunc(grace, func() { r.kill(errHangs) })
	how := r.Wait()
	hangs.Stop()
	r.kill(nil)
	r.mu.Lock()
	last := r.last
	r.mu.Unlock()
	if last != "" {
		last = ": " + r.said(last)
	}
	switch {
	case reason != io.EOF && !errors.Is(reason, errCut):
		return fmt.Errorf("%s violates the protocol of transports: %w%s", r.name, reason, last)
	case how == nil:
		return fmt.Errorf("%s has ended unexpectedly%s", r.name, last)
	default:
		return fmt.Errorf("%s has ended: %w%s", r.name, how, last)
	}
}
