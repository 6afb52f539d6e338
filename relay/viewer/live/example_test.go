package live_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/live"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// A handler shows a log to users with its token.
func Example() {
	err := audittest.With([]audit.Record{{Event: audit.Accepted, TaskID: "t1", HandoffID: "h1"}}, func(_ context.Context, store audit.Store) error {
		token := guard.NewToken()
		h := live.New(live.Options{
			Store: store, Guard: guard.New(guard.Options{Token: token, Listen: "127.0.0.1"}), Letters: receiver.NewLetters(audit.NewLog(store, nil), nil),
			Restored: func(_ context.Context, r audit.Reader) audit.Reader { return r },
			Records:  func(audit.Reader) records.Options { return records.Options{} },
		})
		for _, path := range []string{"/", "/?token=" + token} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
			fmt.Println(w.Code, http.StatusText(w.Code))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 401 Unauthorized
	// 303 See Other
}
