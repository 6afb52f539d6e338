// Package claimcheck sends messages that are too long for a transport: compressed or, if they are
// still too long, as a claim. The body is then put into a store, and its SHA-256 is sent instead.
//
// A receiver fetches bodies only from its own store: messages name none. A message whose body is
// permanently unavailable becomes a dead letter, with a reason that includes the remedy.
package claimcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/relay/transport"
)

// zstdEncoding is the Encoding of a compressed body.
const zstdEncoding = "zstd"

// A check shortens messages and restores them.
type check struct {
	store    Store // nil for none
	maxBytes int64
}

// Publisher wraps p. It sends a message unchanged if p takes it, else compressed, else as a claim on
// store. If store is nil, a message that is too long even when compressed is a
// [*transport.TooLargeError]. The options apply to answers. Closing the publisher closes p. It is a
// [transport.Asker] if p is.
func Publisher(p transport.Publisher, store Store, o transport.Options) transport.Publisher {
	own := publisher{p, check{store, o.WithDefaults().MaxBytes}}
	if asker, ok := p.(transport.Asker); ok {
		return askingPublisher{own, asker}
	}
	return own
}

// Consumer wraps c, and restores messages sent by a [Publisher]: they are neither compressed nor
// claims. If store is nil, claims become dead letters. Closing the consumer closes c.
func Consumer(c transport.Consumer, store Store, o transport.Options) transport.Consumer {
	return &consumer{Consumer: c, check: check{store, o.WithDefaults().MaxBytes}}
}

type publisher struct {
	transport.Publisher
	check check
}

func (p publisher) Publish(ctx context.Context, m transport.Message) (receipt transport.Receipt, err error) {
	err = p.check.send(ctx, m, func(m transport.Message) error {
		receipt, err = p.Publisher.Publish(ctx, m)
		return err
	})
	return receipt, err
}

func (p publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	c, err := p.Publisher.Answers(ctx, replyTo)
	if err != nil {
		return nil, err
	}
	return &consumer{Consumer: c, check: p.check}, nil
}

type askingPublisher struct {
	publisher
	transport.Asker
}

// send sends a message in the first form that the transport takes.
func (c check) send(ctx context.Context, m transport.Message, send func(transport.Message) error) error {
	size := len(m.Body)
	err := send(m)
	tooLarge := (*transport.TooLargeError)(nil)
	if m.Claim != "" || !errors.As(err, &tooLarge) {
		return err
	}
	compressed := size
	if m.Encoding == "" {
		shorter := m
		shorter.Body, shorter.Encoding = pack(m.Body), zstdEncoding
		if compressed = len(shorter.Body); compressed < size {
			if err = send(shorter); !errors.As(err, &tooLarge) {
				return err
			}
		}
	}
	if c.store == nil {
		return &longError{tooLarge, size, compressed}
	}
	digest := digestOf(m.Body)
	if err := c.store.Put(ctx, digest, m.Body); err != nil {
		return fmt.Errorf("the message has %d bytes, more than the transport's limit of %d; storing its body in %s: %w", size, tooLarge.Limit, c.store, err)
	}
	m.Body, m.Claim = nil, digest
	return send(m)
}

// A longError reports a message that is too long even when compressed.
type longError struct {
	*transport.TooLargeError
	size, compressed int
}

func (e *longError) Error() string {
	return fmt.Sprintf("the message has %d bytes, %d compressed, more than the transport's limit of %d: shorten it, or use a store for long bodies", e.size, e.compressed, e.Limit)
}

func (e *longError) Unwrap() error { return e.TooLargeError }

// pack compresses a body.
func pack(body []byte) []byte {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	defer encoder.Close()
	return encoder.EncodeAll(body, nil)
}

// maxWindow is the maximum memory for decompression in addition to the body.
const maxWindow = 8 << 20

// unpack decompresses a body of at most limit bytes.
func unpack(packed []byte, limit int64) ([]byte, error) {
	decoder, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return readAll(decoder.IOReadCloser(), limit)
}

