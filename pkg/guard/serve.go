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
	grace         = 10 * time.Second // that a body may take however little comes
)

// Bounds of connections.
const (
	readTimeout    = 30 * time.Second
	writeTimeout   = 2 * time.Minute
	byteTimeout    = 30 * time.Second // of what is written by HTTP/2
	pingTimeout    = 15 * time.Second
	idleTimeout    = 90 * time.Second
	closeTimeout   = 5 * time.Second
	maxHeader      = 32 << 10 // bytes
	maxConnections = 256
	maxStreams     = 100     // requests of a connection of HTTP/2 at once
	minRate        = 8 << 10 // bytes of a body in a second, after the grace
)

// ServerOptions are what a server takes beside its handler. The zero value is usual.
type ServerOptions struct {
	// TLS has the certificate; nil serves without TLS.
	TLS *tls.Config
	// ReadTimeout is how long a request may take to come; 0 means 30 s. A body comes faster than 8 KiB in
	// a second after its first 10 s.
	ReadTimeout time.Duration
	// WriteTimeout is how long a request may take with its answer; 0 means two minutes, less than 0 for ever.
	WriteTimeout time.Duration
	// Connections is the maximum of connections at once; 0 means 256. One more takes the place of one that
	// has no request in work: first those whose requests are answered, then those that have sent none, then
	// those whose bodies have not come. If all have one, it waits.
	Connections int
	// Log, if set, gets what was wrong with connections, a line each; from several goroutines. A line may
	// hold control characters.
	Log func(line string)
}

// A Server serves HTTP/1.1 and HTTP/2 within the bounds of its options. It closes a connection after
// it has refused a request of it (401, 403, 421).
type Server struct {
	server      http.Server
	connections int
}

// NewServer returns a server of a handler.
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
		Handler: watched(h, o.ReadTimeout), Protocols: protocols, TLSConfig: o.TLS.Clone(), ConnContext: withConnection,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: maxStreams, SendPingTimeout: pingTimeout, PingTimeout: pingTimeout, WriteByteTimeout: byteTimeout},
		ErrorLog: slog.NewLogLogger(neterror.Lines(o.Log), slog.LevelWarn),
	}}
}

// Serve serves all who connect to a listener until the server ends: then the error is
// [http.ErrServerClosed].
func (s *Server) Serve(l net.Listener) error {
	l = newConnections(l, s.connections)
	if s.server.TLSConfig != nil {
		return s.server.ServeTLS(l, "", "")
	}
	return s.server.Serve(l)
}

// End ends the server: what was begun may finish until ctx is done.
func (s *Server) End(ctx context.Context) {
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
}

// Serve serves a handler to all who connect to a listener, until ctx is done: then what was begun is
// finished within a few seconds, and reads are ended.
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
	end() // who waits for a query of the log gets none
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	s.End(closing)
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// watched counts the requests of connections, and bounds the time of their bodies.
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

// A body is that of a request.
type body struct {
	io.ReadCloser
	of       *connection
	control  *http.ResponseController
	begun    time.Time
	end      time.Time
	received int64
	over     sync.Once // nothing more comes
}

func (b *body) Read(p []byte) (int, error) {
	due := b.begun.Add(grace + time.Duration(b.received)*time.Second/minRate)
	if due.After(b.end) {
		due = b.end
	}
	_ = b.control.SetReadDeadline(due) // every connection of a server has one
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{}) // its sender waits for the answer
	}
	if err != nil {
		b.ended()
	}
	return n, err
}

// ended says that nothing more is read.
func (b *body) ended() { b.over.Do(func() { b.of.count(0, -1) }) }

// A writer closes the connection after a request of it was refused.
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

// Unwrap is for [http.ResponseController].
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w writer) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
