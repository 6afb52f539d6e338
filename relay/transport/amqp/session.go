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

// timeout bounds the login.
const timeout = 10 * time.Second

// dial connects to the server and logs in. The library reports a connection lost during login as a
// wrong password or a forbidden virtual host: dial only accepts such an error after repeated
// attempts.
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

// rejecting adds the argument that makes a full queue reject a message, instead of confirming it and
// dropping another, if a policy of the server limits its length.
func rejecting(arguments amqp.Table) amqp.Table {
	all := amqp.Table{"x-overflow": "reject-publish"}
	maps.Copy(all, arguments)
	return all
}

// quorum adds the arguments of a quorum queue with at-least-once dead-lettering.
func quorum(arguments amqp.Table) amqp.Table {
	all := rejecting(arguments)
	all[amqp.QueueTypeArg] = amqp.QueueTypeQuorum
	if arguments != nil {
		all["x-dead-letter-strategy"] = "at-least-once"
	}
	return all
}

// queueArguments returns the arguments of the queue: when the server gives up on a message, it moves
// it to the dead letters.
func (p place) queueArguments() amqp.Table { return deadLetteringTo(p.dead()) }

func deadLetteringTo(queue string) amqp.Table {
	return amqp.Table{"x-dead-letter-exchange": "", "x-dead-letter-routing-key": queue}
}

// declare declares a durable queue. Each step uses a new channel, since the server closes the
// channel on an error.
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

// codeOf returns the code of an error from the server, 0 for other errors.
func codeOf(err error) int {
	if e := (*amqp.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// explain returns a readable form of an error of the library, as permanent if a retry would not
// help.
func explain(err error) error {
	e := (*amqp.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, amqp.ErrCredentials), errors.Is(err, amqp.ErrSASL):
		return &transport.PermanentError{Err: errors.New("the server rejects this user or its password")}
	case errors.Is(err, amqp.ErrVhost), e.Code == amqp.NotAllowed:
		return &transport.PermanentError{Err: fmt.Errorf("the server denies this user access to the virtual host: %s", e.Reason)}
	case e.Code == amqp.FrameError: // "EOF"
		return errLost
	case e.Code == amqp.AccessRefused, e.Code == amqp.ResourceLocked:
		return &transport.PermanentError{Err: errors.New(e.Reason)}
	}
	return errors.New(e.Reason)
}

var errLost = errors.New("the connection to the server is lost")

// limitOf returns the server's maximum message size, if an error mentions it, which it only does in
// its text.
func limitOf(err *amqp.Error) (limit int64) {
	if err == nil || err.Code != amqp.PreconditionFailed {
		return 0
	}
	_, number, _ := strings.Cut(err.Reason, "max size ")
	_, _ = fmt.Sscan(number, &limit) // 0 if there is none
	return limit
}
