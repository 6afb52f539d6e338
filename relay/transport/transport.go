// Package transport carries messages from senders to the receivers of a place, and answers back. It
// defines [Publisher], [Consumer] and [Message], and has [Memory], the transport within one process.
// The other transports are in packages of their own.
//
// A published message is delivered at least once: receivers may get it again, and detect that by
// [Message.Key]. Package transporttest tests the guarantees of transports.
package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Message is the unit that a transport carries: bytes and their metadata. Only Body is required.
type Message struct {
	// ID is the same for every publication of one message, and for no other message of any sender.
	// Transports that can detect a repetition drop it.
	ID string
	// Key identifies the subject of the message, independent of sender and repetitions (a
	// handoffId).
	Key string
	// Group identifies messages that a transport keeps in order if it can (a taskId).
	Group string
	Kind  Kind
	Body  []byte

	Traceparent  string    // W3C Trace Context, "" for none
	DispatchedAt time.Time // when its sender passed it to the transport; zero if unknown
	Attempt      int       // the number of this attempt to hand over, from 1; 0 if unknown
	// ReplyTo is the name of the sender at this place, to which answers go; "" for no answers. It
	// must satisfy [IsName].
	ReplyTo string
	// Outcome summarises an answer, for transports with status codes or the like.
	Outcome Outcome
	// Encoding is the compression of Body: "" or "zstd".
	Encoding string
	// Claim is the SHA-256 of a body that was stored elsewhere, 64 hexadecimal digits; Body is then
	// empty.
	Claim string
}

// A Kind is the purpose of a message.
type Kind string

// The kinds. A message without one is a [Handoff].
const (
	Handoff    Kind = "handoff"
	Answer     Kind = "answer"     // to a handoff
	Revocation Kind = "revocation" // of a handoff that its sender takes back
	Chunk      Kind = "chunk"      // of a handoff sent in parts
	Withheld   Kind = "withheld"   // a dead letter without the message: see [Options].Withhold
)

// An Outcome is the result of a message, in one word.
type Outcome string

// The outcomes.
const (
	Taken    Outcome = "taken"
	Refused  Outcome = "refused"  // the message is invalid
	Conflict Outcome = "conflict" // it contradicts an earlier message
)

// Withheld returns the dead letter of a message whose body must not stay with the transport. Its
// body is a JSON object with the members handoffId, which is the message's Key, and reason.
func (m Message) Withheld(reason string) Message {
	body, err := json.Marshal(map[string]string{"handoffId": m.Key, "reason": OneLine(reason)})
	if err != nil {
		panic(err) // strings cannot fail
	}
	m.Kind, m.Body, m.Encoding, m.Claim = Withheld, body, "", ""
	return m
}

// A Publisher sends messages to one place. It is safe for concurrent use.
type Publisher interface {
	// Publish returns when the transport has confirmed that the message is stored at this place.
	// After an error the message may still be delivered, unless the error is a [*TooLargeError] or a
	// [*PermanentError].
	Publish(ctx context.Context, m Message) (Receipt, error)
	// Answers returns unacknowledged answers to messages with this ReplyTo, including answers that
	// arrived before the call and answers to messages of other processes. The error is
	// [ErrNoAnswers] if answers are only returned by Publish.
	Answers(ctx context.Context, replyTo string) (Consumer, error)
	// Close releases the transport.
	Close() error
}

// A Receipt is the confirmation of a publication. The zero value confirms that the transport has the
// message.
type Receipt struct {
	// Answer is the receiver's answer, if the transport waits for it; else nil.
	Answer *Message
	// Duplicate reports that the place already had a message with this ID, and dropped the new one.
	Duplicate bool
}

// An Asker is a [Publisher] that can ask a receiver for the answer to an earlier message.
type Asker interface {
	// Ask returns the newest answer to a message with the given key, nil if the receiver does not
	// know the key.
	Ask(ctx context.Context, key string) (*Message, error)
}

// A Consumer takes messages from one place, possibly among other consumers. It is safe for
// concurrent use.
type Consumer interface {
	// Next waits for a message. When ctx is done, it returns the error of ctx. After any other error
	// the consumer is unusable, and a new one has to be opened.
	Next(ctx context.Context) (Delivery, error)
	// Reply sends an answer to the sender with the name in a message's ReplyTo, at any time after
	// it. It returns when the answer is stored.
	Reply(ctx context.Context, replyTo string, answer Message) error
	// Close gives back unacknowledged messages, and releases the transport.
	Close() error
}

// Respond sends the answer to a message through a consumer of its place, if the sender wants one. It
// implements Answer of a [Delivery] for transports that address answers to senders by name.
func Respond(ctx context.Context, c Consumer, m, answer Message) error {
	if m.ReplyTo == "" {
		return nil
	}
	return c.Reply(ctx, m.ReplyTo, answer)
}

// A Delivery is a message held by a consumer. No other consumer gets the message while this one
// lives and the delivery lasts; Ack, Return and DeadLetter end it.
type Delivery interface {
	// Message returns the message; its Body is the caller's.
	Message() Message
	// Answer sends an answer to the message's sender, if the sender wants one. It returns when the
	// answer is stored. It must be called before the end of the delivery.
	Answer(ctx context.Context, answer Message) error
	// Ack ends the delivery: the message is never delivered again.
	Ack(ctx context.Context) error
	// Return gives the message back: it is delivered again, after the given time if the transport
	// supports that.
	Return(ctx context.Context, after time.Duration) error
	// DeadLetter ends the delivery, and moves the message to the transport's dead letters, if it has
	// a place for them.
	DeadLetter(ctx context.Context, reason string) error
}

// Options are the options of opening a transport. The zero value is ready to use.
type Options struct {
	// MaxBytes is the maximum length of a body; 0 means 64 MiB. A longer message becomes a dead
	// letter.
	MaxBytes int64
	// Prefetch is the maximum number of unacknowledged messages of a consumer; 0 means
	// [DefaultPrefetch].
	Prefetch int
	// Lease is the time that a message stays with a dead consumer, if the transport cannot detect
	// its death; 0 means [DefaultLease].
	Lease time.Duration
	// Withhold replaces dead letters with [Message.Withheld], so that nothing of the message stays with
	// the transport.
	Withhold bool
}

// Defaults of [Options].
const (
	DefaultMaxBytes = 64 << 20
	DefaultPrefetch = 512
	DefaultLease    = 30 * time.Second
)

// WithDefaults returns the options with zero values replaced by defaults.
func (o Options) WithDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Prefetch == 0 {
		o.Prefetch = DefaultPrefetch
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	return o
}

// IsName reports whether a text is a valid name of a sender, which becomes part of the name of a
// queue, a subject or a file: 1 to 64 of the characters a–z, 0–9 and "-".
func IsName(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}

// Shown returns an address for display: without user information, since a user name may be a secret
// too, and without parameters other than the name of a queue.
func Shown(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}
	if queue := u.Query().Get("queue"); queue != "" {
		shown.RawQuery = url.Values{"queue": {queue}}.Encode()
	}
	return shown.String()
}

// A TooLargeError reports a message that is too long for a transport.
type TooLargeError struct {
	Size, Limit int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the message has %d bytes, more than the transport's limit of %d", e.Size, e.Limit)
}

// A PermanentError reports that a message did not arrive, and that a retry would not help: the
// transport has no such place, or does not admit the sender.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *PermanentError) Unwrap() error { return e.Err }

// ErrNoAnswers reports a transport without a place for answers: Publish returns them.
var ErrNoAnswers = errors.New("answers come only with the message")
