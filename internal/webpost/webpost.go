// Package webpost describes the HTTP requests that handoff asks handoff-relay to send: handoff itself connects to no
// network. One [Request] and its [Answer] are the input and output of one run of handoff-relay, as JSON.
package webpost

import (
	"encoding/json"
	"time"
)

// Command is the argument of handoff-relay that makes it send one request.
const Command = "post"

// MaxAnswer is the maximum number of bytes of an answer's body.
const MaxAnswer = 1 << 20

// A Request is a POST request with a JSON body.
type Request struct {
	URL string
	// Key is sent as a bearer token; "" sends none.
	Key  string
	Body json.RawMessage
	// Timeout bounds all attempts and the pauses between them.
	Timeout time.Duration
	// Retries is the maximum number of further attempts after a failed connection or a status of 408, 409, 429 or 5xx.
	Retries int
}

// An Answer is the result of the last attempt.
type Answer struct {
	Attempts int
	Status   int    // 0 if there was no answer
	Reason   string // of the status, such as Not Found
	Location string // of a redirect, which is not followed
	Body     []byte // at most MaxAnswer bytes and one more
	Failure  string // the reason why there was no answer, "" if there was one
	TimedOut bool   // the timeout ended the attempts
}
