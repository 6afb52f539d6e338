package http_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// patience is the maximum wait for an expected event.
const patience = time.Minute

// certificate returns a certificate for 127.0.0.1, and a pool that trusts it.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots}
}

// TestProtocols checks HTTP/1.1 and HTTP/2, with TLS and without.
func TestProtocols(t *testing.T) {
	server, client := certificate(t)
	for _, tt := range []struct {
		name      string
		tls       *tls.Config
		protocols func(*nethttp.Protocols)
		want      int
	}{
		{"HTTP/1.1", nil, func(p *nethttp.Protocols) { p.SetHTTP1(true) }, 1},
		{"HTTP/2", nil, func(p *nethttp.Protocols) { p.SetUnencryptedHTTP2(true) }, 2},
		{"HTTP/1.1 with TLS", server, func(p *nethttp.Protocols) { p.SetHTTP1(true) }, 1},
		{"HTTP/2 with TLS", server, func(p *nethttp.Protocols) { p.SetHTTP2(true) }, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, u := serve(t, http.ServeOptions{TLS: tt.tls})
			worker(t, s)
			protocols := new(nethttp.Protocols)
			tt.protocols(protocols)
			c := nethttp.Client{Transport: &nethttp.Transport{Protocols: protocols, TLSClientConfig: client.Clone()}}
			defer c.CloseIdleConnections()
			for range 3 {
				r, err := c.Post(u.String(), "application/json", strings.NewReader("conflict"))
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || r.ProtoMajor != tt.want || r.StatusCode != 409 || string(body) != `{"status":"x"}` {
					t.Errorf("error %v, %s, %d, %s", err, r.Proto, r.StatusCode, body)
				}
			}
			p, err := http.Post(u, http.PostOptions{TLS: client})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if r, err := p.Publish(t.Context(), transport.Message{Body: []byte("taken")}); err != nil || r.Answer == nil {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		_, u := serve(t, http.ServeOptions{TLS: server})
		_, err := publishTo(t, u.String(), http.PostOptions{})
		if err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("got %v", err)
		}
	})
}

// TestPublisherHTTP2 checks that, with TLS, many messages share a connection.
func TestPublisherHTTP2(t *testing.T) {
	server, client := certificate(t)
	connections := new(atomic.Int64)
	server.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		connections.Add(1)
		return nil, nil
	}
	s, u := serve(t, http.ServeOptions{TLS: server})
	worker(t, s)
	p, err := http.Post(u, http.PostOptions{TLS: client})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	publish := func() {
		if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("ack")}); err != nil {
			t.Error(err)
		}
	}
	publish()
	var all sync.WaitGroup
	for range 100 {
		all.Go(publish)
	}
	all.Wait()
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestManyAtOnce(t *testing.T) {
	const posts = 1000
	s, u := serve(t, http.ServeOptions{Options: transport.Options{Prefetch: posts}})
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var sending sync.WaitGroup
	for i := range posts {
		sending.Go(func() {
			body := fmt.Appendf(nil, "%d", i)
			r, err := p.Publish(t.Context(), transport.Message{Body: body})
			if a := r.Answer; err != nil || a == nil || string(a.Body) != "to "+string(body) {
				t.Errorf("%s: %v, %v", body, a, err)
			}
		})
	}
	var held []transport.Delivery
	for range posts { // all are held at the same time
		d, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, d)
	}
	rand.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for _, d := range held {
		a := transport.Message{Outcome: transport.Taken, Body: append([]byte("to "), d.Message().Body...)}
		if err := errors.Join(d.Answer(t.Context(), a), d.Ack(t.Context())); err != nil {
			t.Error(err)
		}
	}
	sending.Wait()
}

// raw sends a text that clients would not send, and returns the first line of the response.
func raw(t *testing.T, u *url.URL, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, sent); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Errorf("%.60q: %v", sent, err)
	}
	return strings.TrimSpace(line)
}

// busy is the response while the previous message is in work, and for a moment after its answer.
const busy = "HTTP/1.1 429 Too Many Requests"

