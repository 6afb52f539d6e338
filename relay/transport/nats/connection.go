package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// A connection is a connection to a server, which the library reopens after a loss.
type connection struct {
	address   string // host:port
	conn      *nats.Conn
	jetstream jetstream.JetStream

	mu      sync.Mutex
	session context.Context // done when the connection is lost
	lost    context.CancelFunc
	there   chan struct{} // closed while connected
	denied  error         // the last permission error of the server
	ended   chan struct{} // closed when the library has given up
}

// connect retries until it is connected or ctx is done.
func connect(ctx context.Context, u *url.URL) (*connection, error) {
	c, dial := newConnection(ctx, u)
	err := broker.Retry(ctx, c.address, dial.connect)
	dial.end()
	if err != nil {
		return nil, err
	}
	c.connected()
	return c, nil
}

// newConnection returns an unconnected connection, and the function that connects it.
func newConnection(ctx context.Context, u *url.URL) (*connection, *dialer) {
	c := &connection{address: broker.HostPort(u, "4222"), there: make(chan struct{}), ended: make(chan struct{})}
	dial := &dialer{connection: c, ctx: ctx}
	dial.options = []nats.Option{
		nats.Name("handoff"), nats.Timeout(timeout), nats.SetCustomDialer(dial),
		nats.MaxReconnects(-1), nats.CustomReconnectDelay(broker.Wait),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.disconnected() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.connected() }),
		nats.ClosedHandler(func(*nats.Conn) { close(c.ended) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.failed(err) }),
	}
	if u.Scheme == "tls" {
		dial.options = append(dial.options, nats.Secure())
	}
	if user := u.User; user != nil {
		if password, ok := user.Password(); ok {
			dial.options = append(dial.options, nats.UserInfo(user.Username(), password))
		} else {
			dial.options = append(dial.options, nats.Token(user.Username()))
		}
	}
	return c, dial
}

func (c *connection) close() {
	c.conn.Close()
	c.disconnected()
}

func (c *connection) connected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil || c.session.Err() != nil {
		c.session, c.lost = context.WithCancel(context.Background())
		close(c.there)
	}
}

func (c *connection) disconnected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil && c.session.Err() == nil {
		c.lost()
		c.there = make(chan struct{})
	}
}

func (c *connection) failed(err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.denied = err
	}
}

// wait waits for a connection, and returns a context that is done when it is lost.
func (c *connection) wait(ctx context.Context) (session context.Context, err error) {
	for {
		c.mu.Lock()
		session, there := c.session, c.there
		c.mu.Unlock()
		if session != nil && session.Err() == nil {
			return session, nil
		}
		select {
		case <-there:
		case <-ctx.Done():
			return nil, errLost
		case <-c.ended:
			return nil, &transport.PermanentError{Err: fmt.Errorf("the connection has ended: %w", orClosed(c.conn.LastError()))}
		}
	}
}

var errLost = errors.New("the connection to the server is lost")

func orClosed(err error) error {
	if err == nil {
		return nats.ErrConnectionClosed
	}
	return err
}

// try calls f once connected, with a context that is done when the connection is lost or the server
// does not answer in time.
func (c *connection) try(ctx context.Context, f func(context.Context) error) error {
	session, err := c.wait(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(session, cancel)()
	err = f(ctx)
	if err != nil && session.Err() != nil && errors.Is(err, context.Canceled) {
		return errLost
	}
	return err
}

// explain returns a readable form of an error of the library, as permanent if a retry would not
// help.
func (c *connection) explain(err error) error {
	c.mu.Lock()
	denied := c.denied
	c.mu.Unlock()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return &transport.PermanentError{Err: errors.New("the server rejects this user or its password")}
	case errors.Is(err, nats.ErrSecureConnRequired):
		return &transport.PermanentError{Err: errors.New("the server requires TLS: write the address with tls://")}
	case errors.Is(err, nats.ErrSecureConnWanted):
		return &transport.PermanentError{Err: errors.New("the server does not use TLS: write the address with nats://")}
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return &transport.PermanentError{Err: errors.New("the server does not store messages: enable JetStream there for this user (nats-server -js)")}
	case errors.Is(err, context.DeadlineExceeded) && denied != nil: // the server answers in no other way
		return &transport.PermanentError{Err: denied}
	}
	return err
}

// A dialer records the error of the last attempt to connect, which the library does not report, and
// respects a context until the first connection.
type dialer struct {
	connection *connection // the one being opened
	options    []nats.Option

	mu  sync.Mutex
	ctx context.Context
	err error
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	d.mu.Lock()
	ctx := d.ctx
	d.mu.Unlock()
	conn, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, network, address)
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.err = err
	}
	return conn, err
}

// connect tries once to connect.
func (d *dialer) connect() (err error) {
	c := d.connection
	d.begin()
	c.conn, err = nats.Connect("nats://"+c.address, d.options...)
	if err != nil {
		if errors.Is(err, nats.ErrNoServers) {
			err = d.cause(err)
		}
		return c.explain(err)
	}
	c.jetstream, err = jetstream.New(c.conn)
	return err
}

// begin resets the last error.
func (d *dialer) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = nil
}

// end drops the context, before the library reconnects by itself.
func (d *dialer) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ctx = context.Background()
}

// cause returns the error of the last attempt, or err if there is none.
func (d *dialer) cause(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	return err
}
