package http

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// A problem is an error in the form of RFC 9457.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitzero"`
	Limit  int64  `json:"limit,omitzero"` // maximum length of a body, in bytes
}

// writeProblem writes a problem. Its title is the text of the status.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	problem{Status: status, Detail: detail}.write(w)
}

func (p problem) write(w http.ResponseWriter) {
	p.Title = http.StatusText(p.Status)
	body, _ := json.Marshal(p) // its texts are ours
	writeBody(w, p.Status, problemType, append(body, '\n'))
}

// writeBusy writes a temporary problem.
func writeBusy(w http.ResponseWriter, status int, detail string, after time.Duration) {
	seconds := max(1, (after+time.Second-1)/time.Second)
	w.Header().Set(retryAfter, strconv.FormatInt(int64(seconds), 10))
	writeProblem(w, status, detail)
}

// writeBody writes a response to a client that may read slowly.
func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // writers of tests have none
	if len(body) > 0 {
		w.Header().Set("Content-Type", contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone asks later
}
