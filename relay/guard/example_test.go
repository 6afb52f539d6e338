package guard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/eaapl/handoff/relay/guard"
)

// A server answers requests for its own name, with its token.
func Example() {
	token := guard.NewToken()
	g := guard.New(guard.Options{Token: token, Listen: "127.0.0.1"})
	for _, host := range []string{"127.0.0.1:8320", "evil.example:8320"} {
		r := httptest.NewRequest(http.MethodGet, "http://"+host, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		fmt.Println(host, g.IsHost(r), g.HasToken(r))
	}
	// Output:
	// 127.0.0.1:8320 true true
	// evil.example:8320 false true
}