// TestHostileRequests checks that the server answers, and continues.
func TestHostileRequests(t *testing.T) {
	s, u := serve(t, http.ServeOptions{ReadTimeout: 200 * time.Millisecond, Options: transport.Options{MaxBytes: 1000, Prefetch: 1}})
	worker(t, s)
	const start = "POST /handoffs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	for _, tt := range []struct{ name, sent, want string }{
		{"a body that does not come", start + "Content-Length: 10\r\n\r\nabc", "HTTP/1.1 408 Request Timeout"},
		{"chunks that do not come", start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "HTTP/1.1 408 Request Timeout"},
		{"chunks that are none", start + "Transfer-Encoding: chunked\r\n\r\nhello\r\n", "HTTP/1.1 400 Bad Request"},
		{"too large, before it is sent", start + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 413 Request Entity Too Large"},
		{"hugely too large", start + "Content-Length: 9223372036854775807\r\n\r\n", "HTTP/1.1 413 Request Entity Too Large"},
		{"no number", start + "Content-Length: 10, 11\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"waited for", start + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 100 Continue"},
		{"much in headers", start + "Idempotency-Key: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large"},
		{"a header in a header", start + "Idempotency-Key: a\rb\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"no HTTP", "SSH-2.0-OpenSSH_10.0p2 Debian-7\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"another path", "POST /handoffs/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"above", "POST /handoffs/../healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 404 Not Found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := raw(t, u, tt.sent)
			for deadline := time.Now().Add(patience); got == busy && time.Now().Before(deadline); {
				got = raw(t, u, tt.sent)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			afterwards(t, u)
		})
	}
}

// afterwards posts until the message is accepted: an interrupted message is in work until the server detects
// it.
func afterwards(t *testing.T, u *url.URL) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, err := http.Publish(ctx, u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for {
		_, err := p.Publish(ctx, transport.Message{Body: []byte("ack")})
		if err == nil {
			return
		}
		if e := (*http.BusyError)(nil); !errors.As(err, &e) {
			t.Fatal(err)
		}
	}
}

// TestHostileHeaders checks that headers from an unknown sender are limited to valid values.
func TestHostileHeaders(t *testing.T) {
	s, u := serve(t, http.ServeOptions{})
	got := make(chan string)
	go func() {
		got <- raw(t, u, "POST /handoffs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1\r\nIdempotency-Key: a%0d%0aX: y\r\nIdempotency-Key: b\r\n"+
			"Handoff-Reply-To: ../../x\r\nHandoff-Attempt: -1\r\nHandoff-Claim: x\r\nHandoff-Dispatched-At: now\r\nHandoff-Group: %zz\r\nHandoff-Message-Id: "+strings.Repeat("x", 1025)+"\r\n\r\nx")
	}()
	d, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := d.Message()
	if want := (transport.Message{Key: "a\r\nX: y"}); fmt.Sprintf("%+v", m) != strings.Replace(fmt.Sprintf("%+v", want), "Body:[]", "Body:[120]", 1) {
		t.Errorf("got %+v", m)
	}
	if err := errors.Join(d.Answer(t.Context(), transport.Message{Key: m.Key, Outcome: transport.Taken, Body: []byte("{}")}), d.Ack(t.Context())); err != nil {
		t.Error(err)
	}
	if line := <-got; line != "HTTP/1.1 202 Accepted" {
		t.Errorf("got %q", line)
	}
}

// TestCutConnections checks that a client that disconnects during the processing affects only its own message.
func TestCutConnections(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Options: transport.Options{Prefetch: 2}})
	for range 10 {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "POST /handoffs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\nack")
		d, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if err := errors.Join(d.Answer(t.Context(), transport.Message{Outcome: transport.Taken, Body: bytes.Repeat([]byte("x"), 1<<20)}), d.Ack(t.Context())); err != nil {
			t.Error(err)
		}
		if c, err = net.Dial("tcp", u.Host); err != nil { // cut off before the end
			t.Fatal(err)
		}
		io.WriteString(c, "POST /handoffs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\nac")
		c.Close()
	}
	worker(t, s)
	afterwards(t, u)
}

