package http_test

import (
	"net/url"
	"testing"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

func TestTransport(t *testing.T) {
	transporttest.RunSynchronous(t, func(*testing.T) transporttest.Place {
		const limit = 8 << 20
		var address *url.URL
		return transporttest.Place{
			Consumer: func(t *testing.T) transport.Consumer {
				s, at := serve(t, http.ServeOptions{Options: transport.Options{MaxBytes: limit}})
				address = at
				return s
			},
			Publisher: func(t *testing.T) transport.Publisher {
				p, err := http.Publish(t.Context(), address, transport.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return p
			},
			Limit: limit,
		}
	})
}

// serve serves on any port, and returns the address for messages.
func serve(t *testing.T, o http.ServeOptions) (*http.Server, *url.URL) {
	t.Helper()
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/handoffs"}
	if o.TLS != nil {
		u.Scheme = "https"
	}
	s, err := http.Serve(t.Context(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	u.Host = s.Addr().String()
	return s, u
}
