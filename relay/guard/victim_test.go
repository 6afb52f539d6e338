package guard

import (
	"net"
	"testing"
	"time"
)

// TestVictim: the connection that makes room is one that waits for nothing, then one that sends nothing,
// then one that sends slowly; of these one of the peer that has most, and of these the oldest.
func TestVictim(t *testing.T) {
	now := time.Now()
	s := newConnections(nil, 10)
	add := func(c connection) *connection {
		c.of, c.since = s, now.Add(time.Duration(len(s.open))*time.Second)
		s.open[&c] = true
		return &c
	}
	add(connection{peer: "a", requests: 1})
	slow := add(connection{peer: "a", requests: 1, bodies: 1})
	alone := add(connection{peer: "b"})
	older := add(connection{peer: "a"})
	newer := add(connection{peer: "a"})
	answered := add(connection{peer: "c", answered: true})
	refused := add(connection{peer: "c", requests: 1, refused: true})
	for i, want := range []*connection{answered, refused, older, newer, alone, slow, nil} {
		for range 50 { // maps have no order
			if got := s.victim(); got != want {
				t.Fatalf("%d: %+v, want %+v", i, got, want)
			}
		}
		delete(s.open, want)
	}
}

// TestPeer: a network of IPv6 is one peer, and an address of IPv4 is one, however it is written.
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
