package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/mcp"
)

// slowBody is a body that ends on request.
type slowBody struct {
	begun *atomic.Int32 // number of bodies that are being read
	end   <-chan struct{}
}

func (b slowBody) Read([]byte) (int, error) {
	b.begun.Add(1)
	<-b.end
	return 0, io.EOF
}

// TestLargeRequests checks that a client that starts many large requests does not fill the memory, and does not
// prevent small requests.
func TestLargeRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := guard.NewToken()
		handler := mcp.New(mcp.Options{}).Handler(guard.New(guard.Options{Token: token, Listen: "127.0.0.1"}))
		ask := func(body io.Reader) int {
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", body)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w.Code
		}
		const all, atOnce = 20, 8
		end, statuses := make(chan struct{}), make(chan int, all)
		var begun atomic.Int32
		for range all {
			go func() { statuses <- ask(slowBody{&begun, end}) }()
		}
		synctest.Wait()
		if n := begun.Load(); n != atOnce {
			t.Errorf("%d are read at once, want %d", n, atOnce)
		}
		if status := ask(strings.NewReader("{}")); status != http.StatusBadRequest {
			t.Errorf("a small request: status %d", status)
		}
		close(end)
		for range all {
			if status := <-statuses; status != http.StatusBadRequest {
				t.Errorf("a request of nothing: status %d", status)
			}
		}
	})
}
