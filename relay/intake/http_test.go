package intake_test

import (
	"bytes"
	"context"
	nethttp "net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// TestLocation checks that the response to a posted message has the address of its answer, even if the message
// has no key, unless its id cannot be a key.
func TestLocation(t *testing.T) {
	b := newBench(t)
	served := make(chan string, 1)
	ask := func(context.Context, string) (*transport.Message, error) { return nil, nil }
	at := &url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/handoffs"}
	b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
		s, err := http.Serve(ctx, at, http.ServeOptions{Ask: ask})
		if err != nil {
			return nil, err
		}
		served <- "http://" + s.Addr().String() + at.Path
		return s, nil
	}
	b.options.IdleTimeout = 0
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.run(ctx) }()
	address := <-served
	id := "6e7f936b-cafd-4624-8754-000000000001"
	for _, tt := range []struct {
		name, key string
		body      []byte
		status    int
		want      string
	}{
		{"without a key", "", message(1), 202, "/handoffs/" + id},
		{"again", "", message(1), 202, "/handoffs/" + id},
		{"with a key", "k", message(1), 202, "/handoffs/k"},
		{"without an id", "", []byte("{}"), 422, ""},
		{"with a long id", "", []byte(`{"handoffId":"` + strings.Repeat("a", 64<<10) + `"}`), 422, ""},
	} {
		request, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, address, bytes.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if tt.key != "" {
			request.Header.Set("Idempotency-Key", tt.key)
		}
		response, err := nethttp.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		response.Body.Close()
		if got := response.Header.Get("Location"); got != tt.want || response.StatusCode != tt.status {
			t.Errorf("%s: %s, Location %q, want %d and %q", tt.name, response.Status, got, tt.status, tt.want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
