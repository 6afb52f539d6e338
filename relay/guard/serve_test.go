package guard_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/guard"
)

// served serves a handler until stop is called, which returns the result.
func served(t *testing.T, h http.HandlerFunc, c *tls.Config) (address string, stop func() error) {
	t.Helper()
	return servedWith(t, h, guard.ServerOptions{TLS: c})
}

func servedWith(t *testing.T, h http.HandlerFunc, o guard.ServerOptions) (address string, stop func() error) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- guard.Serve(ctx, l, h, o) }()
	return l.Addr().String(), func() error { cancel(); return <-done }
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func nothing(http.ResponseWriter, *http.Request) {}

// TestEnd checks that stopping the server ends running requests without an error.
func TestEnd(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	address, stop := served(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		ended <- r.Context().Err()
	}, nil)
	fmt.Fprint(dial(t, address), "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	<-begun
	before := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	if took := time.Since(before); took > 4*time.Second {
		t.Errorf("it took %s to end", took)
	}
}

// TestLongHeader checks that a header that is too long is not read to its end.
func TestLongHeader(t *testing.T) {
	address, stop := served(t, nothing, nil)
	c := dial(t, address)
	go fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: %s\r\n\r\n", strings.Repeat("a=b; ", 100_000))
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%v, %v", r, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestSlowHeader checks that a client that sends a header byte by byte is disconnected.
func TestSlowHeader(t *testing.T) {
	const timeout = 500 * time.Millisecond
	defer guard.SetHeaderTimeout(timeout)()
	address, stop := served(t, nothing, nil)
	c := dial(t, address)
	go func() {
		for _, b := range []byte("GET / HTTP/1.1\r\nX-Slow: " + strings.Repeat("a", 200)) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(timeout / 20)
		}
	}()
	begun := time.Now()
	_, _ = io.Copy(io.Discard, c) // until it is closed, or is answered and then closed
	if took := time.Since(begun); took < timeout*8/10 || took > 25*time.Second {
		t.Errorf("it was waited for %s", took)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestTLS checks that a server with a certificate accepts only TLS.
func TestTLS(t *testing.T) {
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS()
	defer other.Close()
	address, stop := served(t, nothing, &tls.Config{Certificates: other.TLS.Certificates})
	for scheme, want := range map[string]int{"https": http.StatusOK, "http": http.StatusBadRequest} {
		r, err := other.Client().Get(scheme + "://" + address)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: status %d", scheme, r.StatusCode)
		}
	}
	other.Client().CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
