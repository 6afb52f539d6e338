package http

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/eaapl/handoff/relay/transport"
)

// FuzzPost checks that every request has a response, and that no message stays in work.
func FuzzPost(f *testing.F) {
	f.Add("POST", "/handoffs", "application/json", "", "", "k", []byte("{}"))
	f.Add("POST", "/handoffs", "application/x+json; a=\"b\\\"", "gzip", "Bearer x", "\"", []byte("{}"))
	f.Add("GET", "/handoffs/%2F", "", "", "Bearer \xff", "%", []byte{})
	f.Add("PUT", "/handoffs//", "", "", "", "", []byte{})
	f.Add("HEAD", "/healthz", "", "", "", "", []byte{})
	s, err := Serve(context.Background(), &url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/handoffs"}, ServeOptions{
		Options: transport.Options{MaxBytes: 100, Prefetch: 1},
		Ask: func(_ context.Context, key string) (*transport.Message, error) {
			return &transport.Message{Key: key}, nil
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	done := make(chan struct{})
	f.Cleanup(func() {
		s.Close()
		<-done
		if s.work.messages != 0 || s.work.bytes != 0 {
			f.Errorf("%d messages of %d bytes are in work for ever", s.work.messages, s.work.bytes)
		}
	})
	go func() {
		defer close(done)
		for {
			d, err := s.Next(context.Background())
			if err != nil {
				return
			}
			m := d.Message()
			_ = d.Answer(context.Background(), transport.Message{Key: m.Key, Outcome: m.Outcome, Body: m.Body})
			_ = d.Ack(context.Background())
		}
	}()
	f.Fuzz(func(t *testing.T, method, path, contentType, encoding, authorization, key string, body []byte) {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return
		}
		r := &http.Request{
			Method: method, URL: u, Host: "127.0.0.1", Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {contentType}, "Content-Encoding": {encoding}, "Authorization": {authorization}, keyHeader: {key}},
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch w.Code {
		case 200, 202, 404, 405, 409, 413, 415, 422, 429: // 429 if the last message is not finished
		default:
			t.Errorf("status %d", w.Code)
		}
		if w.Header().Get("Content-Type") == problemType && !json.Valid(w.Body.Bytes()) {
			t.Errorf("no JSON: %q", w.Body)
		}
		for name, values := range w.Header() {
			if strings.ContainsFunc(values[0], unicode.IsControl) {
				t.Errorf("%s: %q", name, values[0])
			}
		}
	})
}

// FuzzResponse checks that every response of a server is an answer or an error without control characters and
// passwords.
func FuzzResponse(f *testing.F) {
	f.Add(202, "application/json", "", "7", []byte("{}"))
	f.Add(422, "application/problem+json", "", "", []byte(`{"title":"s3cr3t","detail":"\u001b"}`))
	f.Add(307, "", "http://me:s3cr3t@x/?s3cr3t", "", []byte{})
	f.Add(503, "text/plain", "", "Fri, 31 Dec 1999 23:59:59 GMT", []byte("s3cr3t\r\n"))
	f.Add(413, "text/plain", "", "-1", []byte{})
	f.Fuzz(func(t *testing.T, status int, contentType, location, number string, body []byte) {
		at := &url.URL{Scheme: "http", Host: "x", User: url.UserPassword("me", "s3cr3t")}
		p, err := Publish(t.Context(), at, transport.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Response{
			StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), Request: &http.Request{Method: "POST", URL: at},
			Header: http.Header{"Content-Type": {contentType}, "Location": {location}, retryAfter: {number}, maxBytesHeader: {number}, outcomeHeader: {number}},
		}
		a, err := answerReader{p.(*publisher), r, transport.Message{Body: []byte("x")}}.read()
		if a != nil && (err != nil || !bytes.Equal(a.Body, body)) {
			t.Errorf("got %+v, %v", a, err)
		}
		if err != nil && (strings.ContainsFunc(err.Error(), unicode.IsControl) || strings.Contains(err.Error(), "s3cr3t") && !strings.Contains(location, "s3cr3t") && !strings.Contains(contentType, "s3cr3t")) {
			t.Errorf("got %q", err)
		}
	})
}
