package http_test

import (
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// TestSite checks that a receiver without a token accepts messages only under its own names, so that pages of
// other sites cannot post messages (DNS rebinding), and from browsers only with an allowed origin.
func TestSite(t *testing.T) {
	local := map[string]string{"Host": "127.0.0.1"}
	with := func(headers ...string) map[string]string {
		all := map[string]string{"Host": local["Host"]}
		for i := 0; i < len(headers); i += 2 {
			all[headers[i]] = headers[i+1]
		}
		return all
	}
	all := "0.0.0.0"
	for _, tt := range []struct {
		name, listen string
		options      http.ServeOptions
		header       map[string]string
		want         int
	}{
		{"its address", "127.0.0.1", http.ServeOptions{}, local, 202},
		{"with a port", "127.0.0.1", http.ServeOptions{}, with("Host", "127.0.0.1:80"), 202},
		{"localhost", "127.0.0.1", http.ServeOptions{}, with("Host", "localhost"), 202},
		{"no name", "127.0.0.1", http.ServeOptions{}, with("Host", ""), 421},
		{"another name", "127.0.0.1", http.ServeOptions{}, with("Host", "evil.example"), 421},
		{"a name that begins alike", "127.0.0.1", http.ServeOptions{}, with("Host", "127.0.0.1.evil.example"), 421},
		{"an address of others", "127.0.0.1", http.ServeOptions{}, with("Host", "10.1.2.3"), 421},
		{"its own name", "localhost", http.ServeOptions{}, with("Host", "localhost"), 202},
		{"all addresses", all, http.ServeOptions{}, with("Host", "10.1.2.3"), 202},
		{"all addresses, another name", all, http.ServeOptions{}, with("Host", "evil.example"), 421},
		{"all addresses, a name that it has", all, http.ServeOptions{Names: []string{"queue.example"}}, with("Host", "queue.example:8080"), 202},
		{"another name, with the token", all, http.ServeOptions{Token: "s3cr3t"}, with("Host", "queue.example", "Authorization", "Bearer s3cr3t"), 202},
		{"another name, without the token", all, http.ServeOptions{Token: "s3cr3t"}, with("Host", "queue.example"), 401},

		{"rebound", "127.0.0.1", http.ServeOptions{}, with("Host", "evil.example", "Origin", "http://evil.example", "Sec-Fetch-Site", "same-origin"), 421},
		{"another origin", "127.0.0.1", http.ServeOptions{}, with("Origin", "http://evil.example"), 403},
		{"another origin, with the token", all, http.ServeOptions{Token: "s3cr3t"}, with("Origin", "http://evil.example", "Authorization", "Bearer s3cr3t"), 403},
		{"its own origin", "127.0.0.1", http.ServeOptions{}, with("Origin", "http://127.0.0.1"), 403},
		{"no origin that is said", "127.0.0.1", http.ServeOptions{}, with("Origin", "null"), 403},
		{"another site", "127.0.0.1", http.ServeOptions{}, with("Sec-Fetch-Site", "cross-site"), 403},
		{"its own site", "127.0.0.1", http.ServeOptions{}, with("Sec-Fetch-Site", "same-origin"), 403},
		{"a person", "127.0.0.1", http.ServeOptions{}, with("Sec-Fetch-Site", "none", "Sec-Fetch-User", "?1"), 403},
		{"a form", "127.0.0.1", http.ServeOptions{}, with("Sec-Fetch-Dest", "document"), 403},
		{"Node's fetch", "127.0.0.1", http.ServeOptions{}, with("Sec-Fetch-Mode", "cors"), 202},
		{"an origin that may", "127.0.0.1", http.ServeOptions{Origins: []string{"http://pages.example"}}, with("Origin", "http://pages.example", "Sec-Fetch-Site", "cross-site"), 202},
		{"an origin that may, at another port", "127.0.0.1", http.ServeOptions{Origins: []string{"http://pages.example"}}, with("Origin", "http://pages.example:81"), 403},
		{"another than may", "127.0.0.1", http.ServeOptions{Origins: []string{"http://pages.example"}}, with("Origin", "http://evil.example"), 403},
		{"an origin that may, under another name", "127.0.0.1", http.ServeOptions{Origins: []string{"http://pages.example"}}, with("Host", "evil.example", "Origin", "http://pages.example"), 421},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := http.Serve(t.Context(), &url.URL{Scheme: "http", Host: net.JoinHostPort(tt.listen, "0"), Path: "/handoffs"}, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			worker(t, s)
			_, port, err := net.SplitHostPort(s.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			sent := "POST /handoffs HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"
			for name, value := range tt.header {
				sent += name + ": " + value + "\r\n"
			}
			if got, want := raw(t, &url.URL{Host: "127.0.0.1:" + port}, sent+"\r\nack"), fmt.Sprint("HTTP/1.1 ", tt.want, " "); !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %s", got, want)
			}
		})
	}
}

// TestSlowPosts checks that messages that arrive slowly do not take the places of others, however many bytes
// they announce.
func TestSlowPosts(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Options: transport.Options{MaxBytes: 1 << 20, Prefetch: 1}, MaxBytesInWork: 1 << 20})
	worker(t, s)
	for i := range 32 {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		length := []string{"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "Content-Length: 1048576\r\n\r\n{", "Content-Length: 2\r\n\r\n{"}[i%3]
		if _, err := io.WriteString(c, "POST /handoffs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+length); err != nil {
			t.Fatal(err)
		}
	}
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 100 { // while the slow ones are read
		if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("taken")}); err != nil && !strings.HasPrefix(err.Error(), "429") {
			t.Fatal(err)
		}
	}
	afterwards(t, u)
}

// TestComing checks that the total size of arriving messages is limited, and that small ones are accepted
// meanwhile.
func TestComing(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Options: transport.Options{MaxBytes: 1 << 20}, MaxBytesInWork: 4 << 20})
	worker(t, s)
	statuses := make(chan int)
	writers := make([]*io.PipeWriter, 0, 16)
	for range cap(writers) {
		r, w := io.Pipe()
		writers = append(writers, w)
		go func() {
			response, err := nethttp.Post(u.String(), "application/json", struct{ io.Reader }{r})
			if err != nil {
				statuses <- 0
				return
			}
			response.Body.Close()
			statuses <- response.StatusCode
		}()
		go func() {
			_, _ = w.Write(make([]byte, 900_000)) // it never ends
		}()
	}
	const most = 4 // they fit
	for range len(writers) - most {
		if status := <-statuses; status != 429 && status != 0 {
			t.Fatalf("status %d", status)
		}
	}
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("taken")}); err != nil {
		t.Error(err)
	}
	for _, w := range writers {
		w.CloseWithError(io.ErrUnexpectedEOF)
	}
	for range most {
		<-statuses
	}
}
