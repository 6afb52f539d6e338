package mcpserver

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/pkg/guard"
)

// Bounds of what clients cost.
const (
	idle     = 30 * time.Minute // how long a session without requests is kept
	small    = 1 << 20          // bytes of a request; all that are not small, or do not say it, wait for a place
	maxLarge = 8                // requests that are not, at once
)

// Handler returns what serves clients by streamable HTTP, if a guard lets them ask. A few requests with
// large messages are read at once; the others wait, but what is small, such as that a call is cancelled.
func (s *Server) Handler(g *guard.Guard) http.Handler {
	served := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: MaxLine(s.options.Limits), SessionTimeout: idle, PropagateRequestCancellation: true,
	})
	places := make(chan struct{}, maxLarge)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := g.Origin(r)
		switch {
		case !g.IsHost(r):
			http.Error(w, "this server is not known by that name: ask for it as localhost, or by its address", http.StatusForbidden)
		case origin == guard.Foreign, origin == guard.Unsaid && r.Header.Get("Origin") != "":
			http.Error(w, "pages of other origins may not ask", http.StatusForbidden)
		case !g.HasToken(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is needed: Authorization: Bearer TOKEN, with the token of this server", http.StatusUnauthorized)
		default:
			endless(w)
			if r.ContentLength < 0 || r.ContentLength > small {
				select {
				case places <- struct{}{}:
					defer func() { <-places }()
				case <-r.Context().Done():
					return
				}
			}
			served.ServeHTTP(w, r)
		}
	})
}

// endless takes the deadlines away that a connection has: a client waits at it for what the server
// sends, and a tool may take long.
func endless(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}) // where there are none, all is well
}
