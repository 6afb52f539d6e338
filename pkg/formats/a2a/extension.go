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

// ExtensionURI identifies the extension of A2A by which messages carry canonical handoff messages,
// and the answers to them. Its specification is docs/a2a.md. Metadata of the extension have it as
// their key, and metadata of this module that are not of the specification have keys that begin
// with it and a slash.
const ExtensionURI = ExtensionBase + "v1"

// ExtensionBase is what the URI of each version of the extension begins with.
const ExtensionBase = "https://github.com/eaapl/handoff/extensions/handoff/"

// A Content is what a part of the extension holds, as the metadata of the part say.
type Content string

// The contents.
const (
	// Handoff is a canonical handoff message.
	Handoff Content = "handoff"
	// Answer is what the receiver of one answers.
	Answer Content = "answer"
)

// contentMember is the member of the extension's metadata that says what a part holds.
const contentMember = "content"

// Contents returns what the parts of the extension with a content hold in a task, message,
// artifact or update, or what is sent of one, in the order of the text. Values that are no objects
// are left out, and nothing is checked beyond.
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

// contentOf returns what a part of the extension holds; "" for any other.
func contentOf(part jsonstream.Value) Content {
	return Content(part.Get("metadata").Get(ExtensionURI).Get(contentMember).Text())
}

// A MissingError says that a document does not hold the one content that was looked for.
type MissingError struct {
	Content Content
	Found   []string // the JSON Pointers of several
}

func (e *MissingError) Error() string {
	if len(e.Found) == 0 {
		return fmt.Sprintf("no %s in it: found no part whose metadata has %q with the content %q", e.Content, ExtensionURI, e.Content)
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

// Unwrap returns the one handoff or answer in a task, message, artifact or update, or in what is
// sent of one: see [Contents]. The error is a [*MissingError].
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

// An Envelope is what a message is sent in.
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

// WrapOptions say what the message of A2A is like. The zero value is a Message of the role that
// the content has: a handoff is of the client, ROLE_USER, and an answer of the agent, ROLE_AGENT.
type WrapOptions struct {
	Envelope  Envelope
	Role      string // ROLE_USER or ROLE_AGENT
	ContextID string // of the conversation; none if it is ""
	TaskID    string // of the task; none if it is ""
	// MessageID is that of the message. The default is made of the digest of the content, so that
	// the same one has the same id when it is sent again, and a corrected one another.
	MessageID string
}

// ErrContent reports a document that is neither a handoff nor an answer.
var ErrContent = errors.New("neither a handoff, with handoffId and schemaVersion, nor an answer, with handoffId and status")

// ContentOf returns what a document is as the content of a part. It does not validate it. The error
// is [ErrContent].
func ContentOf(root jsonstream.Value) (Content, error) {
	switch {
	case root.Get("handoffId").Exists() && root.Get("schemaVersion").Exists():
		return Handoff, nil
	case root.Get("handoffId").Exists() && root.Get("status").Exists():
		return Answer, nil
	}
	return "", ErrContent
}

// Wrap returns a message of A2A 1.0 that carries a handoff, or the answer to one, as compact JSON:
// the content is as it was but for white space. It does not validate the content. The error is
// [ErrContent], or a [*jsonstream.NumberError]: A2A passes numbers on as doubles, so one that a
// double does not hold would arrive as another.
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
