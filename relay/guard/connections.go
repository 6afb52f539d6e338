package guard

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// connections are the open connections of a server, at most max. A new connection replaces one without a
// request in progress, or waits if there is none.
type connections struct {
	net.Listener
	max int

	mu      sync.Mutex
	changed *sync.Cond // a connection was closed, or has no request in progress any more
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
			_ = victim.Conn.Close() // its server notices and ends it
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

// victim returns the connection to close first, nil if all have a request in progress: by state, then of the
// peer with the most connections, then the one that has waited longest.
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

// peerOf returns the key of a peer's address: all addresses of an IPv6 network are one peer.
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

// A state is the state of a connection. Connections with lower states are closed first.
type state int

const (
	idle    state = iota // its requests are answered, or one was refused
	silent               // no request yet
	sending              // the bodies of its requests are incomplete
	working
)

// A connection is one connection of a server.
type connection struct {
	net.Conn
	of   *connections
	peer string
	// refusing is set while the response to a refused request may not be written yet.
	refusing atomic.Bool

	// of.mu guards the rest.
	since    time.Time // start of its state
	answered bool      // has answered a request
	refused  bool      // has refused a request, and written since
	active   bool      // from the header of a request to the end of its response
	requests int       // requests without a response
	bodies   int       // of these, those with incomplete bodies
}

func (c *connection) state() state {
	switch {
	case c.refused:
		return idle
	case c.requests > c.bodies:
		return working
	case c.requests > 0:
		return sending
	case c.active: // net/http writes the end of a response after its handler returns
		return working
	case c.answered:
		return idle
	default:
		return silent
	}
}

// count adds to the numbers of requests and of incomplete bodies.
func (c *connection) count(requests, bodies int) {
	c.change(func() {
		c.requests += requests
		c.bodies += bodies
		c.answered = c.answered || requests < 0
	})
}

// refuse notes that a request is refused: the connection may be closed first as soon as the response is
// written.
func (c *connection) refuse() { c.refusing.Store(true) }

func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if c.refusing.Load() {
		c.change(func() { c.refused = true })
	}
	return n, err
}

// setActive notes whether a request or its response is in progress, as net/http reports it.
func (c *connection) setActive(active bool) { c.change(func() { c.active = active }) }

// change calls a function that changes the state.
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

// CloseWrite closes the writing side: a peer that still sends can read the response.
func (c *connection) CloseWrite() error {
	c.setActive(false)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connectionKey struct{}

// withConnection returns the context of a connection's requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, withoutTLS(c))
}

// setState follows the states that net/http gives a connection.
func setState(c net.Conn, s http.ConnState) {
	if c, ok := withoutTLS(c).(*connection); ok && s != http.StateNew {
		c.setActive(s == http.StateActive)
	}
}

func withoutTLS(c net.Conn) net.Conn {
	if secure, ok := c.(*tls.Conn); ok {
		return secure.NetConn()
	}
	return c
}

func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}
