package macp

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrFixture reports a fixture where a transcript is needed.
var ErrFixture = errors.New("this is a conformance fixture, and messages are appended only to transcripts: remove the member expect, or start a transcript")

// A Step is a message to write.
type Step struct {
	MessageID  string // must be new in the session
	Sender     string
	Timestamp  string  // RFC 3339; "" omits the member
	AcceptedAt Instant // by a runtime's clock; omitted if unknown
	Payload    Payload
}

// A RejectedError reports a step that breaks a rule.
type RejectedError struct {
	// Violation has the index that the message would have, and no position.
	Violation Violation
}

func (e *RejectedError) Error() string {
	if e.Violation.Rule == shape {
		return fmt.Sprintf("rejected (%s): %s", e.Violation.Reason, e.Violation.Message)
	}
	return fmt.Sprintf("rejected by %s (%s): %s", e.Violation.Rule, e.Violation.Reason, e.Violation.Message)
}

func rejected(v Violation) error {
	v.Finding = v.At(v.Pointer, jsonstream.Position{})
	return &RejectedError{v}
}

// Start returns a transcript with one message, the SessionStart, and with each message on
// its own line. The error is a [*RejectedError].
func Start(sessionID string, step Step, o Options) ([]byte, error) {
	w := writer{out: []byte("{\n  \"protocol_version\": \"" + Version + "\",\n  \"mode\": \"" + Mode + "\",\n  \"session_id\": ")}
	w.quote(sessionID)
	if w.err != nil {
		return nil, rejected(notUTF8(-1))
	}
	empty := append(w.out, ",\n  \"messages\": [\n  ]\n}\n"...)
	doc, err := jsonstream.Parse(jsonstream.NewRaw(empty), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	return Append(doc, step, o)
}

// notUTF8 is the violation for a text that JSON cannot hold.
func notUTF8(index int) Violation {
	v := violation(shape, InvalidEnvelope, "texts in UTF-8", "other bytes", "send binary data as a context, in base64")
	v.Index = index
	return v
}

// Append returns the transcript's text with one more message after its messages, and
// everything else unchanged. The message is formatted like the previous one: on one line, or
// indented. If a rule forbids the message, or the transcript's own members are invalid, the
// error is a [*RejectedError].
func Append(doc *jsonstream.Document, step Step, o Options) ([]byte, error) {
	t, faults := Read(doc)
	if t.Fixture {
		return nil, ErrFixture
	}
	if len(faults) > 0 {
		return nil, rejected(faults[0])
	}
	var w writer
	w.message(t.SessionID, step)
	if w.err != nil {
		return nil, rejected(notUTF8(t.Len()))
	}
	text, err := splice(doc, t.messages, w.out)
	if err != nil {
		return nil, err
	}
	longer, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	t, _ = Read(longer)
	if _, v := Replay(t, o); v != nil {
		return nil, rejected(*v)
	}
	return text, nil
}

// splice inserts a message at the end of an array.
func splice(doc *jsonstream.Document, messages jsonstream.Value, message []byte) ([]byte, error) {
	raw := doc.Raw()
	offset := func(v jsonstream.Value) int { return int(v.Position().Offset - raw.Start.Offset) }
	var newest jsonstream.Value
	for _, newest = range messages.Elements() {
	}
	at := offset(messages) + 1
	var gap []byte // the white space before the message
	if newest.Exists() {
		begin := offset(newest)
		at = begin + len(newest.Raw())
		gap = append([]byte{','}, raw.Bytes[len(bytes.TrimRight(raw.Bytes[:begin], space)):begin]...)
	} else if rest := raw.Bytes[at:]; bytes.IndexByte(rest[:len(rest)-len(bytes.TrimLeft(rest, space))], '\n') >= 0 {
		gap = []byte("\n    ")
	}
	if bytes.IndexByte(newest.Raw(), '\n') >= 0 {
		indented, err := jsonstream.AppendIndent(nil, message)
		if err != nil {
			return nil, err
		}
		margin := []byte{'\n'}
		if i := bytes.LastIndexByte(gap, '\n'); i >= 0 {
			margin = gap[i:]
		}
		message = bytes.ReplaceAll(indented, []byte{'\n'}, margin)
	}
	return slices.Concat(raw.Bytes[:at], gap, message, raw.Bytes[at:]), nil
}

// space is the white space of JSON.
const space = " \t\r\n"
