package cmd

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/metrics"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
	"github.com/eaapl/handoff/relay/transport/http"
)

// servingFlags are the flags of a receiver's HTTP servers.
type servingFlags struct {
	tls        certificateFlags
	tokenFile  string
	metrics    string // address
	claimCheck string // address of the store of bodies, "" for none
	names      []string
	origins    []string

	token string // content of the file
}

func (f *servingFlags) register(c *cobra.Command) {
	flags := c.Flags()
	f.tls.register(c)
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the bearer token that senders need for http or https")
	flags.StringSliceVar(&f.names, "host", nil, "additional `NAME` of the server to answer to, if clients use names other than its addresses; may be repeated")
	flags.StringSliceVar(&f.origins, "allow-origin", nil, "`ORIGIN` of web pages that may send messages over http or https, such as https://host; may be repeated")
	flags.StringVar(&f.claimCheck, "claim-check", "", "`DIR` or URL in which senders store messages that are too long for the transport")
	flags.StringVar(&f.metrics, "metrics", "", "`ADDRESS` for /metrics and /healthz, such as 127.0.0.1:9464; http transports serve them with the messages (docs/metrics.md)")
}

// check returns an error if the flags do not fit a transport.
func (f *servingFlags) check(row transportRow) error {
	if err := f.tls.check(); err != nil {
		return err
	}
	switch {
	case f.tls.certificate != "" && row.name != "http":
		return errors.New("--tls-cert and --tls-key are for https://")
	case f.tokenFile != "" && row.name != "http":
		return errors.New("--token-file is for http:// and https://: other transports have passwords of their own")
	case len(f.names)+len(f.origins) > 0 && row.name != "http":
		return errors.New("--host and --allow-origin are for http:// and https://")
	case f.metrics != "" && row.name == "http":
		return errors.New("--metrics: http already serves /metrics with the messages")
	}
	return nil
}

// A servedPlace is the place of the messages, with its receiver.
type servedPlace struct {
	row      transportRow
	url      *url.URL
	options  transport.Options
	receiver *receiver.Receiver
	report   *receiveReport
	metrics  *metrics.Receiver
}

// open returns a function that opens the place.
func (f *servingFlags) open(p servedPlace) (func(context.Context) (transport.Consumer, error), error) {
	open, err := f.openTransport(p)
	if err != nil {
		return nil, err
	}
	var store claimcheck.Store
	if f.claimCheck != "" {
		if store, err = claimcheck.Open(f.claimCheck); err != nil {
			return nil, fmt.Errorf("--claim-check: %w", err)
		}
	}
	return func(ctx context.Context) (transport.Consumer, error) {
		c, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return claimcheck.Consumer(c, store, p.options), nil
	}, nil
}

// openTransport returns a function that opens the place, whose messages may be compressed or claims.
func (f *servingFlags) openTransport(p servedPlace) (func(context.Context) (transport.Consumer, error), error) {
	if p.row.name != "http" {
		return func(ctx context.Context) (transport.Consumer, error) { return p.row.consume(ctx, p.url, p.options) }, nil
	}
	o := http.ServeOptions{
		Options: p.options, Token: f.token, Names: f.names, Origins: f.origins, Ask: p.ask, Health: p.report.health,
		Handlers: map[string]nethttp.Handler{"/metrics": p.metrics},
		Log:      func(line string) { p.report.Trouble(errors.New(line)) },
	}
	var err error
	if o.TLS, err = f.tls.load(); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (transport.Consumer, error) {
		s, err := http.Serve(ctx, p.url, o)
		if err != nil { // avoids a non-nil interface with a nil pointer
			return nil, err
		}
		p.report.listens(s.Addr())
		p.report.warn(s.Addr(), f.token != "", o.TLS != nil)
		return s, nil
	}, nil
}

// ask returns the current answer for the sender of a message.
func (p servedPlace) ask(ctx context.Context, key string) (*transport.Message, error) {
	a, found, err := p.receiver.Lookup(ctx, key)
	if err != nil || !found {
		return nil, err
	}
	m, err := intake.NewAnswer(p.receiver, a)
	return &m, err
}

// serveMetrics serves metrics at the address of the flag, until stop is called.
func (f *servingFlags) serveMetrics(ctx context.Context, p servedPlace) (stop func(), err error) {
	if f.metrics == "" {
		return func() {}, nil
	}
	listener, err := listenAt(ctx, f.metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w", f.metrics, err)
	}
	mux := nethttp.NewServeMux()
	mux.Handle("/metrics", p.metrics)
	mux.HandleFunc("/healthz", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		if err := p.report.health(); err != nil {
			nethttp.Error(w, strings.ToValidUTF8(err.Error(), "�"), nethttp.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	p.report.listens(listener.Addr())
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = guard.Serve(ctx, listener, mux, guard.ServerOptions{}) // ended by stop
	}()
	return func() {
		cancel()
		<-ended
	}, nil
}
