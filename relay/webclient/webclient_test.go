package webclient_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/webclient"
)

func get(t *testing.T, o webclient.Options, address string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := webclient.New(o)
	t.Cleanup(c.CloseIdleConnections)
	response, err := c.Do(r)
	if err == nil {
		t.Cleanup(func() { response.Body.Close() })
	}
	return response, err
}

// TestMaxAnswer checks that no more of an answer is read than the limit.
func TestMaxAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("x", 1000)) }))
	defer server.Close()
	for limit, want := range map[int64]error{1000: nil, 999: webclient.ErrTooLong, 1: webclient.ErrTooLong} {
		r, err := get(t, webclient.Options{MaxAnswer: limit}, server.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err != want || int64(len(text)) != limit {
			t.Errorf("%d: %d bytes, %v", limit, len(text), err)
		}
		if _, again := r.Body.Read(make([]byte, 1)); want != nil && again != want {
			t.Errorf("%d: after that %v", limit, again)
		}
	}
}

// TestTimeouts checks that requests to a server that does not answer, or not completely, time out.
func TestTimeouts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}))
	defer server.Close()
	for name, o := range map[string]webclient.Options{"all": {Timeout: 50 * time.Millisecond}, "its beginning": {Begin: 50 * time.Millisecond}} {
		if _, err := get(t, o, server.URL); err == nil || err.Error() != "no answer in time" {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := get(t, webclient.Options{Timeout: 200 * time.Millisecond}, server.URL+"/begun")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r.Body); err == nil {
		t.Error("the answer ended")
	}
}

// TestVerifies checks that no configuration turns off the verification of certificates.
func TestVerifies(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	if _, err := get(t, webclient.Options{TLS: &tls.Config{InsecureSkipVerify: true}}, server.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

// TestTook checks that only 2xx means that the URL accepted a request.
func TestTook(t *testing.T) {
	for status, want := range map[int]string{
		200: "", 204: "", 299: "", 304: "304 Not Modified", 300: "300 Multiple Choices", 404: "404 Not Found", 599: "599",
		302: "302 Found: it redirects to https://elsewhere.example, but redirects are not followed: use the new URL if it is correct",
	} {
		r := &http.Response{StatusCode: status, Header: http.Header{}, Request: httptest.NewRequest(http.MethodGet, "http://here.example/", nil)}
		if status == 302 {
			r.Header.Set("Location", "https://me:s3cret@elsewhere.example/x?y=z")
		}
		err := webclient.Took(r)
		if err == nil {
			err = errors.New("")
		}
		if err.Error() != want {
			t.Errorf("%d: %q, want %q", status, err, want)
		}
	}
}
