package http_test

import (
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// TestResponses checks the results of a publisher for responses of servers.
func TestResponses(t *testing.T) {
	const permanent, busy, tooLarge, other = "permanent", "busy", "too large", "other"
	for _, tt := range []struct {
		name     string
		status   int
		header   map[string]string
		body     string
		kind     string // of the error
		want     string // the error, or the answer
		after    time.Duration
		outcome  transport.Outcome
		noAnswer bool
	}{
		{name: "200", status: 200, body: "{}", want: "{}", outcome: transport.Taken},
		{name: "201", status: 201, body: "{}", want: "{}", outcome: transport.Taken},
		{name: "202, of another outcome", status: 202, header: map[string]string{"Handoff-Outcome": "refused"}, body: "{}", want: "{}", outcome: transport.Taken},
		{name: "204", status: 204, noAnswer: true},
		{name: "200 empty", status: 200, header: map[string]string{"Content-Type": "text/html"}, noAnswer: true},
		{name: "409", status: 409, body: "{}", want: "{}", outcome: transport.Conflict},
		{name: "422", status: 422, body: " {}\n", want: " {}\n", outcome: transport.Refused},
		{name: "the page of a network", status: 200, header: map[string]string{"Content-Type": "text/html"}, body: "<p>Log in",
			kind: other, want: `the answer is not JSON but "text/html": check that a receiver of handoffs uses this address`},
		{name: "409 of somebody else", status: 409, header: map[string]string{"Content-Type": "text/html"}, body: "<p>no", kind: permanent, want: "409 Conflict"},
		{name: "422 as a problem", status: 422, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"title":"Bad","detail":"worse"}`,
			kind: permanent, want: "422 Unprocessable Entity: Bad: worse"},
		{name: "hostile text", status: 400, header: map[string]string{"Content-Type": "text/plain"}, body: "no\r\n\x1b[31m s3cr3t! " + strings.Repeat("x", 9999),
			kind: permanent, want: "400 Bad Request: no [31m xxxxx " + strings.Repeat("x", 500-14) + "…"},
		{name: "401", status: 401, kind: permanent, want: "401 Unauthorized"},
		{name: "404", status: 404, header: map[string]string{"Content-Type": "text/html"}, body: "<!DOCTYPE html><p>Not here", kind: permanent, want: "404 Not Found"},
		{name: "413", status: 413, header: map[string]string{"Handoff-Max-Bytes": "3"}, kind: tooLarge, want: "the message has 6 bytes, more than the transport's limit of 3"},
		{name: "413 without a limit", status: 413, kind: tooLarge, want: "the message has 6 bytes, more than the transport's limit of 5"},
		{name: "413 with another", status: 413, header: map[string]string{"Handoff-Max-Bytes": "-1"}, kind: tooLarge, want: "the message has 6 bytes, more than the transport's limit of 5"},
		{name: "429", status: 429, header: map[string]string{"Retry-After": "7"}, kind: busy, after: 7 * time.Second, want: "429 Too Many Requests"},
		{name: "429 without a time", status: 429, kind: busy, want: "429 Too Many Requests"},
		{name: "503 for long", status: 503, header: map[string]string{"Retry-After": "99999999999"}, body: "busy", kind: busy, want: "503 Service Unavailable: busy"},
		{name: "503 for a day", status: 503, header: map[string]string{"Retry-After": "86400"}, kind: busy, after: time.Hour, want: "503 Service Unavailable"},
		{name: "503 until a date", status: 503, header: map[string]string{"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, kind: busy, after: time.Hour, want: "503 Service Unavailable"},
		{name: "503 until a past date", status: 503, header: map[string]string{"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, kind: busy, want: "503 Service Unavailable"},
		{name: "500", status: 500, kind: busy, want: "500 Internal Server Error"},
		{name: "599", status: 599, kind: busy, want: "599"},
		{name: "206", status: 206, body: "{}", kind: other, want: "206 Partial Content: {}"},
		{name: "moved", status: 301, header: map[string]string{"Location": "/elsewhere"}, kind: permanent, want: "301 Moved Permanently: it redirects to ORIGIN, but redirects are not followed: use the new URL if it is correct"},
		{name: "another origin", status: 307, header: map[string]string{"Location": "http://me:token@127.0.0.1:1/x?token=1"}, kind: permanent, want: "307 Temporary Redirect: it redirects to http://127.0.0.1:1, but redirects are not followed: use the new URL if it is correct"},
		{name: "in a circle", status: 307, header: map[string]string{"Location": "/in?key=1"}, kind: permanent, want: "307 Temporary Redirect: it redirects to ORIGIN, but redirects are not followed: use the new URL if it is correct"},
		{name: "nowhere", status: 308, kind: permanent, want: "308 Permanent Redirect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if r.Method != "POST" || r.URL.Query().Get("key") != "1" {
					t.Errorf("requested %s %s", r.Method, r.URL)
				}
				w.Header().Set("Content-Type", "application/json")
				for name, value := range tt.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer server.Close()
			origin := strings.Replace(server.URL, "http://", "http://me:s3cr3t%21@", 1)
			a, err := publishTo(t, origin+"/in?key=1", http.PostOptions{})
			switch {
			case tt.noAnswer:
				if a != nil || err != nil {
					t.Errorf("got %+v, %v", a, err)
				}
			case tt.kind == "":
				if err != nil || a == nil || string(a.Body) != tt.want || a.Outcome != tt.outcome || a.Kind != transport.Answer || a.Key != "k" {
					t.Errorf("got %+v, %v", a, err)
				}
			default:
				want := strings.ReplaceAll(tt.want, "ORIGIN", server.URL)
				if err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				kind := other
				if e := (*transport.PermanentError)(nil); errors.As(err, &e) {
					kind = permanent
				}
				if e := (*transport.TooLargeError)(nil); errors.As(err, &e) {
					kind = tooLarge
				}
				if e := (*http.BusyError)(nil); errors.As(err, &e) {
					kind = busy
					if e.RetryAfter() != tt.after && tt.name != "503 for long" {
						t.Errorf("after %s", e.After)
					}
				}
				if kind != tt.kind {
					t.Errorf("the error is %s", kind)
				}
			}
		})
	}
}

func publishTo(t *testing.T, address string, o http.PostOptions) (*transport.Message, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p, err := http.Post(u, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := p.Publish(t.Context(), transport.Message{Key: "k", Body: []byte(`{"a":1`)})
	return r.Answer, err
}

// TestRedirect checks that no redirect is followed, not even to the same server, which has not accepted the
// message.
func TestRedirect(t *testing.T) {
	mux := nethttp.NewServeMux()
	mux.Handle("/old", nethttp.RedirectHandler("/handoffs", nethttp.StatusPermanentRedirect))
	mux.HandleFunc("/handoffs", func(nethttp.ResponseWriter, *nethttp.Request) { t.Error("the redirect is followed") })
	server := httptest.NewServer(mux)
	defer server.Close()
	_, err := publishTo(t, server.URL+"/old", http.PostOptions{Token: "s3cr3t"})
	if e := (*transport.PermanentError)(nil); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	_, err := publishTo(t, "http://me:s3cr3t@127.0.0.1:1/x?token=s3cr3t", http.PostOptions{})
	if want := "127.0.0.1:1: connection refused"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	_, err = publishTo(t, server.URL, http.PostOptions{Timeout: 10 * time.Millisecond})
	if want := "no answer in time"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Publish(ctx, transport.Message{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestBadAnswers checks responses that are not answers.
func TestBadAnswers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve nethttp.HandlerFunc
		want  string
	}{
		{"cut", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(202)
			io.WriteString(w, "{")
		}, "the answer was cut off: unexpected EOF"},
		{"endless", func(w nethttp.ResponseWriter, r *nethttp.Request) {
			w.WriteHeader(202)
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "the answer has more than 16777216 bytes"},
		{"no HTTP", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			c, _, err := w.(nethttp.Hijacker).Hijack()
			if err == nil {
				io.WriteString(c, "SSH-2.0-OpenSSH\r\n")
				c.Close()
			}
		}, `malformed HTTP response "SSH-2.0-OpenSSH"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.serve)
			defer server.Close()
			if a, err := publishTo(t, server.URL, http.PostOptions{}); err == nil || err.Error() != tt.want {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}
