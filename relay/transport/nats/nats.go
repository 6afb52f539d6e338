// Package nats carries messages through NATS JetStream.
//
// An address is nats://[USER:PASSWORD@|TOKEN@]HOST:PORT/SUBJECT, or tls:// for TLS. Messages are on
// SUBJECT, dead letters on SUBJECT.dead, answers on SUBJECT.answers.SENDER. An existing stream with
// these subjects is used unchanged. Otherwise a stream is created, on files, with the retention of a
// work queue: acknowledged messages are removed, and dead letters and answers stay until they are
// acknowledged. All receivers of a subject share a durable consumer, "handoff" in a stream created
// here, and "handoff+SUBJECT" in any other, which may have many subjects.
package nats

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// Publish opens a publisher to the subject of an address. It retries until ctx is done.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	p, err := open(ctx, u, true)
	if err != nil {
		return nil, err
	}
	return &publisher{p, o.WithDefaults()}, nil
}

// Consume opens a consumer of the subject of an address. It retries until ctx is done. If the
// connection is lost later, Next waits until the server is back.
//
// Options.Lease applies to all receivers: the first one creates the durable consumer with it, and
// the others use that.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	p, err := open(ctx, u, false)
	if err != nil {
		return nil, err
	}
	c := newConsumer(p, o.WithDefaults(), p.subject, durable, true)
	if err := c.start(ctx); err != nil {
		p.connection.close()
		return nil, err
	}
	return c, nil
}

// Check returns an error if the address can never work, whatever the state of its server.
func Check(u *url.URL) error {
	_, err := subjectOf(u)
	return err
}

// durable is the prefix of the name of the receivers' consumer.
const durable = "handoff"

// A place is a subject, through a connection.
type place struct {
	*connection
	subject string
	sends   bool // messages, and not only answers and dead letters
}

func (p *place) dead() string                 { return p.subject + ".dead" }
func (p *place) answers(sender string) string { return p.subject + ".answers." + sender }

// subjectOf returns the subject of an address.
func subjectOf(u *url.URL) (string, error) {
	if err := broker.OnlyParameters(u); err != nil {
		return "", err
	}
	subject := strings.TrimPrefix(u.Path, "/")
	if !isSubject(subject) {
		return "", fmt.Errorf("%s: the path is not a subject; use letters, digits, - and _ in parts between dots: found %q", transport.Shown(u), subject)
	}
	return subject, nil
}

func open(ctx context.Context, u *url.URL, sends bool) (*place, error) {
	subject, err := subjectOf(u)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, u)
	if err != nil {
		return nil, err
	}
	p := &place{c, subject, sends}
	if err := broker.Retry(ctx, c.address, func() error { return p.try(ctx, p.ensure) }); err != nil {
		c.close()
		return nil, err
	}
	return p, nil
}

// isSubject reports whether a text is a valid subject from which a stream can be named.
func isSubject(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			return false
		}
	}
	return len(s) <= 200
}

// stream returns the name of the stream to create. It is unique for each subject.
func (p *place) stream() string { return "handoff+" + strings.ReplaceAll(p.subject, ".", "+") }

