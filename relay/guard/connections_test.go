package guard_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/guard"
)

// patience is the maximum wait for an expected event.
const patience = 30 * time.Second

// answerOf reads an answer with its body.
func answerOf(t *testing.T, c net.Conn) int {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	return r.StatusCode
}

// byPath reads the body, and answers with the status in the path.
func byPath(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	fmt.Sscanf(r.URL.Path, "/%d", &status)
	if status == http.StatusOK {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	w.WriteHeader(status)
}

// TestConnections checks that no number of connections excludes another one, unless all have requests in work:
// whether they were answered or rejected, or send nothing, half a header or a slow body.
func TestConnections(t *testing.T) {
	t.Cleanup(guard.SetHeaderTimeout(time.Hour))
	t.Cleanup(guard.SetGrace(time.Hour))
	const most = 16
	for name, sent := range map[string]string{
		"answered":               "GET /200 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"refused":                "GET /401 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"nothing":                "",
		"half a header":          "GET /200 HTTP/1.1\r\nHost:",
		"half a second header":   "GET /200 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /200",
		"a slow body":            "POST /200 HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"a body that never ends": "POST /200 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the server waits five seconds for a connection without a request
			address, stop := servedWith(t, byPath, guard.ServerOptions{Connections: most, ReadTimeout: time.Hour})
			var first net.Conn
			for i := range 2 * most {
				c := dial(t, address)
				if i == 0 {
					first = c
				}
				if _, err := io.WriteString(c, sent); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(sent, "GET /") && strings.Contains(sent, "\r\n\r\n") {
					answerOf(t, c)
				}
			}
			c := dial(t, address)
			fmt.Fprint(c, "GET /200 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			if status := answerOf(t, c); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
			if !strings.HasPrefix(sent, "POST") { // bodies may be read in another order
				if err := first.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, first); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("the first connection made no room: there are more than %d", most)
				}
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWorkingStays checks that a request in work is not interrupted for another one, which waits.
func TestWorkingStays(t *testing.T) {
	begun, end := make(chan string, 3), make(chan bool)
	address, stop := servedWith(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		begun <- r.URL.Path
		<-end
	}, guard.ServerOptions{Connections: 2})
	ask := func(path string) net.Conn {
		c := dial(t, address)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx", path)
		return c
	}
	first, second := ask("/first"), ask("/second")
	<-begun
	<-begun
	third := ask("/third")
	end <- true
	if path := <-begun; path != "/third" {
		t.Errorf("%s has begun", path)
	}
	end <- true
	end <- true
	for _, c := range []net.Conn{first, second, third} {
		if status := answerOf(t, c); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestRefusedIsTold checks that a connection whose request is refused is replaced only after the response is
// written.
func TestRefusedIsTold(t *testing.T) {
	refused, end := make(chan bool), make(chan bool)
	address, stop := servedWith(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		refused <- true
		<-end
	}, guard.ServerOptions{Connections: 1})
	ask := func() net.Conn {
		c := dial(t, address)
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		return c
	}
	last := ask()
	for range 20 {
		<-refused
		next := ask()
		end <- true
		if status := answerOf(t, last); status != http.StatusUnauthorized {
			t.Errorf("status %d", status)
		}
		last = next
	}
	<-refused
	end <- true
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestRefusedEnds checks that a connection ends after one of its requests was rejected, with HTTP/1.1 and
// HTTP/2.
func TestRefusedEnds(t *testing.T) {
	address, stop := served(t, byPath, nil)
	for status, ends := range map[int]bool{200: false, 404: false, 401: true, 403: true, 421: true} {
		r, err := http.Get(fmt.Sprintf("http://%s/%d", address, status))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != status || r.Close != ends {
			t.Errorf("%d: status %d, the connection ends: %t", status, r.StatusCode, r.Close)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	ended := make(chan bool, 1)
	client := http.Client{Transport: &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return watchedConn{c, ended}, err
	}}}
	r, err := client.Get("http://" + address + "/401")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the connection of HTTP/2 stays")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

type watchedConn struct {
	net.Conn
	ended chan bool
}

func (c watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		select {
		case c.ended <- true:
		default:
		}
	}
	return n, err
}

// TestSlowBody checks that a very slow body ends the connection, even if its total time limit is long.
func TestSlowBody(t *testing.T) {
	defer guard.SetGrace(100 * time.Millisecond)()
	ended := make(chan error, 1)
	address, stop := servedWith(t, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		ended <- err
	}, guard.ServerOptions{ReadTimeout: time.Hour})
	fmt.Fprint(dial(t, address), "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
	select {
	case err := <-ended:
		if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Error("it is waited for")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestConnectionsTLS checks that the limit includes connections with TLS.
func TestConnectionsTLS(t *testing.T) {
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS()
	defer other.Close()
	address, stop := servedWith(t, byPath, guard.ServerOptions{Connections: 4, TLS: &tls.Config{Certificates: other.TLS.Certificates}})
	for range 8 {
		dial(t, address)
	}
	defer other.Client().CloseIdleConnections()
	r, err := other.Client().Get("https://" + address + "/200")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
