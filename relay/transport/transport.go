// Package transport carries messages from a sender to one of the receivers of a place, and
// answers back: [Publisher] and [Consumer], what goes with a message, and [Memory], the
// transport within one process. The others are in packages of their own.
//
// A message that was published arrives at least once: whoever takes it may get it again, and
// goes by [Message.Key]. What a transport promises, package transporttest tests.
package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Message is what a transport carries: bytes, and what it says of them. Only Body is
// needed.
type Message struct {
	// ID is the same for every try to publish one message, and for no other message of any
	// sender. A transport that can drops a second one.
	ID string
	// Key names what the message is about, whoever sends it however often (a handoffId).
	Key string
	// Group holds together messages that a transport keeps in order if it can (a taskId).
	Group string
	Kind  Kind
	Body  []byte

	Traceparent  string    // W3C Trace Context, "" for none
	DispatchedAt time.Time // when its sender gave it to the transport; zero if nobody said
	Attempt      int       // which attempt at handing over this is, from 1; 0 if nobody said
	// ReplyTo is the name of the sender at this place, to which answers go; "" for no answers.
	// It is one that [IsName] accepts.
	ReplyTo string
	// Outcome says in one word what an answer is, for transports that have a word for it.
	Outcome Outcome
	// Encoding is how Body is compressed: "" or "zstd".
	Encoding string
	// Claim is the SHA-256 of a body that was stored elsewhere, 64 hexadecimal digits; Body is
	// empty then.
	Claim string
}

// A Kind is what a message is for.
type Kind string

// The kinds. A message that says none is a [Handoff].
const (
	Handoff    Kind = "handoff"
	Answer     Kind = "answer"     // to a handoff
	Revocation Kind = "revocation" // of a handoff that its sender has taken back
	Chunk      Kind = "chunk"      // of a handoff that comes in parts
	Withheld   Kind = "withheld"   // a dead letter without the message: see [Options].Withhold
)

// An Outcome is what became of a message, in a word.
type Outcome string

// The outcomes.
const (
	Taken    Outcome = "taken"
	Refused  Outcome = "refused"  // something is wrong with the message
	Conflict Outcome = "conflict" // it contradicts what was taken before
)

// Withheld returns the dead letter of a message whose body must not stay with the transport. Its body is
// a JSON object with the members handoffId, which is the message's Key, and reason.
func (m Message) Withheld(reason string) Message {
	body, err := json.Marshal(map[string]string{"handoffId": m.Key, "reason": OneLine(reason)})
	if err != nil {
		panic(err) // of strings there is none
	}
	m.Kind, m.Body, m.Encoding, m.Claim = Withheld, body, "", ""
	return m
}

// A Publisher sends messages to one place. It is safe for concurrent use.
type Publisher interface {
	// Publish returns when the transport has confirmed that the message is safe there, at this
	// place. After an error it is not known whether the message arrives, unless the error is a
	// [*TooLargeError] or a [*PermanentError].
	Publish(ctx context.Context, m Message) (Receipt, error)
	// Answers returns what was answered to messages with this ReplyTo and has not been
	// acknowledged: also before it is called, also to another process. The error is
	// [ErrNoAnswers] where answers come with Publish alone.
	Answers(ctx context.Context, replyTo string) (Consumer, error)
	// Close ends the use of the transport.
	Close() error
}

// A Receipt is what a transport has confirmed. The zero value says that it has the message.
type Receipt struct {
	// Answer is the receiver's, where the transport waits for it; nil elsewhere.
	Answer *Message
	// Duplicate: the place had a message of this ID already, and has added none.
	Duplicate bool
}

// An Asker is a [Publisher] that can ask a receiver later what became of a message.
type Asker interface {
	// Ask returns the newest answer to what was published with a key, nil if the receiver
	// does not know of it.
	Ask(ctx context.Context, key string) (*Message, error)
}

// A Consumer takes messages from one place, where other consumers may take others. It is safe
// for concurrent use.
type Consumer interface {
	// Next waits for a message. Its error is that of ctx when that is done. After another
	// error the consumer is at its end, and a new one has to be opened.
	Next(ctx context.Context) (Delivery, error)
	// Reply sends an answer to a sender by the name that a message had as ReplyTo, however
	// long ago. It returns when the answer is safe.
	Reply(ctx context.Context, replyTo string, answer Message) error
	// Close gives back what was not acknowledged, and ends the use of the transport.
	Close() error
}

// Respond sends the answer to a message by a consumer of its place, if the sender wants one: it is
// the Answer of a [Delivery] where answers go to senders by name.
func Respond(ctx context.Context, c Consumer, m, answer Message) error {
	if m.ReplyTo == "" {
		return nil
	}
	return c.Reply(ctx, m.ReplyTo, answer)
}

// A Delivery is a message that a consumer has. As long as the consumer lives, nobody else gets
// the message; it ends with one of Ack, Return and DeadLetter.
type Delivery interface {
	// Message returns the message; its Body is the caller's.
	Message() Message
	// Answer sends an answer to who sent the message, if that wants one. It returns when the
	// answer is safe. It comes before the end of the delivery.
	Answer(ctx context.Context, answer Message) error
	// Ack ends the delivery: the message is never delivered again.
	Ack(ctx context.Context) error
	// Return gives the message back: it is delivered again, if the transport can not before
	// some time.
	Return(ctx context.Context, after time.Duration) error
	// DeadLetter ends the delivery, and puts the message where the transport keeps what nobody
	// can take, if it has such a place.
	DeadLetter(ctx context.Context, reason string) error
}

// Options are what opening a transport takes beside its address. The zero value is usual.
type Options struct {
	// MaxBytes is the longest body that is taken from the transport; 0 means 64 MiB. A longer
	// message is a dead letter.
	MaxBytes int64
	// Prefetch is how many messages a consumer may hold without having acknowledged them; 0
	// means [DefaultPrefetch].
	Prefetch int
	// Lease is how long a message stays with a consumer that has died, where the transport
	// cannot see that; 0 means [DefaultLease].
	Lease time.Duration
	// Withhold: a dead letter is what [Message.Withheld] returns, and nothing of the message stays
	// with the transport.
	Withhold bool
}

// What the zero values of [Options] mean.
const (
	DefaultMaxBytes = 64 << 20
	DefaultPrefetch = 512
	DefaultLease    = 30 * time.Second
)

// WithDefaults returns the options with nothing left out.
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

// IsName reports whether a text can be the name of a sender, which becomes part of the name of
// a queue, a subject or a file: 1 to 64 of the characters a–z, 0–9 and "-".
func IsName(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}

// Shown returns an address as people may see it: without who logs in, since a name may be a
// secret too, and without parameters but for the name of a queue.
func Shown(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}
	if queue := u.Query().Get("queue"); queue != "" {
		shown.RawQuery = url.Values{"queue": {queue}}.Encode()
	}
	return shown.String()
}

// A TooLargeError says that a transport does not take a message, since it is too long.
type TooLargeError struct {
	Size, Limit int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the message has %d bytes, and the transport takes %d at most", e.Size, e.Limit)
}

// A PermanentError says that a message did not arrive, and would not by trying again as it is:
// the transport has no such place, or does not let the sender in.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *PermanentError) Unwrap() error { return e.Err }

// ErrNoAnswers says that a transport has no place for answers: they come with Publish.
var ErrNoAnswers = errors.New("answers come with the message, and nowhere else")
