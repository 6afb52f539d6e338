package redis

import (
	"context"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the server of an address for its version and its time, and checks that it stores
// messages as durably as the address requires. It creates no stream.
func Probe(ctx context.Context, u *url.URL) (a probe.Answer, err error) {
	p, err := parse(u)
	if err != nil {
		return a, err
	}
	s := newServer(u, p)
	defer s.client.Close() // nothing was written
	if err := s.examine(ctx, p.require); err != nil {
		return a, broker.At(s.address, s.explain(err))
	}
	a.Server = "Redis"
	info, err := s.client.Info(ctx, "server").Result()
	switch {
	case err == nil:
		a.Server += " " + facts(info)["redis_version"]
	case !redis.HasErrorPrefix(err, "NOPERM"):
		return a, broker.At(s.address, err)
	}
	asked := time.Now()
	now, err := s.client.Time(ctx).Result()
	switch {
	case err == nil:
		a.Clock = probe.Compare(now, asked, time.Now(), 0)
	case !redis.HasErrorPrefix(err, "NOPERM"):
		return a, broker.At(s.address, err)
	}
	return a, nil
}
