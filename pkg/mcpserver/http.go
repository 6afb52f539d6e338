package mcpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idle is how long a session without requests is kept.
const idle = 30 * time.Minute

// Handler returns what serves clients by streamable HTTP, that know the token. host is the name
// or address that it listens at: a request for any other name is refused, so that no web page
// reaches the server through a name that it made point here (DNS rebinding). Of addresses, and
// localhost, none is refused. Nor may a page of another origin ask.
func (s *Server) Handler(token, host string) http.Handler {
	served := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: MaxLine(s.options.Limits), SessionTimeout: idle, PropagateRequestCancellation: true,
	})
	expected := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isNamed(hostname(r.Host), host) {
			http.Error(w, "this server is not known by that name: ask for it as localhost, or by its address", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				http.Error(w, "pages of other origins may not ask", http.StatusForbidden)
				return
			}
		}
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if !ok || subtle.ConstantTimeCompare(got[:], expected[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is needed: Authorization: Bearer TOKEN, with the token of this server", http.StatusUnauthorized)
			return
		}
		served.ServeHTTP(w, r)
	})
}

// isNamed reports whether a request for a host is for this server.
func isNamed(asked, host string) bool {
	return asked == "localhost" || net.ParseIP(asked) != nil || host != "" && strings.EqualFold(asked, host)
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
