package transporttest

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eaapl/handoff/relay/transport"
)

// A Proxy forwards connections to a server, and cuts them on request.
type Proxy struct {
	address, server string

	mu       sync.Mutex
	listener net.Listener // nil while it is down
	open     map[net.Conn]bool
	running  sync.WaitGroup
}

// NewProxy starts a proxy for a server at host:port. It is closed when the test ends.
func NewProxy(t *testing.T, server string) *Proxy {
	t.Helper()
	p := &Proxy{address: "127.0.0.1:0", server: server, open: map[net.Conn]bool{}}
	p.Up(t)
	t.Cleanup(func() {
		p.Down()
		p.running.Wait()
	})
	return p
}

// Address returns the host:port of the proxy.
func (p *Proxy) Address() string { return p.address }

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// Down ends all connections, and rejects new ones until Up is called.
func (p *Proxy) Down() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
	}
	p.listener = nil
	p.mu.Unlock()
	p.Cut()
}

// Up accepts connections again, at the same address.
func (p *Proxy) Up(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = listener, listener.Addr().String()
	p.running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.pass(c, listener) })
		}
	})
}

func (p *Proxy) pass(client net.Conn, of net.Listener) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	if p.listener != of {
		p.mu.Unlock()
		return
	}
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	p.running.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	_, _ = io.Copy(client, server)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, client)
	delete(p.open, server)
}

// Cuts tests that a publisher and a consumer survive lost connections, and that all messages arrive.
// The place is reached through the proxy.
func Cuts(t *testing.T, proxy *Proxy, p Place) {
	const messages, publishers, every = 400, 4, 50
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	publisher, consumer := p.Publisher(t), p.Consumer(t)
	var sending sync.WaitGroup
	var sent atomic.Int64
	for i := range publishers {
		sending.Go(func() {
			for j := range messages / publishers {
				if _, err := publisher.Publish(ctx, numbered(i*messages/publishers+j)); err != nil {
					t.Error(err)
					return
				}
				if sent.Add(1)%every == 0 {
					proxy.Cut()
				}
			}
		})
	}
	got := map[string]bool{}
	for len(got) < messages {
		d, err := consumer.Next(ctx)
		if err != nil {
			t.Fatalf("%d of %d messages came: %v", len(got), messages, err)
		}
		_ = d.Ack(ctx) // a lost acknowledgement is one of the tested cases; the message is then redelivered
		if body := string(d.Message().Body); !got[body] {
			got[body] = true
			if len(got)%every == every/2 {
				proxy.Cut()
			}
		}
	}
	sending.Wait()

	proxy.Down() // about the time that a server takes to start
	result := make(chan error)
	go func() {
		_, err := publisher.Publish(ctx, transport.Message{ID: "while it was away", Body: []byte("x")})
		result <- err
	}()
	proxy.Up(t)
	if err := <-result; err != nil {
		t.Error(err)
	}
	for {
		d, err := consumer.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = d.Ack(ctx)
		if string(d.Message().Body) == "x" {
			break
		}
	}
	closing(t, consumer)
	closing(t, publisher)
}
