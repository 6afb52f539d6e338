package a2a

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExtensionURI identifies the A2A extension for canonical handoff messages, and answers to them,
// in A2A messages. Its specification is docs/a2a.md. It is the key of the extension's metadata;
// metadata of this module that the specification does not define have keys that begin with the URI
// and a slash.
const ExtensionURI = ExtensionBase + "v1"

// ExtensionBase is the prefix of the extension's URI in each version.
const ExtensionBase = "https://github.com/eaapl/handoff/extensions/handoff/"

// A Content is the kind of content in a part of the extension, according to the part's
// metadata.
type Content string

// The kinds of content.
const (
	// Handoff is a canonical handoff message.
	Handoff Content = "handoff"
	// Answer is the receiver's answer to a handoff.
	Answer Content = "answer"
)

// contentMember is the member of the extension's metadata that names the content of a part.
const contentMember = "content"

// Contents returns the values in parts of the extension with the given content, in text order.
// root is a task, message, artifact or update, or an envelope of one. Values that are not objects
// are omitted; there is no further validation.
func Contents(root jsonstream.Value, content Content) []jsonstream.Value {
	var all []jsonstream.Value
	for _, holder := range holders(root) {
		for _, part := range holder.Get("parts").Elements() {
			if v := part.Get("data"); v.Kind() == jsonstream.Object && contentOf(part) == content {
				all = append(all, v)
			}
		}
	}
	return all
}

// contentOf returns the content of a part of the extension; "" for any other part.
func contentOf(part jsonstream.Value) Content {
	return Content(part.Get("metadata").Get(ExtensionURI).Get(contentMember).Text())
}

// A MissingError reports that a document does not have exactly one part with the content.
type MissingError struct {
	Content Content
	Found   []string // the JSON Pointers if there are several
}

func (e *MissingError) Error() string {
	if len(e.Found) == 0 {
		return fmt.Sprintf("no %s found: no part has metadata with %q and the content %q", e.Content, ExtensionURI, e.Content)
	}
	const shown = 3
	text := fmt.Sprintf("expected one %s, found %d, at ", e.Content, len(e.Found))
	for i, pointer := range e.Found[:min(len(e.Found), shown)] {
		if i > 0 {
			text += ", "
		}
		text += finding.Pointer(pointer)
	}
	if len(e.Found) > shown {
		text += ", …"
	}
	return text
}

// Unwrap returns the only handoff or answer in a document: see [Contents]. The error is a
// [*MissingError].
func Unwrap(root jsonstream.Value, content Content) (jsonstream.Value, error) {
	all := Contents(root, content)
	if len(all) == 1 {
		return all[0], nil
	}
	e := &MissingError{Content: content}
	for _, v := range all {
		e.Found = append(e.Found, v.Pointer())
	}
	return jsonstream.Value{}, e
}

// An Envelope is the form of a sent message.
type Envelope string

// The envelopes.
const (
	// Bare is no envelope: a Message.
	Bare Envelope = "message"
	// Request is the SendMessageRequest of HTTP+JSON and gRPC.
	Request Envelope = "request"
	// RPC is a SendMessage request of JSON-RPC.
	RPC Envelope = "rpc"
)

// WrapOptions configures the A2A message. The zero value is a Message with the role for the
// content: ROLE_USER for a handoff, which the client sends, and ROLE_AGENT for an answer, which
// the agent sends.
type WrapOptions struct {
	Envelope  Envelope
	Role      string // ROLE_USER or ROLE_AGENT
	ContextID string // of the conversation; omitted if ""
	TaskID    string // of the task; omitted if ""
	// MessageID is the id of the message. The default is derived from the digest of the content,
	// so that the same content always has the same id and corrected content has another.
	MessageID string
}

// ErrContent reports a document that is neither a handoff nor an answer.
var ErrContent = errors.New("the document is neither a handoff (with handoffId and schemaVersion) nor an answer (with handoffId and status)")

// ContentOf returns the kind of a document as the content of a part. It does not validate the
// document. The error is [ErrContent].
func ContentOf(root jsonstream.Value) (Content, error) {
	switch {
	case root.Get("handoffId").Exists() && root.Get("schemaVersion").Exists():
		return Handoff, nil
	case root.Get("handoffId").Exists() && root.Get("status").Exists():
		return Answer, nil
	}
	return "", ErrContent
}

// Wrap returns an A2A 1.0 message that carries a handoff or an answer, as compact JSON. The
// content changes only in white space, and is not validated. The error is [ErrContent], or a
// [*jsonstream.NumberError] for a number that is not exact as a double: A2A transmits numbers as
// doubles.
func Wrap(root jsonstream.Value, o WrapOptions) ([]byte, error) {
	content, err := ContentOf(root)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	if err := jsonstream.WriteCanonical(digest, root, jsonstream.CanonicalOptions{Exact: true}); err != nil {
		return nil, err
	}
	if o.MessageID == "" {
		o.MessageID = string(content) + "-" + hex.EncodeToString(digest.Sum(nil)[:16])
	}
	if o.Role == "" {
		o.Role = map[Content]string{Handoff: "ROLE_USER", Answer: "ROLE_AGENT"}[content]
	}
	text := format.Fill(`{"messageId":%,`, o.MessageID)
	if o.ContextID != "" {
		text = append(text, format.Fill(`"contextId":%,`, o.ContextID)...)
	}
	if o.TaskID != "" {
		text = append(text, format.Fill(`"taskId":%,`, o.TaskID)...)
	}
	text = append(text, format.Fill(`"role":%,"extensions":[%],"parts":[{"data":`, o.Role, ExtensionURI)...)
	text = jsonstream.AppendCompact(text, root.Raw())
	text = append(text, format.Fill(`,"mediaType":"application/json","metadata":{%:{"content":%}}}]}`, ExtensionURI, string(content))...)
	switch o.Envelope {
	case Request:
		return inside(`{"message":`, text, `}`), nil
	case RPC:
		return inside(string(format.Fill(`{"jsonrpc":"2.0","id":%,"method":"SendMessage","params":{"message":`, o.MessageID)), text, `}}`), nil
	}
	return text, nil
}

func inside(before string, text []byte, after string) []byte {
	return append(append([]byte(before), text...), after...)
}
