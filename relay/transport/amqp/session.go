package amqp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/eaapl/handoff/relay/transport"
)

// timeout is how long a server may take to let somebody in.
const timeout = 10 * time.Second

// dial connects to the server, and logs in. The library takes a connection that is lost while it
// logs in for a wrong password, or a virtual host that is not for this user: only what is so
// again and again is believed.
func (p place) dial(ctx context.Context) (c *amqp.Connection, err error) {
	for range 3 {
		if c, err = p.dialOnce(ctx); !errors.Is(err, amqp.ErrCredentials) && !errors.Is(err, amqp.ErrVhost) {
			break
		}
	}
	return c, err
}

func (p place) dialOnce(ctx context.Context) (*amqp.Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	plain := conn
	defer context.AfterFunc(ctx, func() { _ = plain.SetDeadline(time.Unix(1, 0)) })()
	if p.tls {
		secure := tls.Client(conn, &tls.Config{ServerName: p.host, MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		conn = secure
	}
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName("handoff")
	c, err := amqp.Open(conn, amqp.Config{
		SASL:  []amqp.Authentication{&amqp.PlainAuth{Username: p.user, Password: p.password}},
		Vhost: p.vhost, Heartbeat: 10 * time.Second, Locale: "en_US", Properties: properties,
	})
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return c, nil
}

// rejecting has what is made a queue that confirms no message and drops another, should a policy of the
// server limit its length.
func rejecting(arguments amqp.Table) amqp.Table {
	all := amqp.Table{"x-overflow": "reject-publish"}
	maps.Copy(all, arguments)
	return all
}

// quorum has what is made a quorum queue, whose dead letters arrive.
func quorum(arguments amqp.Table) amqp.Table {
	all := rejecting(arguments)
	all[amqp.QueueTypeArg] = amqp.QueueTypeQuorum
	if arguments != nil {
		all["x-dead-letter-strategy"] = "at-least-once"
	}
	return all
}

// queueArguments are those of the queue: a server that gives up delivering a message puts it
// with the dead letters.
func (p place) queueArguments() amqp.Table { return deadLetteringTo(p.dead()) }

func deadLetteringTo(queue string) amqp.Table {
	return amqp.Table{"x-dead-letter-exchange": "", "x-dead-letter-routing-key": queue}
}

// declare makes a durable queue if it is not there. Each step has a channel of its own, which
// the server closes with an error.
func declare(c *amqp.Connection, queue string, arguments amqp.Table) error {
	step := func(f func(*amqp.Channel) error) error {
		channel, err := c.Channel()
		if err != nil {
			return err
		}
		if err := f(channel); err != nil {
			return err
		}
		return channel.Close()
	}
	err := step(func(channel *amqp.Channel) error {
		_, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
		return err
	})
	if codeOf(err) != amqp.NotFound {
		return err
	}
	err = step(func(channel *amqp.Channel) error {
		_, err := channel.QueueDeclare(queue, true, false, false, false, quorum(arguments))
		return err
	})
	switch codeOf(err) {
	case amqp.PreconditionFailed, amqp.NotImplemented, amqp.InternalError: // or another process was first
		return step(func(channel *amqp.Channel) error {
			_, err := channel.QueueDeclare(queue, true, false, false, false, rejecting(arguments))
			return err
		})
	}
	return err
}

// codeOf returns the code of an error of the server, 0 for others.
func codeOf(err error) int {
	if e := (*amqp.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// explain returns an error of the library in plain words, with what trying again would not
// change as permanent.
func explain(err error) error {
	e := (*amqp.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, amqp.ErrCredentials), errors.Is(err, amqp.ErrSASL):
		return &transport.PermanentError{Err: errors.New("the server does not let this user in")}
	case errors.Is(err, amqp.ErrVhost), e.Code == amqp.NotAllowed:
		return &transport.PermanentError{Err: fmt.Errorf("the server does not let this user into this virtual host: %s", e.Reason)}
	case e.Code == amqp.FrameError: // "EOF"
		return errLost
	case e.Code == amqp.AccessRefused, e.Code == amqp.ResourceLocked:
		return &transport.PermanentError{Err: errors.New(e.Reason)}
	}
	return errors.New(e.Reason)
}

var errLost = errors.New("the connection to the server is lost")

// limitOf returns the longest message that a server takes, if an error says so, which it does
// in words alone.
func limitOf(err *amqp.Error) (limit int64) {
	if err == nil || err.Code != amqp.PreconditionFailed {
		return 0
	}
	_, number, _ := strings.Cut(err.Reason, "max size ")
	_, _ = fmt.Sscan(number, &limit) // 0 if there is none
	return limit
}
