package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
)

// Times that tests shorten.
var (
	headerTimeout = 10 * time.Second
	grace         = 10 * time.Second // no minimum rate for this long
)

// Bounds of connections.
const (
	readTimeout    = 30 * time.Second
	writeTimeout   = 2 * time.Minute
	byteTimeout    = 30 * time.Second // for writes of HTTP/2
	pingTimeout    = 15 * time.Second
	idleTimeout    = 90 * time.Second
	closeTimeout   = 5 * time.Second
	maxHeader      = 32 << 10 // bytes
	maxConnections = 256
	maxStreams     = 100     // concurrent requests of an HTTP/2 connection
	minRate        = 8 << 10 // bytes of a body per second, after the grace period
)

// ServerOptions are the options of a server. The zero value has the usual limits.
type ServerOptions struct {
	// TLS has the certificate; nil serves without TLS.
	TLS *tls.Config
	// ReadTimeout is the maximum time to receive a request; 0 means 30 s. A body may take longer if it comes
	// faster than 8 KiB per second after its first 10 s.
	ReadTimeout time.Duration
	// WriteTimeout is the maximum time to answer a request; 0 means two minutes, a negative value no limit.
	WriteTimeout time.Duration
	// Connections is the maximum number of connections; 0 means 256. A new one replaces one without a request
	// in progress: first those whose requests are answered, then those without any request, then those with
	// incomplete bodies. If all have a request in progress, the new one waits.
	Connections int
	// Log, if set, is called with errors of connections, one line each, from several goroutines. A line may
	// contain control characters.
	Log func(line string)
}

// A Server serves HTTP/1.1 and HTTP/2 within the limits of its options. It closes a connection after refusing
// a request on it (401, 403, 421).
type Server struct {
	server      http.Server
	connections int
}

// NewServer returns a server for a handler.
func NewServer(h http.Handler, o ServerOptions) *Server {
	if o.ReadTimeout == 0 {
		o.ReadTimeout = readTimeout
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = writeTimeout
	}
	if o.Connections == 0 {
		o.Connections = maxConnections
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &Server{connections: o.Connections, server: http.Server{
		Handler: watched(h, o.ReadTimeout), Protocols: protocols, TLSConfig: o.TLS.Clone(), ConnContext: withConnection, ConnState: setState,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: maxStreams, SendPingTimeout: pingTimeout, PingTimeout: pingTimeout, WriteByteTimeout: byteTimeout},
		ErrorLog: slog.NewLogLogger(neterror.Lines(o.Log), slog.LevelWarn),
	}}
}

// Serve serves the connections of a listener until the server ends, and then returns [http.ErrServerClosed].
func (s *Server) Serve(l net.Listener) error {
	l = newConnections(l, s.connections)
	if s.server.TLSConfig != nil {
		return s.server.ServeTLS(l, "", "")
	}
	return s.server.Serve(l)
}

// End ends the server: requests in progress may finish until ctx is done.
func (s *Server) End(ctx context.Context) {
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
}

// Serve serves a handler on a listener until ctx is done: then requests in progress finish within a few
// seconds, and reads are ended.
func Serve(ctx context.Context, l net.Listener, h http.Handler, o ServerOptions) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := NewServer(h, o)
	s.server.BaseContext = func(net.Listener) context.Context { return base }
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end() // pending queries of the log get no response
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	s.End(closing)
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// watched counts the requests of connections, and limits the time to read their bodies.
func watched(h http.Handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := connectionOf(r)
		if r.Body == http.NoBody {
			c.count(1, 0)
			defer c.count(-1, 0)
		} else {
			now := time.Now()
			b := &body{ReadCloser: r.Body, of: c, control: http.NewResponseController(w), begun: now, end: now.Add(timeout)}
			r.Body = b
			c.count(1, 1)
			defer func() {
				b.ended()
				c.count(-1, 0)
			}()
		}
		h.ServeHTTP(writer{w, c}, r)
	})
}

// A body is the body of a request.
type body struct {
	io.ReadCloser
	of       *connection
	control  *http.ResponseController
	begun    time.Time
	end      time.Time
	received int64
	over     sync.Once // at the end of the body
}

func (b *body) Read(p []byte) (int, error) {
	due := b.begun.Add(grace + time.Duration(b.received)*time.Second/minRate)
	if due.After(b.end) {
		due = b.end
	}
	_ = b.control.SetReadDeadline(due) // all connections of a server support it
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{}) // its sender waits for the response
	}
	if err != nil {
		b.ended()
	}
	return n, err
}

// ended notes the end of the body.
func (b *body) ended() { b.over.Do(func() { b.of.count(0, -1) }) }

// A writer closes the connection after a request on it was refused.
type writer struct {
	http.ResponseWriter
	of *connection
}

func (w writer) WriteHeader(status int) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest:
		w.Header().Set("Connection", "close")
		w.of.refuse()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap implements the interface of [http.ResponseController].
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w writer) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
