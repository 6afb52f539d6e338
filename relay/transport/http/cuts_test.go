package http_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// TestCuts checks that senders whose connections are cut at random retry until they have the answer to their
// own message, that nothing is lost, and that duplicates have the same key.
func TestCuts(t *testing.T) {
	const senders, messages = 8, 50
	s, u := serve(t, http.ServeOptions{})
	proxy := transporttest.NewProxy(t, u.Host)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var accepted sync.Map
	var working, sending sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for {
				d, err := s.Next(ctx)
				if err != nil {
					return
				}
				m := d.Message()
				if string(m.Body) != "body of "+m.Key {
					t.Errorf("the message %s has %q", m.Key, m.Body)
				}
				accepted.Store(m.Key, true)
				a := transport.Message{Key: m.Key, Outcome: transport.Taken, Body: []byte("answer to " + m.Key)}
				if err := errors.Join(d.Answer(t.Context(), a), d.Ack(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range senders {
		sending.Go(func() {
			p, err := http.Publish(ctx, &url.URL{Scheme: "http", Host: proxy.Address(), Path: "/handoffs"}, transport.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Close()
			for j := range messages {
				key := fmt.Sprint(i, "-", j)
				for {
					r, err := p.Publish(ctx, transport.Message{Key: key, Body: []byte("body of " + key)})
					if err == nil {
						if a := r.Answer; a == nil || string(a.Body) != "answer to "+key {
							t.Errorf("%s has the answer %v", key, a)
						}
						break
					}
					permanent := (*transport.PermanentError)(nil)
					if errors.As(err, &permanent) || ctx.Err() != nil {
						t.Errorf("%s: %v", key, err)
						return
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		sending.Wait()
		close(done)
	}()
	cuts := 0
	for cutting := true; cutting; cuts++ {
		select {
		case <-done:
			cutting = false
		case <-time.After(rand.N(5 * time.Millisecond)):
			proxy.Cut()
		}
	}
	cancel()
	working.Wait()
	n := 0
	accepted.Range(func(any, any) bool {
		n++
		return true
	})
	if n != senders*messages || cuts == 0 {
		t.Errorf("%d messages of %d, with %d cuts", n, senders*messages, cuts)
	}
	t.Logf("%d cuts", cuts)
}
