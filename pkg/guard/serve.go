package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/internal/neterror"
)

var headerTimeout = 10 * time.Second // which tests shorten

// Bounds of connections.
const (
	readTimeout    = 30 * time.Second
	writeTimeout   = 2 * time.Minute
	idleTimeout    = 2 * time.Minute
	closeTimeout   = 5 * time.Second
	maxHeader      = 32 << 10 // bytes
	maxConnections = 256
)

// Serve serves a handler to all who connect to a listener, until ctx is done: then what was begun is
// finished within a few seconds, and reads are ended. With a configuration it is by TLS. Log gets what
// was wrong with connections, as in [Options].
func Serve(ctx context.Context, l net.Listener, h http.Handler, c *tls.Config, logged func(string)) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base }, ErrorLog: slog.NewLogLogger(neterror.Lines(logged), slog.LevelWarn), TLSConfig: c,
	}
	l = &bounded{Listener: l, places: make(chan struct{}, maxConnections), closed: make(chan struct{})}
	served := make(chan error, 1)
	go func() {
		if c != nil {
			served <- s.ServeTLS(l, "", "")
		} else {
			served <- s.Serve(l)
		}
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end() // who waits for a query of the log gets none
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if s.Shutdown(closing) != nil {
		_ = s.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// A bounded listener has no more than some connections at once; the others wait to be accepted.
type bounded struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	return &counted{Conn: c, leave: func() { <-b.places }}, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// counted is a connection that has a place until it is closed.
type counted struct {
	net.Conn
	leave func()
	left  sync.Once
}

func (c *counted) Close() error {
	c.left.Do(c.leave)
	return c.Conn.Close()
}
