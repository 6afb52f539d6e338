package helper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/transport"
)

// version is the version of the protocol, which the first request and its response contain.
const version = 1

// The operations of requests.
const (
	doHello      = "hello"
	doPublish    = "publish"
	doAsk        = "ask"
	doAnswers    = "answers"
	doNext       = "next"
	doAnswer     = "answer"
	doAck        = "ack"
	doReturn     = "return"
	doDeadLetter = "dead-letter"
	doReply      = "reply"
	doClose      = "close"
	doCancel     = "cancel"
)

// The roles of a hello.
const (
	rolePublish = "publish"
	roleConsume = "consume"
	roleCheck   = "check" // checks the address, and opens nothing
)

// A request is a line of the program's input. Zero members are omitted.
type request struct {
	ID uint64 `json:"id"`
	Do string `json:"do"`

	Versions    []int  `json:"versions,omitzero"`
	Role        string `json:"role,omitzero"`
	URL         string `json:"url,omitzero"`
	MaxBytes    int64  `json:"maxBytes,omitzero"`
	Prefetch    int    `json:"prefetch,omitzero"`
	LeaseMillis int64  `json:"leaseMillis,omitzero"`
	Withhold    bool   `json:"withhold,omitzero"`

	Message     *message `json:"message,omitzero"`
	ReplyTo     string   `json:"replyTo,omitzero"`
	Consumer    uint64   `json:"consumer,omitzero"` // 0 is the one opened first
	Delivery    uint64   `json:"delivery,omitzero"`
	AfterMillis int64    `json:"afterMillis,omitzero"`
	Reason      string   `json:"reason,omitzero"`
}

// A response is a line of the program's output: it has the id of the request. An error with id 0
// ends the program.
type response struct {
	ID       uint64   `json:"id"`
	Version  int      `json:"version,omitzero"`
	Ask      bool     `json:"ask,omitzero"`      // to hello: the program supports ask
	Withhold bool     `json:"withhold,omitzero"` // to hello: the program implements withhold
	Message  *message `json:"message,omitzero"`
	Consumer uint64   `json:"consumer,omitzero"`
	Delivery uint64   `json:"delivery,omitzero"`
	// Duplicate, to publish: the place already had a message with this ID, and the new one was
	// dropped.
	Duplicate bool     `json:"duplicate,omitzero"`
	Error     *failure `json:"error,omitzero"`
}

// A message has all members but the body as headers, which a program need not interpret.
type message struct {
	Headers map[string]string `json:"headers,omitzero"`
	Body    []byte            `json:"body,omitzero"`
}

func wireMessage(m transport.Message) *message {
	w := &message{Body: m.Body}
	for _, h := range m.Headers() {
		if w.Headers == nil {
			w.Headers = map[string]string{}
		}
		w.Headers[h.Name] = h.Value
	}
	return w
}

// message returns the transport message; the zero value is an empty message.
func (w *message) message() transport.Message {
	var m transport.Message
	if w == nil {
		return m
	}
	for name, value := range w.Headers {
		m.SetHeader(name, value)
	}
	m.Body = w.Body
	return m
}

// A failure is an error in a response.
type failure struct {
	Kind             string `json:"kind,omitzero"`
	Text             string `json:"text"`
	Size             int64  `json:"size,omitzero"`
	Limit            int64  `json:"limit,omitzero"`
	RetryAfterMillis int64  `json:"retryAfterMillis,omitzero"`
}

// The kinds of errors. Errors of other kinds are temporary.
const (
	kindTooLarge  = "too-large"
	kindPermanent = "permanent"
	kindNoAnswers = "no-answers"
	kindCanceled  = "canceled"
	kindAddress   = "address" // to a hello with the role check: the address can never work
)

// An addressError reports an address that can never work, whatever the state of its server.
type addressError struct{ error }

// maxErrorText is the maximum length in bytes of an error's text.
const maxErrorText = 4 << 10

// failureOf converts an error for a response.
func failureOf(err error) *failure {
	f := &failure{Text: strings.ToValidUTF8(cut(err.Error(), maxErrorText), "\ufffd")}
	var tooLarge *transport.TooLargeError
	var permanent *transport.PermanentError
	switch {
	case errors.As(err, new(*addressError)):
		f.Kind = kindAddress
	case errors.As(err, &tooLarge):
		f.Kind, f.Size, f.Limit = kindTooLarge, tooLarge.Size, tooLarge.Limit
	case errors.As(err, &permanent):
		f.Kind = kindPermanent
	case errors.Is(err, transport.ErrNoAnswers):
		f.Kind = kindNoAnswers
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.Kind = kindCanceled
	}
	if later := (interface{ RetryAfter() time.Duration })(nil); errors.As(err, &later) {
		f.RetryAfterMillis = later.RetryAfter().Milliseconds()
	}
	return f
}

// A laterError has the time after which a retry may succeed.
type laterError struct {
	error
	after time.Duration
}

func (e *laterError) RetryAfter() time.Duration { return e.after }

// err returns the error of a response, with its text formatted by shown.
func (f *failure) err(shown func(string) string) error {
	err := errors.New(shown(f.Text))
	switch {
	case f.Kind == kindTooLarge:
		return &transport.TooLargeError{Size: f.Size, Limit: f.Limit}
	case f.Kind == kindPermanent:
		return &transport.PermanentError{Err: err}
	case f.Kind == kindAddress:
		return &addressError{err}
	case f.Kind == kindNoAnswers:
		return transport.ErrNoAnswers
	case f.RetryAfterMillis > 0:
		return &laterError{err, millis(f.RetryAfterMillis)}
	}
	return err
}

// millis returns a time in milliseconds, at most an hour: the cap for waits that another program
// requests.
func millis(n int64) time.Duration {
	return time.Duration(min(max(n, 0), time.Hour.Milliseconds())) * time.Millisecond
}

// decode decodes the JSON object of a line. It ignores unknown members, so that later versions may
// add some.
func decode(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("%s: %w", quote(line), plain(err))
	}
	return nil
}

// plain returns a JSON error without the names of Go's types.
func plain(err error) error {
	if e := (*json.SemanticError)(nil); errors.As(err, &e) {
		return fmt.Errorf("unexpected value at %q", string(e.JSONPointer))
	}
	return errors.New("not a JSON object")
}
