package webclient_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/summarize/chat"
	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/relay/alert"
	"github.com/eaapl/handoff/relay/post"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
	transporthttp "github.com/eaapl/handoff/relay/transport/http"
)

// A caller makes a request to an address, and returns nil if it concludes that the request was accepted.
type caller struct {
	in    string // package
	name  string
	takes []int // status codes that it may accept with any body
	call  func(ctx context.Context, address string) error
}

// callers are all features that make requests.
var callers = []caller{
	{"relay/alert", "alert", []int{200}, func(ctx context.Context, address string) error {
		until, _ := ctx.Deadline()
		s, err := alert.New(&child.Set{}, alert.Options{URL: address, Timeout: time.Until(until), Sign: func([]byte) string { return "signed" }})
		if err != nil {
			return err
		}
		s.Send([]byte("{}"))
		return s.Close()
	}},
	{"relay/transport/http", "message", nil, publisher(func(ctx context.Context, p transport.Publisher) error {
		_, err := p.Publish(ctx, transport.Message{Key: "k", Body: []byte("{}")})
		return err
	})},
	{"relay/transport/http", "question after an answer", nil, publisher(func(ctx context.Context, p transport.Publisher) error {
		_, err := p.(transport.Asker).Ask(ctx, "k")
		return err
	})},
	{"relay/transport/http", "probe", []int{200, 400}, func(ctx context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		_, err = transporthttp.Probe(ctx, u, transporthttp.PostOptions{Token: "bearer-t0ken"})
		return err
	}},
	{"relay/transport/claimcheck", "stored body", nil, func(ctx context.Context, address string) error {
		s, err := claimcheck.Open(address)
		if err != nil {
			return err
		}
		return s.Put(ctx, "digest", []byte("body"))
	}},
	{"relay/transport/claimcheck", "fetched body", nil, func(ctx context.Context, address string) error {
		s, err := claimcheck.Open(address)
		if err != nil {
			return err
		}
		_, err = s.Get(ctx, "digest", 1000)
		return err
	}},
	{"relay/post", "summary", nil, func(ctx context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		s, err := chat.New(chat.Options{Post: post.Do, URL: u.Scheme + "://" + u.Host + "/v1", Model: "m", Key: "bearer-t0ken", Retries: -1})
		if err != nil {
			return err
		}
		_, err = s.Summarize(ctx, summarize.Request{MaxTokens: 50, Count: func(text string) int { return len(text) / 4 }, Turns: []summarize.Turn{{Role: "user", Text: "Hi"}}})
		return err
	}},
}

func publisher(use func(context.Context, transport.Publisher) error) func(context.Context, string) error {
	return func(ctx context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		p, err := transporthttp.Post(u, transporthttp.PostOptions{Token: "bearer-t0ken"})
		if err != nil {
			return err
		}
		defer p.Close()
		return use(ctx, p)
	}
}

// TestCallers checks that, whatever a server answers, no caller asks another server, mistakes a redirect or a
// page for success, or shows a secret of the address.
func TestCallers(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		t.Errorf("the other server was asked: %s %s, Referer %q", r.Method, r.URL, r.Referer())
	}))
	defer other.Close()
	redirect := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", strings.Replace(other.URL, "http://", "http://them:passw0rd-of-them@", 1)+"/internal/path-s3cret?ticket=ticket-s3cret")
			w.WriteHeader(status)
		}
	}
	type answer struct {
		name   string
		serve  http.HandlerFunc
		status int // 0 for none
		says   string
	}
	answers := []answer{
		{"a page to log in", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-s3cret"})
			fmt.Fprint(w, "<!DOCTYPE html><title>Log in</title>")
		}, 200, ""},
		{"the secrets", func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "HTTP/1.1 400 %s \x1b[31m\r\nContent-Length: 0\r\n\r\n", secretsOf(r))
		}, 400, "400"},
		{"no HTTP, with the secrets", func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "%s\r\n\r\n", secretsOf(r))
		}, 0, ""},
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		answers = append(answers, answer{fmt.Sprint(status), redirect(status), status, other.URL})
	}
	for _, c := range callers {
		for _, a := range answers {
			t.Run(c.name+", "+a.name, func(t *testing.T) {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" {
						t.Errorf("Referer %q, Cookie %q", r.Referer(), r.Header.Get("Cookie"))
					}
					a.serve(w, r)
				}))
				defer server.Close()
				address := strings.Replace(server.URL, "http://", "http://me:passw0rd@", 1) + "/hook?token=hook-t0ken"
				patience := time.Minute
				if a.status == 0 {
					patience = time.Second // maximum time of its retries
				}
				for range 2 { // the second request would send the cookie of the first
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					err := c.call(ctx, address)
					cancel()
					if (err == nil) != slices.Contains(c.takes, a.status) {
						t.Fatalf("got %v", err)
					}
					if err == nil {
						continue
					}
					for _, secret := range []string{"passw0rd", base64.StdEncoding.EncodeToString([]byte("me:passw0rd")), "hook-t0ken", "bearer-t0ken", "s3cret", "\x1b"} {
						if strings.Contains(err.Error(), secret) {
							t.Errorf("%q shows %q", err, secret)
						}
					}
					if !strings.Contains(err.Error(), a.says) {
						t.Errorf("%q does not say %s", err, a.says)
					}
				}
			})
		}
		t.Run(c.name+", an unknown certificate", func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := c.call(ctx, server.URL); err == nil {
				t.Error("the certificate is taken")
			}
		})
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// secretsOf returns the secrets in a request.
func secretsOf(r *http.Request) string {
	_, password, _ := r.BasicAuth()
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(strings.Join([]string{r.URL.Query().Get("token"), password, token}, " "))
}

// TestCallersAreListed checks that [TestCallers] calls each package that makes requests.
func TestCallersAreListed(t *testing.T) {
	const module = "github.com/eaapl/handoff/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range callers {
		listed[c.in] = false
	}
	for line := range strings.Lines(string(out)) {
		name, imported, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name = strings.TrimPrefix(name, module); strings.Contains(imported+" ", module+"relay/webclient ") {
			if _, known := listed[name]; !known {
				t.Errorf("%s makes requests: add it to callers", name)
			}
			listed[name] = true
		}
	}
	for name, is := range listed {
		if !is {
			t.Errorf("%s does not use package webclient", name)
		}
	}
}
