package alert_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/relay/alert"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Println(r.Header.Get("Content-Type"), string(text))
	}))
	defer server.Close()
	sender, err := alert.New(&child.Set{}, alert.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	sender.Send([]byte(`{"event":"ESCALATED"}`))
	if err := sender.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: application/json {"event":"ESCALATED"}
}

// TestPostedAgain checks that an alert is posted again while the server is busy, and that it is signed.
func TestPostedAgain(t *testing.T) {
	var posts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(alert.SignatureHeader) != "signed {}" {
			t.Errorf("signature %q", r.Header.Get(alert.SignatureHeader))
		}
		if posts.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	sender, err := alert.New(&child.Set{}, alert.Options{URL: server.URL, Sign: func(text []byte) string { return "signed " + string(text) }})
	if err != nil {
		t.Fatal(err)
	}
	sender.Send([]byte("{}"))
	if err := sender.Close(); err != nil || posts.Load() != 2 {
		t.Errorf("%d posts, %v", posts.Load(), err)
	}
}

// TestNotArrived checks that an undelivered alert is an error that never contains the URL, which may contain a
// secret.
func TestNotArrived(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, url := range []string{server.URL + "/secret", "http://127.0.0.1:1/secret"} {
		sender, err := alert.New(&child.Set{}, alert.Options{URL: url, Timeout: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		sender.Send([]byte("{}"))
		if err := sender.Close(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := alert.New(&child.Set{}, alert.Options{URL: "ftp://host/secret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}
