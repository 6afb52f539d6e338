package chat

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTimeout calls endpoints that try to exceed the timeout.
func TestTimeout(t *testing.T) {
	busy := func(header, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(503)
		}
	}
	// drip writes slowly, without end.
	drip := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			for r.Context().Err() == nil {
				io.WriteString(w, text)
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}
	}
	const slow, unavailable = "no answer within 300ms", "503 Service Unavailable"
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"no body", drip(200, ""), slow},
		{"slow body", drip(200, " "), slow},
		{"slow error", drip(500, " "), slow},
		{"slow redirect", drip(307, " "), slow},
		{"busy", busy("Date", "x"), slow},
		{"busy for milliseconds", busy("Retry-After-Ms", "59000"), unavailable},
		{"busy for seconds", busy("Retry-After", "59"), unavailable},
		{"busy until", busy("Retry-After", time.Now().Add(59*time.Second).UTC().Format(http.TimeFormat)), unavailable},
		{"busy for ever", busy("Retry-After", "1e300"), unavailable},
		{"busy for no number", busy("Retry-After-Ms", "NaN"), slow},
		{"busy and insisting", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Should-Retry", "true")
			busy("Retry-After", "59")(w, r)
		}, unavailable},
		{"no connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, slow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t, tt.answer)
			done := make(chan error)
			go func() {
				_, err := ask(t, e, func(o *Options) { o.Timeout, o.Retries = 300*time.Millisecond, 1000 })
				done <- err
			}()
			select {
			case err := <-done:
				checkError(t, err, strings.TrimPrefix(e.URL, "http://"), []string{tt.want})
				if err == nil {
					t.Error("no error")
				}
			case <-time.After(45 * time.Second):
				t.Fatal("goes on")
			}
		})
	}
}

// An endless answer is cut off, whatever its status.
func TestEndlessAnswer(t *testing.T) {
	for _, status := range []int{200, 307, 400, 500} {
		e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for part := make([]byte, 1<<16); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		_, err := ask(t, e, func(o *Options) { o.Timeout, o.Retries = time.Minute, -1 })
		checkError(t, err, strings.TrimPrefix(e.URL, "http://"), []string{"its answer has more than 1048576 bytes"})
		if err == nil {
			t.Errorf("%d: no error", status)
		}
	}
}
