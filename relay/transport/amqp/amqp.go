// Package amqp carries messages through RabbitMQ and other servers for AMQP 0-9-1.
//
// An address is amqp://[USER:PASSWORD@]HOST:PORT/[VHOST/]QUEUE, or amqps:// for TLS. Messages are in
// QUEUE, dead letters in QUEUE.dead, answers in QUEUE.answers.SENDER, and messages returned for
// later in QUEUE.later.MILLISECONDS. An existing queue is used unchanged. New ones are quorum
// queues, or durable classic queues if the server has no quorum queues.
package amqp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// Publish opens a publisher to the queue of an address. It retries until ctx is done.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	s, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	return &publisher{s, o.WithDefaults()}, nil
}

// Consume opens a consumer of the queue of an address. It retries until ctx is done. If the
// connection is lost later, Next waits until the server is back; the server immediately delivers the
// unacknowledged messages to any consumer. Options.Lease is not used.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	s, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	c := newConsumer(s, o.WithDefaults(), s.queue, s.queueArguments(), true)
	if err := c.start(ctx); err != nil {
		s.close()
		return nil, err
	}
	return c, nil
}

// Check returns an error if the address can never work, whatever the state of its server.
func Check(u *url.URL) error {
	_, err := parse(u)
	return err
}

// open declares the queue and its dead-letter queue, through a connection for publishing.
func open(ctx context.Context, u *url.URL) (*sender, error) {
	p, err := parse(u)
	if err != nil {
		return nil, err
	}
	s := newSender(p)
	err = broker.Retry(ctx, s.address, func() error {
		session, err := s.session(ctx)
		if err == nil {
			err = session.declare(p.dead(), nil)
		}
		if err == nil {
			err = session.declare(p.queue, p.queueArguments())
		}
		return explain(err)
	})
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// A place is a queue on a server.
type place struct {
	address, host  string // host:port, and the host for its certificate
	tls            bool
	user, password string
	vhost, queue   string
}

func (p place) dead() string                 { return p.queue + ".dead" }
func (p place) answers(sender string) string { return p.queue + ".answers." + sender }

// maxQueue is the maximum length of a queue's name, so that the derived names have at most 255
// bytes.
const maxQueue = 255 - len(".answers.") - 64

func parse(u *url.URL) (place, error) {
	if err := broker.OnlyParameters(u); err != nil {
		return place{}, err
	}
	port := "5672"
	if u.Scheme == "amqps" {
		port = "5671"
	}
	p := place{address: broker.HostPort(u, port), host: u.Hostname(), tls: u.Scheme == "amqps", user: "guest", password: "guest", vhost: "/"}
	if u.User != nil {
		p.user = u.User.Username()
		p.password, _ = u.User.Password()
	}
	vhost, queue, two := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if !two {
		vhost, queue = "%2F", vhost
	}
	var vhostErr, queueErr error
	p.vhost, vhostErr = url.PathUnescape(vhost)
	p.queue, queueErr = url.PathUnescape(queue)
	switch {
	case vhostErr != nil || queueErr != nil || p.vhost == "" || p.queue == "" || strings.Contains(queue, "/"):
		return p, fmt.Errorf("%s: the path is not /QUEUE or /VHOST/QUEUE: write a / in a name as %%2F", transport.Shown(u))
	case len(p.queue) > maxQueue:
		return p, fmt.Errorf("%s: the name of the queue has %d bytes, more than the limit of %d", transport.Shown(u), len(p.queue), maxQueue)
	case p.queue != transport.OneLine(p.queue) || !utf8.ValidString(p.queue):
		return p, fmt.Errorf("%s: the name of the queue has unprintable characters: found %q", transport.Shown(u), p.queue)
	case strings.HasPrefix(p.queue, "amq."):
		return p, fmt.Errorf("%s: names that begin with amq. are reserved for the server", transport.Shown(u))
	}
	return p, nil
}

type publisher struct {
	*sender
	options transport.Options
}

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	return transport.Receipt{}, p.publish(ctx, p.queue, p.queueArguments(), publishing(m))
}

func (p *publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	if err := broker.NameError(replyTo); err != nil {
		return nil, err
	}
	c := newConsumer(p.sender, p.options, p.answers(replyTo), nil, false)
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func (p *publisher) Close() error {
	p.close()
	return nil
}
