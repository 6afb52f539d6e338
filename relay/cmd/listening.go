package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	nethttp "net/http"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/guard"
)

// listeningFlags are the flags of a server that requires a token: its address and the authorized clients.
type listeningFlags struct {
	address   string
	names     []string
	tls       certificateFlags
	tokenFile string
}

// register registers the flags. usage is the usage text of --listen.
func (f *listeningFlags) register(c *cobra.Command, address, usage string) {
	flags := c.Flags()
	flags.StringVar(&f.address, "listen", address, usage)
	flags.StringSliceVar(&f.names, "host", nil, "additional `NAME` of the server to answer to, if clients use names other than its addresses; may be repeated")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the bearer token for requests (or "+cli.TokenVariable+": the token itself; default: a new one at each start)")
	f.tls.register(c)
}

// A tokenServer is a listening server whose requests need a token.
type tokenServer struct {
	net.Listener
	guard *guard.Guard
	tls   *tls.Config
	host  string // as given by the user
	token string // "" if the user has set it: then it is not printed
}

// listen begins to listen. Requests are answered only after [tokenServer.serve].
func (f *listeningFlags) listen(g *cli.Globals, c *cobra.Command) (*tokenServer, error) {
	if err := f.tls.check(); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(f.address)
	if _, notNumber := strconv.ParseUint(port, 10, 16); err != nil || notNumber != nil {
		return nil, fmt.Errorf("--listen %s: write it as HOST:PORT, such as %s", cli.ShownSetting(f.address), defaultListen)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	token, err := f.token(g, c)
	if err != nil {
		return nil, err
	}
	l := &tokenServer{host: host}
	if token == "" {
		token = guard.NewToken()
		l.token = token
	}
	if l.tls, err = f.tls.load(); err != nil {
		return nil, err
	}
	l.guard = guard.New(guard.Options{Token: token, Listen: host, Names: f.names, Secure: l.tls != nil})
	if l.Listener, err = listenAt(c.Context(), net.JoinHostPort(host, port)); err != nil {
		return nil, term.WithHint(fmt.Errorf("--listen %s: %w", cli.ShownSetting(f.address), err), "--listen 127.0.0.1:0 uses a free port")
	}
	return l, nil
}

// token returns the user's token, "" for none.
func (f *listeningFlags) token(g *cli.Globals, c *cobra.Command) (string, error) {
	token := os.Getenv(cli.TokenVariable)
	if token == "" || c.Flags().Changed("token-file") {
		return loadToken(g, c, f.tokenFile, guard.MinToken)
	}
	if err := checkToken(token, guard.MinToken); err != nil {
		return "", fmt.Errorf("%s: %w", cli.TokenVariable, err)
	}
	return token, nil
}

// listenAt listens at an address. The error does not contain the address.
func listenAt(ctx context.Context, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		err = term.PlainError(e.Err)
	}
	return l, err
}

// url returns the URL of a path for a program on this machine.
func (l *tokenServer) url(path string) string {
	if ip := net.ParseIP(l.host); ip != nil && ip.IsUnspecified() {
		return l.urlOf("127.0.0.1", path)
	}
	return l.urlOf(l.host, path)
}

// page returns the URL of a path for a browser on this machine. Its host name belongs to no other server, so
// that the cookie is only sent to this one.
func (l *tokenServer) page(path string) string {
	if home := l.guard.Home(); home != "" {
		return l.urlOf(home, path)
	}
	return l.url(path)
}

func (l *tokenServer) urlOf(host, path string) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	scheme := "http"
	if l.tls != nil {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + path
}

// serve prints the address, and serves until a signal ends it.
func (l *tokenServer) serve(g *cli.Globals, c *cobra.Command, h nethttp.Handler, announcement string) error {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	defer g.PassSignals(func(syscall.Signal) { g.KeepSignals(); stop() })()
	if l.tls == nil && !guard.IsLocal(l.host) {
		term.Warn(c.ErrOrStderr(), "others on the network can read the traffic and the token: use --tls-cert and --tls-key to serve https")
	}
	fmt.Fprintln(c.ErrOrStderr(), "handoff: "+announcement)
	return guard.Serve(ctx, l, h, guard.ServerOptions{TLS: l.tls, Log: func(line string) { printLine(c, line) }})
}

// printLine prints an error that does not end the run.
func printLine(c *cobra.Command, line string) { term.PrintError(c.ErrOrStderr(), errors.New(line)) }
