package mcp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/relay/guard"
)

// Limits for clients.
const (
	idle     = 30 * time.Minute // lifetime of a session without requests
	small    = 1 << 20          // bytes of a request; larger ones, or those without a length, wait for a place
	maxLarge = 8                // concurrent larger requests
)

// Handler returns a handler for clients over streamable HTTP, authorized by a guard. Only a few requests with
// large messages are read concurrently; small ones, such as cancellations, do not wait.
func (s *Server) Handler(g *guard.Guard) http.Handler {
	served := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.mcp }, &sdk.StreamableHTTPOptions{
		MaxRequestBodyBytes: MaxLine(s.options.Limits), SessionTimeout: idle, PropagateRequestCancellation: true,
	})
	places := make(chan struct{}, maxLarge)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := g.Origin(r)
		switch {
		case !g.IsHost(r):
			http.Error(w, "this server does not have that name: use localhost, or its address", http.StatusForbidden)
		case origin == guard.Foreign, origin == guard.Unsaid && r.Header.Get("Origin") != "":
			http.Error(w, "requests from pages of other origins are not allowed", http.StatusForbidden)
		case !g.HasToken(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is required: send Authorization: Bearer TOKEN, with the token of this server", http.StatusUnauthorized)
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
			if r.Method == http.MethodPost {
				if answer := withTextIDs(r, MaxLine(s.options.Limits)); answer != nil {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusBadRequest)
					_, _ = w.Write(answer) // the client may have disconnected
					return
				}
			}
			served.ServeHTTP(clientWriter{w}, r)
		}
	})
}

// endless removes the deadlines of a connection: a client waits for messages of the server, and a tool may
// take long.
func endless(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}) // errors mean that there are no deadlines
}

// withTextIDs replaces the body of a request by a body for the SDK, in which ids are text. It returns the
// response to a batch that the SDK must not get.
func withTextIDs(r *http.Request, limit int64) (answer []byte) {
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err == nil && int64(len(body)) <= limit {
		if batch := bytes.TrimSpace(body); len(batch) > 0 && batch[0] == '[' {
			elements, answer := elementsOf(batch)
			if answer != nil {
				return answer
			}
			for i, e := range elements {
				elements[i] = textIDs(e)
			}
			body = slices.Concat([]byte{'['}, bytes.Join(elements, []byte{','}), []byte{']'})
		} else {
			body = textIDs(body)
		}
		r.ContentLength = int64(len(body))
	}
	rest := r.Body // the SDK rejects bodies that are too long or truncated
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	return nil
}

// A clientWriter writes the SDK's responses with the client's ids. The SDK writes whole events.
type clientWriter struct{ http.ResponseWriter }

// Unwrap implements the interface of [http.ResponseController].
func (w clientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w clientWriter) Write(p []byte) (int, error) {
	var made []byte
	switch kind := w.Header().Get("Content-Type"); {
	case strings.HasPrefix(kind, "application/json"):
		made = clientIDs(p)
	case strings.HasPrefix(kind, "text/event-stream"):
		for line := range bytes.Lines(p) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				line = slices.Concat([]byte("data: "), clientIDs(data))
			}
			made = append(made, line...)
		}
	default:
		made = p
	}
	if _, err := w.ResponseWriter.Write(made); err != nil {
		return 0, err
	}
	return len(p), nil
}
