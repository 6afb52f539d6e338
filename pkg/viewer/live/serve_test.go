package live_test

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

	"github.com/eaapl/handoff/pkg/viewer/live"
)

// served serves a handler until stop is called, which returns how that ended.
func served(t *testing.T, h http.Handler, c *tls.Config) (address string, stop func() error) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- live.Serve(ctx, l, h, c, func(string) {}) }()
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

// TestEnd: the end of the server ends the queries that run, and no error.
func TestEnd(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan error, 1)
	s := newSite(t, func(o *live.Options) { o.Store = slowStore{o.Store, begun, ended} })
	address, stop := served(t, s.handler, nil)
	c := dial(t, address)
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", token)
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

// TestLongHeader: a header that is too long is not read to its end.
func TestLongHeader(t *testing.T) {
	s := newSite(t, nil)
	address, stop := served(t, s.handler, nil)
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

// TestConnections: those who only connect, or send nothing but the beginning of a header, are no more
// than some, and the others are served when they have left.
func TestConnections(t *testing.T) {
	s := newSite(t, nil)
	address, stop := served(t, s.handler, nil)
	var idle []net.Conn
	for range 256 {
		c := dial(t, address)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost:")
		idle = append(idle, c)
	}
	time.Sleep(100 * time.Millisecond) // until they are accepted
	c := dial(t, address)
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", token)
	if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("one more is served")
	}
	for _, c := range idle {
		c.Close()
	}
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", r, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestSlowHeader: who sends a header byte by byte is not waited for.
func TestSlowHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for ten seconds")
	}
	t.Parallel()
	s := newSite(t, nil)
	address, stop := served(t, s.handler, nil)
	c := dial(t, address)
	go func() {
		for _, b := range []byte("GET / HTTP/1.1\r\nX-Slow: " + strings.Repeat("a", 200)) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(300 * time.Millisecond)
		}
	}()
	begun := time.Now()
	_, _ = io.Copy(io.Discard, c) // until it is closed, or answered and closed
	if took := time.Since(begun); took < 8*time.Second || took > 25*time.Second {
		t.Errorf("it was waited for %s", took)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestTLS: with a certificate, pages are served by TLS.
func TestTLS(t *testing.T) {
	s := newSite(t, func(o *live.Options) { o.Secure = true })
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS()
	defer other.Close()
	address, stop := served(t, s.handler, &tls.Config{Certificates: other.TLS.Certificates})
	client := other.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := client.Get("https://" + address + "/?token=" + token)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if c := r.Cookies(); r.StatusCode != http.StatusSeeOther || len(c) != 1 || !c[0].Secure {
		t.Errorf("status %d, cookies %v", r.StatusCode, c)
	}
	client.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
