// Package http carries messages by HTTP: a sender posts them to the address of a receiver,
// which answers in the response. There is no queue in between: who cannot reach the receiver
// tries again, and whoever wants to know later what became of a message asks for it by its key
// (GET ADDRESS/KEY).
//
// docs/transports-http.md has the requests, the statuses and the headers.
package http

import (
	"mime"
	"strings"
)

// Headers and media types of both sides. All others are those of [transport.Message.Headers].
const (
	keyHeader      = "Idempotency-Key"
	outcomeHeader  = "Handoff-Outcome"
	maxBytesHeader = "Handoff-Max-Bytes" // of a response 413: the longest body that is taken
	retryAfter     = "Retry-After"

	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// isJSON reports whether a Content-Type is one of JSON texts, and is not that of a problem.
func isJSON(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && (name == jsonType || strings.HasSuffix(name, "+json") && name != problemType)
}
