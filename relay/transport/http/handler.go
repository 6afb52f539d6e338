package http

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/transport"
)

// busyWait is the Retry-After of a busy server: a guess, since the server cannot know better.
const busyWait = time.Second

// ServeHTTP handles a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // clear the deadline of the last response
	if s.stopped() {
		w.Header().Set("Connection", "close") // the next request goes to another receiver
	}
	if s.options.Token == "" && !s.site.IsHost(r) {
		writeProblem(w, http.StatusMisdirectedRequest, "this receiver does not have that name: use one of its addresses, or ask its operator to allow the name")
		return
	}
	if r.URL.Path == healthPath {
		s.health(w, r)
		return
	}
	if h := s.options.Handlers[r.URL.Path]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	key, below := strings.CutPrefix(r.URL.EscapedPath(), s.path)
	isKey := below && len(key) > 1 && key[0] == '/' && !strings.Contains(key[1:], "/")
	switch {
	case !below || key != "" && key != "/" && !isKey:
		writeProblem(w, http.StatusNotFound, "messages are posted to "+s.path+"/")
	case guard.IsFromBrowser(r) && !s.isOrigin(r):
		writeProblem(w, http.StatusForbidden, "browsers are not allowed, unless the operator of this receiver allows the origin of the page")
	case !s.isAllowed(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeProblem(w, http.StatusUnauthorized, "the bearer token is missing or wrong")
	case isKey:
		s.ask(w, r, key[1:])
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		writeProblem(w, http.StatusMethodNotAllowed, "use POST to send a message")
	default:
		s.post(w, r)
	}
}

func (s *Server) stopped() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

func (s *Server) isAllowed(r *http.Request) bool {
	return s.options.Token == "" || guard.HasToken(r, s.options.Token)
}

// isOrigin reports whether a request is from a page of an allowed origin. A browser omits the origin
// if a page only reads from its own.
func (s *Server) isOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return len(s.options.Origins) > 0 && r.Header.Get("Sec-Fetch-Site") == "same-origin"
	}
	return !slices.ContainsFunc(origins, func(o string) bool { return !slices.Contains(s.options.Origins, o) })
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if !isRead(w, r) {
		return
	}
	if s.stopped() {
		writeProblem(w, http.StatusServiceUnavailable, s.failed.Error())
		return
	}
	if s.options.Health != nil {
		if err := s.options.Health(); err != nil {
			writeProblem(w, http.StatusServiceUnavailable, neterror.PeerText(err.Error(), &url.URL{}))
			return
		}
	}
	writeBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
}

// isRead reports whether a request only reads, and rejects others.
func isRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	writeProblem(w, http.StatusMethodNotAllowed, "use GET or HEAD")
	return false
}

// ask writes the newest answer for a key.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, escaped string) {
	if !isRead(w, r) {
		return
	}
	key, err := url.PathUnescape(escaped)
	if err != nil || s.options.Ask == nil {
		writeProblem(w, http.StatusNotFound, "this receiver does not support requests for answers")
		return
	}
	a, err := s.options.Ask(r.Context(), key)
	switch {
	case err != nil: // the details are not for the client
		s.log("reading the answer for a key: " + err.Error())
		writeBusy(w, http.StatusServiceUnavailable, "the answers cannot be read now", busyWait)
	case a == nil:
		writeProblem(w, http.StatusNotFound, "no message with this key is known")
	default:
		setHeaders(w, *a)
		writeBody(w, http.StatusOK, jsonType, a.Body)
	}
}

func (s *Server) log(line string) {
	if s.options.Log != nil {
		s.options.Log(line)
	}
}

// setHeaders sets the headers of an answer.
func setHeaders(w http.ResponseWriter, a transport.Message) {
	for _, h := range a.Headers() {
		w.Header().Set(h.Name, h.Value)
	}
}

// post takes a message, and waits for the response to it.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	if s.stopped() {
		writeBusy(w, http.StatusServiceUnavailable, "this receiver is stopping", busyWait)
		return
	}
	m := transport.Message{Encoding: strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))}
	if m.Encoding == "identity" {
		m.Encoding = ""
	}
	switch {
	case !isJSON(r.Header.Get("Content-Type")):
		w.Header().Set("Accept-Post", jsonType)
		writeProblem(w, http.StatusUnsupportedMediaType, "a message must have Content-Type: "+jsonType+"; found "+found(r.Header.Get("Content-Type")))
		return
	case m.Encoding != "" && m.Encoding != "zstd":
		w.Header().Set("Accept-Encoding", "zstd")
		writeProblem(w, http.StatusUnsupportedMediaType, "a message must be uncompressed or compressed with zstd; found "+found(m.Encoding))
		return
	case r.ContentLength > s.options.MaxBytes:
		s.tooLarge(w)
		return
	}
	if s.work.isFull(max(r.ContentLength, 0)) { // early, before the sender of a long one has sent it
		s.busy(w)
		return
	}
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	size := int64(len(body))
	if !s.work.begin(size) {
		s.busy(w)
		return
	}
	d := newDelivery(s, size, m.Encoding, r.Header)
	d.message.Body = body
	s.taken.Add(1)
	defer s.taken.Done()
	select {
	case s.posted <- d:
	case <-s.stopping:
		d.end()
		writeBusy(w, http.StatusServiceUnavailable, "this receiver is stopping", busyWait)
		return
	case <-r.Context().Done(): // the client has gone
		d.end()
		return
	}
	d.write(w)
}

func (s *Server) busy(w http.ResponseWriter) {
	writeBusy(w, http.StatusTooManyRequests, fmt.Sprintf("too many messages are in work: the limit is %d, with %d bytes", s.options.Prefetch, s.options.MaxBytesInWork), busyWait)
}

// found quotes a header's value for a problem.
func found(value string) string {
	if value == "" {
		return "none"
	}
	name, _, err := mime.ParseMediaType(value)
	if err != nil || len(name) > 100 {
		return "an invalid value"
	}
	return name
}

func (s *Server) tooLarge(w http.ResponseWriter) {
	w.Header().Set(maxBytesHeader, fmt.Sprint(s.options.MaxBytes))
	w.Header().Set("Connection", "close") // the rest of the body is not read
	problem{
		Status: http.StatusRequestEntityTooLarge, Limit: s.options.MaxBytes,
		Detail: fmt.Sprintf("the message is too long: the limit is %d bytes", s.options.MaxBytes),
	}.write(w)
}

// body reads a message, or writes a problem.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := s.coming.read(http.MaxBytesReader(w, r.Body, s.options.MaxBytes), r.ContentLength, s.options.MaxBytes)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, true
	case errors.As(err, &tooLarge):
		s.tooLarge(w)
	case errors.Is(err, errBudget):
		w.Header().Set("Connection", "close") // the rest of the body is not read
		writeBusy(w, http.StatusTooManyRequests, fmt.Sprintf("too many messages are arriving: the limit is %d bytes together", s.options.MaxBytesInWork), busyWait)
	case isTimeout(err):
		w.Header().Set("Connection", "close")
		writeProblem(w, http.StatusRequestTimeout, fmt.Sprintf("the message arrived too slowly: it must arrive within %s, and faster than 8 KiB per second", s.options.ReadTimeout))
	default:
		writeProblem(w, http.StatusBadRequest, "the message was cut off")
	}
	return nil, false
}

func isTimeout(err error) bool {
	timeout := net.Error(nil)
	return errors.As(err, &timeout) && timeout.Timeout()
}
