// Package http carries messages by HTTP: a sender posts them to the address of a receiver, which
// answers in the response. There is no queue in between: a sender that cannot reach the receiver
// retries, and a sender that needs the answer later requests it by the message's key (GET
// ADDRESS/KEY).
//
// docs/transports-http.md describes the requests, the statuses and the headers.
package http

import (
	"mime"
	"strings"
)

// Headers and media types of both sides. All others come from [transport.Message.Headers].
const (
	keyHeader      = "Idempotency-Key"
	outcomeHeader  = "Handoff-Outcome"
	maxBytesHeader = "Handoff-Max-Bytes" // in a response 413: the maximum length of a body
	retryAfter     = "Retry-After"

	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// isJSON reports whether a Content-Type is a JSON type other than application/problem+json.
func isJSON(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && (name == jsonType || strings.HasSuffix(name, "+json") && name != problemType)
}
