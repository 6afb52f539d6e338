package amqp

import (
	"context"
	"net/url"
	"strings"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the server of an address for its product and version, and checks that the user may log
// in. It declares no queue.
func Probe(ctx context.Context, u *url.URL) (a probe.Answer, err error) {
	p, err := parse(u)
	if err != nil {
		return a, err
	}
	c, err := p.dial(ctx)
	if err != nil {
		return a, broker.At(p.address, explain(err))
	}
	defer c.Close() // nothing was sent
	product, _ := c.Properties["product"].(string)
	version, _ := c.Properties["version"].(string)
	a.Server = strings.TrimSpace(product + " " + version)
	return a, nil
}
