package nats

import (
	"context"
	"net/url"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the server of an address for its name and version, and checks that JetStream is
// available to this user. It creates no stream.
func Probe(ctx context.Context, u *url.URL) (a probe.Answer, err error) {
	if _, err := subjectOf(u); err != nil {
		return a, err
	}
	c, dial := newConnection(ctx, u)
	if err := dial.connect(); err != nil {
		return a, broker.At(c.address, err)
	}
	defer c.conn.Close()
	a.Server = "NATS " + c.conn.ConnectedServerVersion()
	if _, err := c.jetstream.AccountInfo(ctx); err != nil {
		return a, broker.At(c.address, c.explain(err))
	}
	return a, nil
}
