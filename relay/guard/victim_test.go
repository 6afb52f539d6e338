package guard

import (
	"net"
	"testing"
	"time"
)

// TestVictim checks the order in which connections are closed for new ones: first idle ones, then silent ones,
// then slow ones; among these, one of the peer with the most connections, and the oldest.
func TestVictim(t *testing.T) {
	now := time.Now()
	s := newConnections(nil, 10)
	add := func(c *connection) *connection {
		c.of, c.since = s, now.Add(time.Duration(len(s.open))*time.Second)
		s.open[c] = true
		return c
	}
	add(&connection{peer: "a", requests: 1})
	add(&connection{peer: "a", answered: true, active: true}) // its response is not written yet
	slow := add(&connection{peer: "a", requests: 1, bodies: 1})
	alone := add(&connection{peer: "b"})
	older := add(&connection{peer: "a"})
	newer := add(&connection{peer: "a"})
	answered := add(&connection{peer: "c", answered: true})
	refused := add(&connection{peer: "c", requests: 1, active: true, refused: true})
	for i, want := range []*connection{answered, refused, older, newer, alone, slow, nil} {
		for range 50 { // maps are unordered
			if got := s.victim(); got != want {
				t.Fatalf("%d: %+v, want %+v", i, got, want)
			}
		}
		delete(s.open, want)
	}
}

// TestPeer checks that an IPv6 network is one peer, and an IPv4 address is one in any spelling.
func TestPeer(t *testing.T) {
	for a, want := range map[string]string{
		"10.1.2.3:80": "10.1.2.3", "[::ffff:10.1.2.3]:80": "10.1.2.3", "[2001:db8::1]:80": "2001:db8::/64", "[2001:db8::2]:80": "2001:db8::/64", "[fe80::1%1]:80": "fe80::/64",
	} {
		at, err := net.ResolveTCPAddr("tcp", a)
		if err != nil {
			t.Fatal(err)
		}
		if got := peerOf(at); got != want {
			t.Errorf("%s: %s, want %s", a, got, want)
		}
	}
}
