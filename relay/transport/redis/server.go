package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// timeout bounds the answers of a server.
const timeout = 5 * time.Second

// A server is a Redis server with the stream of an address. The library reopens lost connections to
// it.
type server struct {
	address, stream string
	client          *redis.Client
	waits           bool // whether it can report that data is on its disk
	writer          writer
}

// connect retries until the server answers or ctx is done.
func connect(ctx context.Context, u *url.URL, p place) (*server, error) {
	s := newServer(u, p)
	err := broker.Retry(ctx, s.address, func() error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return s.explain(s.examine(ctx, p.require))
	})
	if err != nil {
		return nil, errors.Join(err, s.client.Close())
	}
	s.writer = writer{queue: make(chan *write), stop: make(chan struct{})}
	for range writers {
		s.writer.running.Go(s.run)
	}
	return s, nil
}

// newServer returns a server without contacting it.
func newServer(u *url.URL, p place) *server {
	logging.Disable() // the library would also log returned errors to standard error
	options := &redis.Options{
		Addr: broker.HostPort(u, "6379"), DB: p.database, ClientName: "handoff", DisableIdentity: true, Protocol: 2,
		MaxRetries: -1, DialerRetries: 1, DialTimeout: timeout, ReadTimeout: 2 * timeout, ContextTimeoutEnabled: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if u.User != nil {
		options.Username = u.User.Username()
		options.Password, _ = u.User.Password()
	}
	if u.Scheme == "rediss" {
		options.TLSConfig = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	return &server{address: options.Addr, stream: p.stream, client: redis.NewClient(options)}
}

func (s *server) close() error {
	s.writer.stopped.Do(func() { close(s.writer.stop) })
	s.writer.running.Wait()
	if err := s.client.Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return broker.At(s.address, err)
	}
	return nil
}

// examine determines the durability of the server. Permission for that is only needed if the address
// requires it.
func (s *server) examine(ctx context.Context, require bool) error {
	info, err := s.client.Info(ctx).Result()
	if err != nil {
		if redis.HasErrorPrefix(err, "NOPERM") && !require {
			return s.client.Ping(ctx).Err()
		}
		return err
	}
	of := facts(info)
	major, minor, _ := strings.Cut(of["redis_version"], ".")
	minor, _, _ = strings.Cut(minor, ".")
	m, _ := strconv.Atoi(major)
	n, _ := strconv.Atoi(minor)
	s.waits = of["aof_enabled"] == "1" && (m > 7 || m == 7 && n >= 2)
	if !require || s.waits {
		return nil
	}
	if of["aof_enabled"] != "1" {
		return &transport.PermanentError{Err: errors.New("the server has no append-only file, but the address has durable=require; set appendonly yes and appendfsync always")}
	}
	setting, err := s.client.ConfigGet(ctx, "appendfsync").Result()
	if err != nil {
		return err
	}
	if setting["appendfsync"] != "always" {
		return &transport.PermanentError{Err: fmt.Errorf("the server has appendfsync %s, but the address has durable=require; set appendfsync always, or use Redis 7.2 or later", setting["appendfsync"])}
	}
	return nil
}

// facts returns the server's INFO fields.
func facts(info string) map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		of[name] = value
	}
	return of
}

// explain returns a readable form of an error of the library, as permanent if a retry would not
// help.
func (s *server) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, redis.ErrClosed):
		return &transport.PermanentError{Err: errConnectionClosed}
	case redis.HasErrorPrefix(err, "WRONGPASS"), redis.HasErrorPrefix(err, "ERR invalid password"), redis.HasErrorPrefix(err, "ERR AUTH"):
		return &transport.PermanentError{Err: errors.New("the server rejects this user or its password")}
	case redis.HasErrorPrefix(err, "NOAUTH"):
		return &transport.PermanentError{Err: errors.New("the server requires a password: redis://USER:PASSWORD@HOST/DATABASE/STREAM")}
	case redis.HasErrorPrefix(err, "MOVED"):
		return &transport.PermanentError{Err: fmt.Errorf("the server is part of a cluster, and another part has the stream %s: %w", s.stream, err)}
	}
	for _, prefix := range []string{"NOPERM", "WRONGTYPE", "ERR DB index", "ERR unknown command"} {
		if redis.HasErrorPrefix(err, prefix) {
			return &transport.PermanentError{Err: err}
		}
	}
	return err
}