// ensure creates the stream, for those subjects that have no stream yet.
func (p *place) ensure(ctx context.Context) error {
	var missing []string
	for _, subject := range []string{p.subject, p.dead(), p.answers("*")} {
		name, err := p.jetstream.StreamNameBySubject(ctx, subject)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			missing = append(missing, subject)
		case err != nil:
			return p.explain(err)
		case name == p.stream():
			continue
		}
		if err := p.check(ctx, name, subject); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := p.jetstream.CreateStream(ctx, jetstream.StreamConfig{
		Name: p.stream(), Subjects: missing, Storage: jetstream.FileStorage, Retention: jetstream.WorkQueuePolicy,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was first, or created more subjects
		return fmt.Errorf("the stream %s exists with other settings, and does not have the subjects %s", p.stream(), strings.Join(missing, ", "))
	}
	return p.explain(err)
}

// check returns an error if an existing stream would lose messages.
func (p *place) check(ctx context.Context, name, subject string) error {
	if name == "" {
		return nil
	}
	stream, err := p.jetstream.Stream(ctx, name)
	if err != nil {
		return p.explain(err)
	}
	switch config := stream.CachedInfo().Config; {
	case config.SubjectTransform != nil:
		return &transport.PermanentError{Err: fmt.Errorf("the stream %s gives its messages other subjects than %s (its setting subject_transform), where no receiver finds them; remove the setting, or use another subject", name, subject)}
	case p.sends && subject == p.subject && config.Discard == jetstream.DiscardOld && max(config.MaxMsgs, config.MaxBytes, config.MaxMsgsPerSubject) > 0:
		return &transport.PermanentError{Err: fmt.Errorf("the stream %s of the subject %s drops the oldest messages when it is full, and confirms the new ones; set its discard policy to new", name, subject)}
	case config.Retention == jetstream.InterestPolicy:
		return &transport.PermanentError{Err: fmt.Errorf("the stream %s of the subject %s drops messages without a waiting consumer; change its retention to limits or work queue", name, subject)}
	case config.NoAck:
		return &transport.PermanentError{Err: fmt.Errorf("the stream %s of the subject %s confirms nothing; change its setting no_ack", name, subject)}
	}
	return nil
}

// timeout bounds the answers of a server.
const timeout = 5 * time.Second

// publish returns when the message is in the stream, on a subject. The stream drops repeated
// publications with one ID (for a limited time, usually two minutes): known reports whether this was
// one of them.
func (p *place) publish(ctx context.Context, subject string, m transport.Message) (known bool, err error) {
	return p.send(ctx, msgOf(subject, m), m.ID)
}

// msgOf converts a message for the library.
func msgOf(subject string, m transport.Message) *nats.Msg {
	msg := &nats.Msg{Subject: subject, Data: m.Body, Header: nats.Header{}}
	for _, h := range m.Headers() {
		msg.Header[h.Name] = []string{h.Value}
	}
	return msg
}

// send publishes under the ID of a message, "" for none. A stream may have many subjects, and drops
// a second message with the same id on any of them, so the id includes the subject.
func (p *place) send(ctx context.Context, msg *nats.Msg, id string) (known bool, err error) {
	if id != "" {
		msg.Header[jetstream.MsgIDHeader] = []string{msg.Subject + "/" + broker.HeaderValue(id)}
	}
	err = broker.Retry(ctx, p.address, func() error {
		return p.try(ctx, func(ctx context.Context) error {
			ack, err := p.jetstream.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0))
			known = err == nil && ack.Duplicate
			switch {
			case known:
				return p.isThere(ctx, msg, ack)
			case errors.Is(err, nats.ErrMaxPayload):
				size := len("NATS/1.0\r\n\r\n") + len(msg.Data)
				for name, values := range msg.Header {
					size += len(name) + len(": \r\n") + len(values[0])
				}
				return &transport.TooLargeError{Size: int64(size), Limit: p.conn.MaxPayload()}
			case apiCode(err) == messageExceedsMaximum:
				return &transport.PermanentError{Err: fmt.Errorf("the stream of the subject %s does not accept messages of this size (its setting max_msg_size)", msg.Subject)}
			case errors.Is(err, jetstream.ErrNoStreamResponse): // it existed when the connection was opened
				return errors.Join(fmt.Errorf("no stream has the subject %s", msg.Subject), p.ensure(ctx))
			}
			return p.explain(err)
		})
	})
	return known && err == nil, err
}

// senderOf returns the sender in the headers of a message.
func senderOf(headers nats.Header) string {
	var m transport.Message
	for name := range headers {
		m.SetHeader(name, headers.Get(name))
	}
	return m.ReplyTo
}

// isThere checks that the stream has dropped msg as a duplicate of the same message. It returns an error if
// the stored message is on another subject or from another sender.
func (p *place) isThere(ctx context.Context, msg *nats.Msg, ack *jetstream.PubAck) error {
	stream, err := p.jetstream.Stream(ctx, ack.Stream)
	if err != nil {
		return p.explain(err)
	}
	there, err := stream.GetMsg(ctx, ack.Sequence)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound): // a receiver has taken it: the id includes the subject
		return nil
	case err != nil:
		return fmt.Errorf("the stream %s reports that it already has the message %s, but does not return it, so this is not certain: %w", ack.Stream, msg.Header.Get(jetstream.MsgIDHeader), err)
	case there.Subject == msg.Subject && senderOf(there.Header) == senderOf(msg.Header):
		return nil
	}
	return &transport.PermanentError{Err: fmt.Errorf("the stream %s dropped the message for the subject %s as a duplicate of its message %d, which is on the subject %s or from another sender; "+
		"try again after its duplicate window, usually two minutes", ack.Stream, msg.Subject, ack.Sequence, there.Subject)}
}

// messageExceedsMaximum is the server's code for a message that is too long for a stream.
const messageExceedsMaximum = 10054

// apiCode returns the code of an error from the server, 0 for other errors.
func apiCode(err error) jetstream.ErrorCode {
	if e := (*jetstream.APIError)(nil); errors.As(err, &e) {
		return e.ErrorCode
	}
	return 0
}

type publisher struct {
	*place
	options transport.Options
}

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	known, err := p.publish(ctx, p.subject, m)
	return transport.Receipt{Duplicate: known}, err
}

func (p *publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	if err := broker.NameError(replyTo); err != nil {
		return nil, err
	}
	c := newConsumer(p.place, p.options, p.answers(replyTo), "answers-"+replyTo, false)
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func (p *publisher) Close() error {
	p.close()
	return nil
}