// TestStop checks that a server that stops under load answers all accepted messages, and rejects the others.
func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, err := http.Serve(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:0"}, http.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: s.Addr().String()}
	var accepted, answered sync.Map
	var working, sending sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for {
				d, err := s.Next(context.Background())
				if err != nil {
					return
				}
				body := string(d.Message().Body)
				accepted.Store(body, true)
				if err := errors.Join(d.Answer(context.Background(), transport.Message{Outcome: transport.Taken, Body: []byte("{}")}), d.Ack(context.Background())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 16 {
		sending.Go(func() {
			p, err := http.Publish(context.Background(), u, transport.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Close()
			for j := 0; ; j++ {
				if i == 0 && j == 100 {
					stop()
				}
				body := fmt.Sprint(i, " ", j)
				r, err := p.Publish(context.Background(), transport.Message{Body: []byte(body)})
				if err != nil {
					if a, refused := (*transport.PermanentError)(nil), (*transport.TooLargeError)(nil); errors.As(err, &a) || errors.As(err, &refused) {
						t.Error(err)
					}
					return
				}
				if r.Answer == nil {
					t.Errorf("%s: no answer", body)
				}
				answered.Store(body, true)
			}
		})
	}
	working.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	sending.Wait()
	n := 0
	accepted.Range(func(body, _ any) bool {
		n++
		if _, ok := answered.Load(body); !ok {
			t.Errorf("%s was accepted, and its sender does not know", body)
		}
		return true
	})
	if n < 100 {
		t.Errorf("%d messages", n)
	}
	if _, err := s.Next(t.Context()); err == nil {
		t.Error("messages come after Close")
	}
}

// TestStopWhileAnswering checks that an answer is written as a whole if the receiver stops meanwhile.
func TestStopWhileAnswering(t *testing.T) {
	s, err := http.Serve(t.Context(), &url.URL{Scheme: "http", Host: "127.0.0.1:0"}, http.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	answer := bytes.Repeat([]byte("x"), 64<<20) // more than the system buffers
	var working sync.WaitGroup
	working.Go(func() {
		d, err := s.Next(t.Context())
		if err == nil {
			err = errors.Join(d.Answer(t.Context(), transport.Message{Outcome: transport.Taken, Body: answer}), d.Ack(t.Context()))
		}
		if err != nil {
			t.Error(err)
		}
	})
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", s.Addr())
	in := bufio.NewReader(c)
	if _, err := in.Peek(1); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	time.Sleep(50 * time.Millisecond) // if Close has not begun, less is tested
	r, err := nethttp.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r.Body); err != nil || n != int64(len(answer)) {
		t.Errorf("%d bytes of %d, error %v", n, len(answer), err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	working.Wait()
}

func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	s, u := serve(t, http.ServeOptions{Token: "s3cr3t", Ask: ask, Options: transport.Options{MaxBytes: 2 << 20}})
	worker(t, s)
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(curl, append([]string{"-q", "-sS", "--noproxy", "*", "--max-time", "60", "-H", "Authorization: Bearer s3cr3t", "-w", " %{http_code}"}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}
	address := u.String()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--json", "taken", "-H", "Idempotency-Key: 1", address}, `{"status":"x"} 202`},
		{[]string{"--json", "conflict", address}, `{"status":"x"} 409`},
		{[]string{"--http2-prior-knowledge", "--json", "refused", address}, `{"status":"x"} 422`},
		{[]string{"-d", "taken", address}, `{"title":"Unsupported Media Type","status":415,"detail":"a message must have Content-Type: application/json; found application/x-www-form-urlencoded"}` + "\n 415"},
		{[]string{address + "/1"}, `{"of":"it"} 200`},
		{[]string{"-I", "-o", "/dev/null", address + "/1"}, ` 200`},
	} {
		if got := run(tt.args...); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.args, got, tt.want)
		}
	}
	large := exec.Command(curl, "-q", "-sS", "--noproxy", "*", "--max-time", "60", "-H", "Authorization: Bearer s3cr3t", "-o", "/dev/null", "-w", "%{http_code}", "-T", "-", "-X", "POST", "-H", "Content-Type: application/json", address)
	large.Stdin = bytes.NewReader(make([]byte, 3<<20))
	// The client may report that not all was read, or detect the reset of the connection before it reads the
	// answer (RFC 9112, section 9.6).
	if out, _ := large.CombinedOutput(); !strings.HasPrefix(string(out), "413") && !strings.Contains(string(out), "reset by peer") {
		t.Errorf("got %s", out)
	}
}

// BenchmarkPublish measures a posted and answered message, one at a time and many concurrently.
func BenchmarkPublish(b *testing.B) {
	s, err := http.Serve(b.Context(), &url.URL{Scheme: "http", Host: "127.0.0.1:0"}, http.ServeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	go func() {
		for {
			d, err := s.Next(context.Background())
			if err != nil {
				return
			}
			if err := errors.Join(d.Answer(context.Background(), transport.Message{Outcome: transport.Taken, Body: []byte("{}")}), d.Ack(context.Background())); err != nil {
				b.Error(err)
			}
		}
	}()
	p, err := http.Publish(b.Context(), &url.URL{Scheme: "http", Host: s.Addr().String()}, transport.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	publish := func() {
		if _, err := p.Publish(b.Context(), transport.Message{Key: "k", Body: make([]byte, 4<<10)}); err != nil {
			b.Error(err)
		}
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			publish()
		}
	})
	b.Run("many", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				publish()
			}
		})
	})
}
