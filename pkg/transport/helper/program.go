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

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/transport"
)

// prefix is how the names of the programs begin.
const prefix = "handoff-transport-"

// grace is how long a program may take to close what it has open, and to end after that.
const grace = 10 * time.Second

// A Program opens places of transports that are programs on the PATH: the scheme of an address
// is the end of the name. The zero value is ready.
type Program struct {
	// Children ends the programs with the process; nil leaves it to the end of their input.
	Children *child.Set
	// Env is the whole environment of the programs, as NAME=VALUE; nil means that of this
	// process: keys to a transport are often there.
	Env []string
	// Stderr, if set, gets every line that the programs write to standard error, as they are:
	// they may hold control characters. It is called from other goroutines.
	Stderr func(line string)
}

// Publish opens a place for publishing, as the zero [Program] does.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	return Program{}.Publish(ctx, u, o)
}

// Consume opens a place for consuming, as the zero [Program] does.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	return Program{}.Consume(ctx, u, o)
}

// Publish starts the program of an address, and opens the place for publishing. The publisher
// is a [transport.Asker] if the program's is. ctx is for opening alone.
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

// Consume starts the program of an address, and opens the place for consuming. ctx is for
// opening alone.
func (p Program) Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	c, _, err := p.open(ctx, u, roleConsume, o)
	if err != nil {
		return nil, err
	}
	return &consumer{conn: c}, nil
}

// programName returns the name of the program for a scheme, which becomes part of it.
func programName(scheme string) (string, error) {
	if scheme == "" || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-") != "" {
		return "", fmt.Errorf("%q cannot be the name of a transport, which has the characters a-z, 0-9, + and - only", scheme)
	}
	return prefix + scheme, nil
}

// checking is how long a program may take to look at an address.
const checking = 10 * time.Second

// Check returns an error if the program of an address says that it can never work. One that does not
// know that question, or cannot say, is asked again by Publish.
func (p Program) Check(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, checking)
	defer cancel()
	p.Stderr = nil // it says the same again
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
			err = fmt.Errorf("%s: no such transport is built in, and no program %s is in PATH: install one, or correct the address", u.Scheme, name)
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
	r := &running{name: name, kill: kill, said: func(text string) string { return neterror.Said(text, u) }}
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
		err = &transport.PermanentError{Err: fmt.Errorf("%s speaks version %d of the protocol, and this program version %d", name, hello.Version, version)}
	}
	if err != nil {
		r.stop(err)
		<-c.ended
		return nil, nil, err
	}
	c.acksLetters = o.Withhold && !hello.Withhold
	return c, hello, nil
}

var errHangs = fmt.Errorf("it had not ended %s after the end of its input", grace)

// running is a program with what is known of its end.
type running struct {
	*child.Process
	name string
	kill context.CancelCauseFunc
	said func(string) string

	mu   sync.Mutex
	last string // line of its standard error that says something
}

func (r *running) note(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = line
}

// Close closes the input.
func (r *running) Close() error { return r.CloseInput() }

func (r *running) stop(reason error) { r.kill(reason) }

func (r *running) end(reason error) error {
	r.CloseInput()
	if reason != io.EOF { // it may wait for somebody to read what it writes
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
		return fmt.Errorf("%s does not keep to the protocol of transports: %w%s", r.name, reason, last)
	case how == nil:
		return fmt.Errorf("%s has ended, and was not asked to%s", r.name, last)
	default:
		return fmt.Errorf("%s has ended: %w%s", r.name, how, last)
	}
}
