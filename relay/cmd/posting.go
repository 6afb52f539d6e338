package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// postingFlags are the flags for posting messages to HTTP addresses.
type postingFlags struct {
	tokenFile string
	ca        string // file

	options http.PostOptions
}

func (f *postingFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the bearer token for http and https addresses without a user")
	flags.StringVar(&f.ca, "ca", "", "additional trusted certificates for https addresses, a PEM `FILE`")
}

// load reads the files named by flags.
func (f *postingFlags) load(g *cli.Globals, c *cobra.Command) (err error) {
	if f.options.Token, err = loadToken(g, c, f.tokenFile, secrets.MinBytes); err != nil || f.ca == "" {
		return err
	}
	text, err := g.ReadAsIs(f.ca, c.InOrStdin(), g.Limits)
	if err != nil {
		return fmt.Errorf("--ca: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // this system has none
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("--ca: %s: no PEM certificate was found: expected -----BEGIN CERTIFICATE-----", cli.ShownSetting(f.ca))
	}
	f.options.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return nil
}

// publish opens a place as its transport does; HTTP places use the flags.
func (f *postingFlags) publish(ctx context.Context, row transportRow, u *url.URL, o transport.Options) (transport.Publisher, error) {
	if row.name != "http" {
		return row.publish(ctx, u, o)
	}
	return http.Post(u, f.optionsFor(u))
}

// optionsFor returns the options for posting messages to an address.
func (f *postingFlags) optionsFor(u *url.URL) http.PostOptions {
	post := f.options
	if u.User != nil {
		post.Token = "" // the token is another receiver's
	}
	return post
}

// loadToken reads a bearer token of at least least characters; it returns "" if no file is named.
func loadToken(g *cli.Globals, c *cobra.Command, file string, least int) (string, error) {
	if file == "" {
		return "", nil
	}
	secret, err := cli.LoadSecret(g, c, file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if err := checkToken(string(secret), least); err != nil {
		return "", fmt.Errorf("--token-file: %s: %w", cli.ShownSetting(file), err)
	}
	return string(secret), nil
}

// checkToken returns an error if a text is not a token, or is easy to guess: for example, shorter than least
// characters.
func checkToken(token string, least int) error {
	weakness := secrets.Weakness([]byte(token))
	switch {
	case !isToken(token):
		return errNoToken
	case len(token) < least:
		return fmt.Errorf("a token of %d characters can be guessed: use %d or more, for example from openssl rand -hex 16", len(token), least)
	case weakness != "":
		return fmt.Errorf("the token %s: use one from openssl rand -hex 16", weakness)
	default:
		return nil
	}
}

var errNoToken = errors.New("not a bearer token: expected one line of letters, digits and -._~+/, with optional = at the end (RFC 6750)")

// isToken reports whether a text is a valid bearer token for a header (RFC 6750, section 2.1).
func isToken(s string) bool {
	s = strings.TrimRight(s, "=")
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/") == ""
}
