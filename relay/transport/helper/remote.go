package helper

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// A publisher is a program's publisher.
type publisher struct{ conn *conn }

func (p publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	a, err := p.conn.call(ctx, request{Do: doPublish, Message: wireMessage(m)}, nil)
	if err != nil {
		return transport.Receipt{}, err
	}
	return transport.Receipt{Answer: answerOf(a), Duplicate: a.Duplicate}, nil
}

func answerOf(a *response) *transport.Message {
	if a.Message == nil {
		return nil
	}
	m := a.Message.message()
	return &m
}

func (p publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	if !transport.IsName(replyTo) {
		return nil, &transport.PermanentError{Err: fmt.Errorf("%q cannot be the name of a sender", replyTo)}
	}
	a, err := p.conn.call(ctx, request{Do: doAnswers, ReplyTo: replyTo}, func(a *response) {
		go (&consumer{p.conn, a.Consumer}).Close()
	})
	if err != nil {
		return nil, err
	}
	return &consumer{conn: p.conn, id: a.Consumer}, nil
}

func (p publisher) Close() error { return p.conn.close() }

// An asker is the publisher of a program that supports Ask.
type asker struct{ publisher }

func (p asker) Ask(ctx context.Context, key string) (*transport.Message, error) {
	a, err := p.conn.call(ctx, request{Do: doAsk, Message: wireMessage(transport.Message{Key: key})}, nil)
	if err != nil {
		return nil, err
	}
	return answerOf(a), nil
}

// A consumer is an open consumer of a program: 0 is its own, others are for answers.
type consumer struct {
	conn *conn
	id   uint64
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	for {
		a, err := c.conn.call(ctx, request{Do: doNext, Consumer: c.id}, func(a *response) {
			go func() { // the caller has stopped waiting for the message
				_ = c.end(context.Background(), request{Do: doReturn, Delivery: a.Delivery})
			}()
		})
		if err != nil {
			return nil, err
		}
		d := &delivery{consumer: c, id: a.Delivery, message: a.Message.message()}
		if size := int64(len(d.message.Body)); size > c.conn.maxBytes {
			if err := d.DeadLetter(ctx, fmt.Sprintf("the message has %d bytes, more than the limit of %d", size, c.conn.maxBytes)); err != nil {
				return nil, err
			}
			continue
		}
		return d, nil
	}
}

func (c *consumer) end(ctx context.Context, q request) error {
	_, err := c.conn.call(ctx, q, nil)
	return err
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	return c.end(ctx, request{Do: doReply, Consumer: c.id, ReplyTo: replyTo, Message: wireMessage(answer)})
}

func (c *consumer) Close() error {
	if c.id == 0 {
		return c.conn.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return c.end(ctx, request{Do: doClose, Consumer: c.id})
}

type delivery struct {
	consumer *consumer
	id       uint64
	message  transport.Message
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return d.consumer.end(ctx, request{Do: doAnswer, Delivery: d.id, Message: wireMessage(answer)})
}

func (d *delivery) Ack(ctx context.Context) error {
	return d.consumer.end(ctx, request{Do: doAck, Delivery: d.id})
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	return d.consumer.end(ctx, request{Do: doReturn, Delivery: d.id, AfterMillis: after.Milliseconds()})
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	if d.consumer.conn.acksLetters {
		return d.Ack(ctx)
	}
	return d.consumer.end(ctx, request{Do: doDeadLetter, Delivery: d.id, Reason: strings.ToValidUTF8(cut(reason, maxErrorText), "\ufffd")})
}
