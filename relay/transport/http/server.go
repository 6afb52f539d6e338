package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/transport"
)

// ServeOptions are the options of a receiver. The zero value is suitable for http; https needs a
// certificate.
type ServeOptions struct {
	transport.Options // Prefetch is the maximum number of messages in work; Lease is not used
	// TLS has the certificate; it is required for https.
	TLS *tls.Config
	// Token, if set, is the bearer token required for every request about messages.
	Token string
	// Ask returns the newest answer for a key, nil for an unknown key. If Ask is nil, the receiver
	// does not support such requests. It is called from several goroutines.
	Ask func(ctx context.Context, key string) (*transport.Message, error)
	// Health returns the reason why the receiver is unhealthy, nil if it is healthy. If Health is
	// nil, it always is.
	Health func() error
	// MaxBytesInWork is the total size of the messages in work, so that no number of senders
	// exhausts the memory; 0 means eight times MaxBytes. A message is in work once it was received
	// completely. The same limit applies to all bodies being received, not counting the first 16 KiB
	// of each.
	MaxBytesInWork int64
	// Names are the host names for which the receiver accepts requests, in addition to localhost,
	// its addresses and the host of its address. With a Token it accepts any name: foreign pages do
	// not know the token.
	Names []string
	// Origins are the origins whose pages may post from a browser, such as https://host; all others
	// are rejected.
	Origins []string
	// Handlers serve other paths, such as /metrics. They are not protected by Token.
	Handlers map[string]http.Handler
	// ReadTimeout bounds the time for sending a message; 0 means [DefaultReadTimeout].
	ReadTimeout time.Duration
	// Log, if set, is called with errors of connections, one line each, from several goroutines. A
	// line may hold control characters.
	Log func(line string)
}

// DefaultReadTimeout is the default of [ServeOptions].ReadTimeout.
const DefaultReadTimeout = time.Minute

const (
	writeTimeout   = 30 * time.Second // of a response
	closeTimeout   = 10 * time.Second // for the remaining responses at the end
	lingerTimeout  = 2 * time.Second  // for incomplete requests
	maxConnections = 512              // in addition to two for each message in work
	healthPath     = "/healthz"
)

var errStopped = errors.New("the receiver has stopped")

// A Server is a [transport.Consumer] that senders post to.
type Server struct {
	options  ServeOptions
	path     string // escaped, without a trailing slash
	site     *guard.Site
	server   *guard.Server
	listener net.Listener
	posted   chan *delivery // for callers of Next
	work     work
	coming   budget // bodies being received

	forget    func() bool   // cancels the wait for the end of the context
	stopping  chan struct{} // closed when no more messages are accepted
	stopOnce  sync.Once
	closing   chan struct{}  // closed when pending responses are abandoned
	taken     sync.WaitGroup // messages returned by Next, until their responses are written
	closeOnce sync.Once
	closeErr  error
	failed    error // the listener's error, once stopping is closed
}

// Consume listens at the host and port of an address, and takes messages posted to its path. When
// ctx is done, new messages are rejected; messages in work are still answered.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	return Serve(ctx, u, ServeOptions{Options: o})
}

// Serve is [Consume] with more options.
//
// A message is answered by the response to its post, which [transport.Delivery].Answer writes. The
// methods that end a delivery write a response if there was none: Ack writes an empty one, Return
// the status 503, and DeadLetter the status 422. If the connection has ended, the sender may post
// the message again or ask for the answer, so that Answer returns no error. Reply has no destination
// for an answer, and does nothing: the sender asks for it.
func Serve(ctx context.Context, u *url.URL, o ServeOptions) (*Server, error) {
	o.Options = o.WithDefaults()
	if o.ReadTimeout == 0 {
		o.ReadTimeout = DefaultReadTimeout
	}
	if o.MaxBytesInWork == 0 {
		o.MaxBytesInWork = 8 * min(o.MaxBytes, math.MaxInt64/8)
	}
	s := &Server{
		options: o, path: strings.TrimSuffix(u.EscapedPath(), "/"),
		site:   guard.NewSite(u.Hostname(), o.Names, u.Scheme == "https"),
		posted: make(chan *delivery), work: work{maxMessages: o.Prefetch, maxBytes: o.MaxBytesInWork},
		coming:   budget{left: max(o.MaxBytesInWork, 2*min(o.MaxBytes, math.MaxInt64/2)+1)},
		stopping: make(chan struct{}), closing: make(chan struct{}),
	}
	if err := s.check(u); err != nil {
		return nil, &transport.PermanentError{Err: err}
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), u.Scheme) // http and https are also names of ports
	}
	var err error
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", host); err != nil {
		return nil, fmt.Errorf("listening: %w", neterror.Plain(err))
	}
	served := guard.ServerOptions{
		ReadTimeout: o.ReadTimeout, WriteTimeout: -1, // writes have a deadline per response
		Connections: maxConnections + 2*min(o.Prefetch, math.MaxInt32), Log: o.Log,
	}
	if u.Scheme == "https" {
		served.TLS = o.TLS
	}
	s.server = guard.NewServer(s, served)
	go func() { s.stop(neterror.Plain(s.server.Serve(s.listener))) }()
	s.forget = context.AfterFunc(ctx, func() { s.stop(errStopped) })
	return s, nil
}

// check returns an error for an invalid address or option.
func (s *Server) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("it is not an address to serve: write it as http://:8080/path")
	case u.User != nil:
		return errors.New("an address to serve cannot have a user or a password: use the option for a token")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("an address to serve cannot have anything after its path")
	case s.path == healthPath || s.options.Handlers[u.Path] != nil:
		return fmt.Errorf("the path %s is already used for something else", u.Path)
	case u.Scheme == "https" && !hasCertificate(s.options.TLS):
		return errors.New("https needs a certificate and its key")
	}
	return nil
}

func hasCertificate(c *tls.Config) bool {
	return c != nil && (len(c.Certificates) > 0 || c.GetCertificate != nil || c.GetConfigForClient != nil)
}

// Addr returns the address of the listener: its port is the actual one if the given port was 0.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// stop rejects new messages, and messages not yet returned by Next.
func (s *Server) stop(reason error) {
	s.stopOnce.Do(func() {
		s.failed = reason
		close(s.stopping)
	})
}

// Next waits for a posted message.
func (s *Server) Next(ctx context.Context) (transport.Delivery, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.stopping:
		return nil, s.failed
	default:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.stopping:
		return nil, s.failed
	case d := <-s.posted:
		return d, nil
	}
}

// Reply does nothing: a sender has to ask for an answer after the response.
func (s *Server) Reply(context.Context, string, transport.Message) error { return nil }

// Close answers unacknowledged messages with 503, waits until the responses are written, and closes
// all connections. The error reports clients that did not read a response.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		s.forget()
		s.stop(errStopped)
		close(s.closing)
		written := make(chan struct{})
		go func() {
			s.taken.Wait()
			close(written)
		}()
		select {
		case <-written:
		case <-time.After(closeTimeout):
			s.closeErr = fmt.Errorf("some senders did not read their answers within %s", closeTimeout)
		}
		ctx, cancel := context.WithTimeout(context.Background(), lingerTimeout)
		defer cancel()
		s.server.End(ctx) // incomplete messages get no answer
	})
	return s.closeErr
}
