package http_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// worker answers every message as its body requests.
func worker(t *testing.T, s *http.Server) {
	t.Helper()
	go func() {
		for {
			d, err := s.Next(context.Background())
			if err != nil {
				return
			}
			m := d.Message()
			a := transport.Message{Key: m.Key, Kind: transport.Answer, Body: []byte(`{"status":"x"}`)}
			switch what := string(m.Body); what {
			case "taken", "refused", "conflict":
				a.Outcome = transport.Outcome(what)
				err = errors.Join(d.Answer(context.Background(), a), d.Ack(context.Background()))
			case "other":
				err = errors.Join(d.Answer(context.Background(), a), d.Ack(context.Background()), d.Return(context.Background(), 0))
			case "ack":
				err = d.Ack(context.Background())
			case "return":
				err = d.Return(context.Background(), 2500e6)
			case "dead":
				err = d.DeadLetter(context.Background(), "SAFETY_VIOLATION:\r\n\x1b[31m")
			default:
				err = errors.New("what is " + what)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}()
}

func ask(_ context.Context, key string) (*transport.Message, error) {
	switch key {
	case "a/b é", "1":
		return &transport.Message{Key: key, Kind: transport.Answer, Outcome: transport.Refused, Body: []byte(`{"of":"it"}`)}, nil
	case "broken":
		return nil, errors.New("the store at me:secret@db is gone")
	}
	return nil, nil
}

// TestStatuses checks every status, with its headers.
func TestStatuses(t *testing.T) {
	var logged []string
	s, u := serve(t, http.ServeOptions{
		Options: transport.Options{MaxBytes: 1000}, Ask: ask, Log: func(line string) { logged = append(logged, line) },
		Handlers: map[string]nethttp.Handler{"/metrics": nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.Write([]byte("some 1\n")) })},
	})
	worker(t, s)
	u.Path = ""
	const jsonType, problemType = "application/json", "application/problem+json"
	problem := func(title, status, detail string) string {
		return `{"title":"` + title + `","status":` + status + `,"detail":"` + detail + `"}` + "\n"
	}
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		want                     map[string]string
		answer                   string
	}{
		{name: "taken", body: "taken", status: 202, answer: `{"status":"x"}`,
			header: map[string]string{"Idempotency-Key": "a/b"}, want: map[string]string{"Content-Type": jsonType, "Location": "/handoffs/a%2Fb", "Handoff-Outcome": "taken"}},
		{name: "taken, without a key", body: "taken", status: 202, answer: `{"status":"x"}`, want: map[string]string{"Location": ""}},
		{name: "a quoted key", body: "taken", status: 202, answer: `{"status":"x"}`,
			header: map[string]string{"Idempotency-Key": `"k"`}, want: map[string]string{"Location": "/handoffs/k"}},
		{name: "refused", body: "refused", status: 422, answer: `{"status":"x"}`, want: map[string]string{"Content-Type": jsonType}},
		{name: "conflict", body: "conflict", status: 409, answer: `{"status":"x"}`},
		{name: "an answer without an outcome", body: "other", status: 200, answer: `{"status":"x"}`},
		{name: "no answer", body: "ack", status: 202, want: map[string]string{"Content-Type": "", "Content-Length": "0"}},
		{name: "given back", body: "return", status: 503, want: map[string]string{"Content-Type": problemType, "Retry-After": "3"},
			answer: problem("Service Unavailable", "503", "this receiver cannot accept the message now")},
		{name: "a dead letter", body: "dead", status: 422, want: map[string]string{"Content-Type": problemType},
			answer: problem("Unprocessable Entity", "422", "SAFETY_VIOLATION: [31m")},
		{name: "a slash at the end", path: "/handoffs/", body: "ack", status: 202},
		{name: "JSON by another name", body: "ack", header: map[string]string{"Content-Type": "application/vnd.x+json; charset=utf-8"}, status: 202},
		{name: "not compressed", body: "ack", header: map[string]string{"Content-Encoding": "identity"}, status: 202},
		{name: "zstd", body: "ack", header: map[string]string{"Content-Encoding": "zstd"}, status: 202},
		{name: "gzip", body: "ack", header: map[string]string{"Content-Encoding": "gzip"}, status: 415, want: map[string]string{"Accept-Encoding": "zstd"},
			answer: problem("Unsupported Media Type", "415", "a message must be uncompressed or compressed with zstd; found gzip")},
		{name: "a form", body: "ack", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415, want: map[string]string{"Accept-Post": jsonType},
			answer: problem("Unsupported Media Type", "415", "a message must have Content-Type: application/json; found application/x-www-form-urlencoded")},
		{name: "no type", body: "ack", header: map[string]string{"Content-Type": ""}, status: 415,
			answer: problem("Unsupported Media Type", "415", "a message must have Content-Type: application/json; found none")},
		{name: "hostile type", body: "ack", header: map[string]string{"Content-Type": "x y\t\"</script>"}, status: 415,
			answer: problem("Unsupported Media Type", "415", "a message must have Content-Type: application/json; found an invalid value")},
		{name: "too large", body: strings.Repeat("x", 1001), status: 413, want: map[string]string{"Handoff-Max-Bytes": "1000", "Content-Type": problemType},
			answer: `{"title":"Request Entity Too Large","status":413,"detail":"the message is too long: the limit is 1000 bytes","limit":1000}` + "\n"},
		{name: "too large, of unknown length", body: "chunked " + strings.Repeat("x", 1000), status: 413, want: map[string]string{"Handoff-Max-Bytes": "1000"},
			answer: `{"title":"Request Entity Too Large","status":413,"detail":"the message is too long: the limit is 1000 bytes","limit":1000}` + "\n"},
		{name: "another method", method: "PUT", body: "x", status: 405, want: map[string]string{"Allow": "POST"},
			answer: problem("Method Not Allowed", "405", "use POST to send a message")},
		{name: "reading", method: "GET", status: 405, want: map[string]string{"Allow": "POST"}, answer: problem("Method Not Allowed", "405", "use POST to send a message")},
		{name: "elsewhere", path: "/", body: "x", status: 404, answer: problem("Not Found", "404", "messages are posted to /handoffs/")},
		{name: "beside it", path: "/handoffsx", body: "x", status: 404, answer: problem("Not Found", "404", "messages are posted to /handoffs/")},
		{name: "further below", path: "/handoffs/a/b", body: "x", status: 404, answer: problem("Not Found", "404", "messages are posted to /handoffs/")},
		{name: "asked", method: "GET", path: "/handoffs/a%2Fb%20%C3%A9", status: 200, answer: `{"of":"it"}`, want: map[string]string{"Handoff-Outcome": "refused", "Content-Type": jsonType}},
		{name: "asked for the headers", method: "HEAD", path: "/handoffs/1", status: 200, want: map[string]string{"Content-Length": "11"}},
		{name: "asked for what is not known", method: "GET", path: "/handoffs/2", status: 404, answer: problem("Not Found", "404", "no message with this key is known")},
		{name: "asked, and it is broken", method: "GET", path: "/handoffs/broken", status: 503, want: map[string]string{"Retry-After": "1"},
			answer: problem("Service Unavailable", "503", "the answers cannot be read now")},
		{name: "posted to a key", path: "/handoffs/1", body: "x", status: 405, want: map[string]string{"Allow": "GET, HEAD"}, answer: problem("Method Not Allowed", "405", "use GET or HEAD")},
		{name: "health", method: "GET", path: "/healthz", status: 200, answer: "ok\n", want: map[string]string{"Cache-Control": "no-store"}},
		{name: "posted to health", path: "/healthz", status: 405, answer: problem("Method Not Allowed", "405", "use GET or HEAD")},
		{name: "metrics", method: "GET", path: "/metrics", status: 200, answer: "some 1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var body io.Reader = strings.NewReader(tt.body)
			if rest, chunked := strings.CutPrefix(tt.body, "chunked "); chunked {
				body = struct{ io.Reader }{strings.NewReader(rest + "x")} // hides the length
			}
			method, path := tt.method, tt.path
			if method == "" {
				method = "POST"
			}
			if path == "" {
				path = "/handoffs"
			}
			r, err := nethttp.NewRequest(method, u.String()+path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", jsonType)
			for name, value := range tt.header {
				r.Header.Set(name, value)
			}
			got, err := nethttp.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			text, err := io.ReadAll(got.Body)
			if err != nil || got.StatusCode != tt.status {
				t.Errorf("error %v, status %d, want %d", err, got.StatusCode, tt.status)
			}
			for name, want := range tt.want {
				if value := got.Header.Get(name); value != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
			}
			if diff := cmp.Diff(tt.answer, string(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if want := []string{"reading the answer for a key: the store at me:secret@db is gone"}; !cmp.Equal(logged, want) {
		t.Errorf("logged %q", logged)
	}
}

func TestHealth(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := http.Serve(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:0"}, http.ServeOptions{Health: func() error { return errors.New("the log is full\n") }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	get := func() (int, string) {
		t.Helper()
		r, err := nethttp.Get("http://" + s.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	if status, text := get(); status != 503 || !strings.Contains(text, `"the log is full"`) {
		t.Errorf("%d %s", status, text)
	}
	cancel()
	if _, err := s.Next(t.Context()); err == nil || err.Error() != "the receiver has stopped" {
		t.Errorf("got %v", err)
	}
	if status, text := get(); status != 503 || !strings.Contains(text, `"the receiver has stopped"`) {
		t.Errorf("%d %s", status, text)
	}
}

func TestToken(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Token: "s3cr3t", Ask: ask})
	worker(t, s)
	for _, tt := range []struct {
		authorization string
		want          int
	}{{"", 401}, {"Bearer", 401}, {"Bearer s3cr3", 401}, {"Basic s3cr3t", 401}, {"Bearer s3cr3t", 202}, {"bearer  s3cr3t", 202}} {
		for _, method := range []string{"POST", "GET"} {
			at := u.String()
			want := tt.want
			if method == "GET" {
				at += "/1"
				if want == 202 {
					want = 200
				}
			}
			r, err := nethttp.NewRequest(method, at, strings.NewReader("ack"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", tt.authorization)
			got, err := nethttp.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			if got.StatusCode != want || want == 401 && got.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %q: %d, want %d", method, tt.authorization, got.StatusCode, want)
			}
		}
	}
	p, err := http.Post(u, http.PostOptions{Token: "s3cr3t"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("ack")}); err != nil {
		t.Error(err)
	}
}

func TestBusy(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Options: transport.Options{Prefetch: 1}})
	first := make(chan error, 1)
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	go func() {
		_, err := p.Publish(t.Context(), transport.Message{Body: []byte("1")})
		first <- err
	}()
	d, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Publish(t.Context(), transport.Message{Body: []byte("2")})
	if e := (*http.BusyError)(nil); !errors.As(err, &e) || e.After.Seconds() != 1 || !strings.HasPrefix(err.Error(), "429 Too Many Requests: too many messages are in work: the limit is 1, with 536870912 bytes") {
		t.Errorf("got %v", err)
	}
	// An answer alone does not end a delivery.
	if err := d.Answer(t.Context(), transport.Message{Outcome: transport.Taken, Body: []byte("{}")}); err != nil {
		t.Error(err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if _, err = p.Publish(t.Context(), transport.Message{Body: []byte("2")}); err == nil {
		t.Error("a message more than it holds was taken")
	}
	if err := d.Ack(t.Context()); err != nil {
		t.Error(err)
	}
	worker(t, s)
	if _, err = p.Publish(t.Context(), transport.Message{Body: []byte("ack")}); err != nil {
		t.Error(err)
	}
}

// TestBusyBytes checks that few large messages count like many small ones, with and without a Content-Length.
func TestBusyBytes(t *testing.T) {
	s, u := serve(t, http.ServeOptions{Options: transport.Options{MaxBytes: 100}, MaxBytesInWork: 150})
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	publish := func(size int) chan error {
		result := make(chan error, 1)
		go func() {
			_, err := p.Publish(t.Context(), transport.Message{Body: make([]byte, size)})
			result <- err
		}()
		return result
	}
	first := publish(100)
	d, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e := (*http.BusyError)(nil); !errors.As(<-publish(51), &e) {
		t.Error("more than 150 bytes are in work")
	}
	r, err := nethttp.Post(u.String(), "application/json", struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 51))})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 429 {
		t.Errorf("51 bytes that were not announced have status %d", r.StatusCode)
	}
	second := publish(50)
	small, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Ack(t.Context()), small.Ack(t.Context()), <-first, <-second); err != nil {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"nats://host/x", "it is not an address to serve: write it as http://:8080/path"},
		{"http:x", "it is not an address to serve: write it as http://:8080/path"},
		{"http://me:secret@:8080/x", "an address to serve cannot have a user or a password: use the option for a token"},
		{"http://:8080/x?a=b", "an address to serve cannot have anything after its path"},
		{"http://:8080/healthz", "the path /healthz is already used for something else"},
		{"https://:8443/x", "https needs a certificate and its key"},
	} {
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = http.Consume(t.Context(), u, transport.Options{})
		if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.address, err)
		}
	}
	_, u := serve(t, http.ServeOptions{})
	if _, err := http.Consume(t.Context(), u, transport.Options{}); err == nil || err.Error() != "listening: "+u.Host+": address already in use" {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"http:///x", "nats://host", "http://:80/x"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := http.Publish(t.Context(), u, transport.Options{}); err == nil || !strings.HasPrefix(err.Error(), "it is not the address of a receiver") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestAsk checks the client's side of requests for answers.
func TestAsk(t *testing.T) {
	_, u := serve(t, http.ServeOptions{Ask: ask})
	p, err := http.Publish(t.Context(), u, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	asker := p.(transport.Asker)
	a, err := asker.Ask(t.Context(), "a/b é")
	if err != nil || a == nil || a.Key != "a/b é" || a.Outcome != transport.Refused || a.Kind != transport.Answer || !bytes.Equal(a.Body, []byte(`{"of":"it"}`)) {
		t.Errorf("got %+v, %v", a, err)
	}
	for _, key := range []string{"", "2", "..", "?"} {
		if a, err := asker.Ask(t.Context(), key); err != nil || a != nil {
			t.Errorf("%q: got %+v, %v", key, a, err)
		}
	}
	if a, err := asker.Ask(t.Context(), "broken"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %+v, %v", a, err)
	}
}