// A lostError is the reason why a message is permanently unavailable.
type lostError struct{ reason string }

func (e *lostError) Error() string { return e.reason }

func lost(format string, args ...any) error { return &lostError{fmt.Sprintf(format, args...)} }

// open restores a message.
func (c check) open(ctx context.Context, m transport.Message) (transport.Message, error) {
	if m.Claim != "" {
		body, err := c.fetch(ctx, strings.ToLower(m.Claim))
		if err != nil {
			return m, err
		}
		m.Body, m.Claim = body, ""
	}
	switch m.Encoding {
	case "":
		return m, nil
	case zstdEncoding:
	default:
		return m, lost("its body is compressed as %q, which is not supported: send it uncompressed or with zstd", m.Encoding)
	}
	body, err := unpack(m.Body, c.maxBytes)
	switch {
	case errors.Is(err, ErrTooLong):
		return m, lost("its body has %d bytes, and decompressed more than the limit of %d: raise the limit here, or send shorter messages", len(m.Body), c.maxBytes)
	case err != nil:
		return m, lost("its body cannot be decompressed: %v: send it again", err)
	}
	m.Body, m.Encoding = body, ""
	return m, nil
}

// fetch returns the body of a claim.
func (c check) fetch(ctx context.Context, digest string) ([]byte, error) {
	if c.store == nil {
		return nil, lost("its body was stored separately under %s, but this receiver has no store for long bodies: start it with the sender's store, and send the message again", digest)
	}
	body, err := c.store.Get(ctx, digest, c.maxBytes)
	switch {
	case errors.Is(err, ErrMissing):
		return nil, lost("its body was stored separately, but is not in %s under %s: check that sender and receiver use the same store, and that bodies are not deleted too early, and send the message again", c.store, digest)
	case errors.Is(err, ErrTooLong):
		return nil, lost("its body, which is in %s under %s, is longer than the limit of %d bytes: raise the limit here, or send shorter messages", c.store, digest, c.maxBytes)
	case err != nil:
		return nil, fmt.Errorf("fetching the body of a message from %s: %w", c.store, err)
	case digestOf(body) != digest:
		return nil, lost("its body, which is in %s under %s, has another SHA-256, %s: it was changed or cut off; remove it, and send the message again", c.store, digest, digestOf(body))
	}
	return body, nil
}

type consumer struct {
	transport.Consumer
	check check

	mu      sync.Mutex
	failing time.Time // time of the first failure of the store; zero if it works
}

// again is the delay of a message whose body cannot be fetched now; patience is the time of failures
// after which the consumer ends.
const (
	again    = time.Second
	patience = 30 * time.Second
)

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	for {
		d, err := c.Consumer.Next(ctx)
		if err != nil {
			return nil, err
		}
		m, err := c.check.open(ctx, d.Message())
		if err == nil {
			c.since(false)
			return delivery{d, m, c.check}, nil
		}
		end := context.WithoutCancel(ctx)
		if e := (*lostError)(nil); errors.As(err, &e) {
			if err := d.DeadLetter(end, e.reason); err != nil {
				return nil, err
			}
			continue
		}
		if err := d.Return(end, again); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c.since(true) > patience {
			return nil, err
		}
		select { // a transport that cannot delay would redeliver it at once
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(again):
		}
	}
}

// since returns the time for which the store has been failing.
func (c *consumer) since(fails bool) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !fails:
		c.failing = time.Time{}
		return 0
	case c.failing.IsZero():
		c.failing = time.Now()
	}
	return time.Since(c.failing)
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	return c.check.send(ctx, answer, func(m transport.Message) error { return c.Consumer.Reply(ctx, replyTo, m) })
}

type delivery struct {
	transport.Delivery
	message transport.Message
	check   check
}

func (d delivery) Message() transport.Message { return d.message }

func (d delivery) Answer(ctx context.Context, answer transport.Message) error {
	return d.check.send(ctx, answer, func(m transport.Message) error { return d.Delivery.Answer(ctx, m) })
}
