package guard

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// connections are the connections of a server, at most max. A new one takes the place of another one that
// has no request in work; if there is none, it waits.
type connections struct {
	net.Listener
	max int

	mu      sync.Mutex
	changed *sync.Cond // a connection has closed, or has no request in work any more
	open    map[*connection]bool
	closed  bool
}

func newConnections(l net.Listener, most int) *connections {
	s := &connections{Listener: l, max: most, open: map[*connection]bool{}}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *connections) Accept() (net.Conn, error) {
	accepted, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted, of: s, peer: peerOf(accepted.RemoteAddr()), since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.open) >= s.max && !s.closed {
		if victim := s.victim(); victim != nil {
			delete(s.open, victim)
			_ = victim.Conn.Close() // its server sees that, and ends it
		} else {
			s.changed.Wait()
		}
	}
	if s.closed {
		_ = accepted.Close()
		return nil, net.ErrClosed
	}
	s.open[c] = true
	return c, nil
}

func (s *connections) Close() error {
	s.mu.Lock()
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
	return s.Listener.Close()
}

// victim returns the connection that goes first, nil if all have a request in work: by its state, then of
// the peer that has most, then the one that waits longest.
func (s *connections) victim() (first *connection) {
	of := map[string]int{}
	for c := range s.open {
		of[c.peer]++
	}
	for c := range s.open {
		switch state := c.state(); {
		case state == working:
		case first == nil || state < first.state():
			first = c
		case state > first.state() || of[c.peer] < of[first.peer]:
		case of[c.peer] > of[first.peer] || c.since.Before(first.since):
			first = c
		}
	}
	return first
}

// peerOf returns the address that one peer has: all of a network of IPv6 are one.
func peerOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := at.Addr().Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := at.Addr().Prefix(64)
	if err != nil {
		return a.String()
	}
	return network.String()
}

// A state of a connection. The lower it is, the sooner the connection makes room for another one.
type state int

const (
	idle    state = iota // its requests are answered, or one was refused
	silent               // no request has come
	sending              // the bodies of its requests have not come
	working
)

// A connection is one of a server.
type connection struct {
	net.Conn
	of   *connections
	peer string

	// of.mu guards the rest.
	since    time.Time // when its state began
	answered bool      // a request
	refused  bool      // a request
	requests int       // that are not answered
	bodies   int       // of these, those that have not come
}

func (c *connection) state() state {
	switch {
	case c.refused:
		return idle
	case c.requests > c.bodies:
		return working
	case c.requests > 0:
		return sending
	case c.answered:
		return idle
	default:
		return silent
	}
}

// count counts requests and bodies that have not come.
func (c *connection) count(requests, bodies int) {
	c.change(func() {
		c.requests += requests
		c.bodies += bodies
		c.answered = c.answered || requests < 0
	})
}

// refuse says that a request was refused, and that its sender may go first.
func (c *connection) refuse() { c.change(func() { c.refused = true }) }

// change changes what the state is made of.
func (c *connection) change(by func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	before := c.state()
	by()
	if c.state() != before {
		c.since = time.Now()
		c.of.changed.Broadcast()
	}
}

func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.changed.Broadcast()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite says that nothing more is written: who still sends can read the answer.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connectionKey struct{}

// withConnection is the context of the requests of a connection.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}
