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
	"github.com/eaapl/handoff/pkg/guard"
	"github.com/eaapl/handoff/pkg/transport"
)

// ServeOptions are what a receiver takes beside its address. The zero value is usual, but for
// https.
type ServeOptions struct {
	transport.Options // Prefetch is how many messages are in work at once; Lease is not used
	// TLS has the certificate; it is needed for https.
	TLS *tls.Config
	// Token, if set, is the bearer token that every request for messages has to have.
	Token string
	// Ask returns the newest answer to a key, nil for a key that is not known; nil if the
	// receiver cannot be asked. It is called from several goroutines.
	Ask func(ctx context.Context, key string) (*transport.Message, error)
	// Health returns why the receiver is ill, nil if it is well; nil if it always is.
	Health func() error
	// MaxBytesInWork is how many bytes the messages in work may have together, so that no number
	// of senders fills the memory; 0 means eight times MaxBytes. A message is in work once it has come.
	// Those that are still coming have as many together, beside the first 16 KiB of each.
	MaxBytesInWork int64
	// Names are those under which the receiver takes requests, beside localhost, its addresses and the
	// host of its address. With a Token it takes them under any name: no page of others knows that.
	Names []string
	// Origins are those of the pages that may post from a browser, such as https://host; all others
	// are refused.
	Origins []string
	// Handlers serve other paths, such as /metrics. They are not protected by Token.
	Handlers map[string]http.Handler
	// ReadTimeout is how long a sender may take to send a message; 0 means
	// [DefaultReadTimeout].
	ReadTimeout time.Duration
	// Log, if set, is called with what was wrong with connections, a line each; from several
	// goroutines. A line may hold control characters.
	Log func(line string)
}

// DefaultReadTimeout is how long a sender may take to send a message.
const DefaultReadTimeout = time.Minute

const (
	writeTimeout   = 30 * time.Second // of a response
	closeTimeout   = 10 * time.Second // for the responses that are left at the end
	lingerTimeout  = 2 * time.Second  // for requests that are none yet
	maxConnections = 512              // beside two for each message in work
	healthPath     = "/healthz"
)

var errStopped = errors.New("the receiver has stopped")

// A Server is a [transport.Consumer] to which senders post.
type Server struct {
	options  ServeOptions
	path     string // escaped, without a slash at its end
	site     *guard.Site
	server   *guard.Server
	listener net.Listener
	posted   chan *delivery // to who calls Next
	work     work
	coming   budget // of what is read

	forget    func() bool   // does not wait for the end of the context any more
	stopping  chan struct{} // closed when no more messages are taken
	stopOnce  sync.Once
	closing   chan struct{}  // closed when no more responses are waited for
	taken     sync.WaitGroup // messages that Next has returned, until their responses are written
	closeOnce sync.Once
	closeErr  error
	failed    error // of the listener, once stopping is closed
}

// Consume listens at the host and port of an address, and takes what is posted to its path. When
// ctx is done, new messages are turned away; those in work are answered as they are finished.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	return Serve(ctx, u, ServeOptions{Options: o})
}

// Serve is [Consume] with more options.
//
// A message is answered by the response to its post: [transport.Delivery].Answer writes it. The
// other ways to end a delivery write one if there was none: Ack an empty one, Return 503, and
// DeadLetter 422. Whoever cannot get the response, since its connection has ended, may post the
// message again or ask for the answer: that is no error of Answer. Reply has nowhere to send an
// answer to, and does nothing: it is asked for.
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
		host = net.JoinHostPort(u.Hostname(), u.Scheme) // http and https are names of ports
	}
	var err error
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", host); err != nil {
		return nil, fmt.Errorf("listening: %w", neterror.Plain(err))
	}
	served := guard.ServerOptions{
		ReadTimeout: o.ReadTimeout, WriteTimeout: -1, // that of a response begins with it
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

// check returns what is wrong with the address or the options.
func (s *Server) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("not an address to serve: write it as http://:8080/path")
	case u.User != nil:
		return errors.New("an address to serve has no user and no password: a token is an option")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("an address to serve ends with its path")
	case s.path == healthPath || s.options.Handlers[u.Path] != nil:
		return fmt.Errorf("the path %s serves something else", u.Path)
	case u.Scheme == "https" && !hasCertificate(s.options.TLS):
		return errors.New("https needs a certificate and its key")
	}
	return nil
}

func hasCertificate(c *tls.Config) bool {
	return c != nil && (len(c.Certificates) > 0 || c.GetCertificate != nil || c.GetConfigForClient != nil)
}

// Addr returns where the server listens: the port, when the address has 0.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// stop turns new messages away, and those that nobody has taken.
func (s *Server) stop(reason error) {
	s.stopOnce.Do(func() {
		s.failed = reason
		close(s.stopping)
	})
}

// Next waits for a message that is posted.
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

// Reply does nothing: an answer that comes after the response is asked for.
func (s *Server) Reply(context.Context, string, transport.Message) error { return nil }

// Close answers what was not acknowledged by 503, waits until the responses are written, and
// closes all connections. The error says that somebody did not read a response.
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
			s.closeErr = fmt.Errorf("some senders had not read their answers after %s", closeTimeout)
		}
		ctx, cancel := context.WithTimeout(context.Background(), lingerTimeout)
		defer cancel()
		s.server.End(ctx) // who has sent half a message gets no answer
	})
	return s.closeErr
}
