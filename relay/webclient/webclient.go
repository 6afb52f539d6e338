// Package webclient sends every HTTP request of this program, with one policy:
//
//   - A redirect is a response and is not followed: neither a body nor a token, nor the address as a Referer,
//     reaches another server. Only 2xx of the URL itself means that it accepted the request.
//   - No cookie is kept or sent.
//   - The certificate of the server is verified.
//   - The times for connecting and for the request with its response, and the size of a response, are limited.
//   - No error shows a password, a token or a value of a query.
//   - The proxy is that of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
package webclient

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
)

// Options are the limits of requests. The zero value selects the defaults.
type Options struct {
	// TLS has the roots to trust; nil means the system's roots. Certificates are always verified.
	TLS *tls.Config
	// Timeout is the maximum time for a request with its response; 0 means [DefaultTimeout].
	Timeout time.Duration
	// Begin is the maximum time until the response begins; 0 means Timeout.
	Begin time.Duration
	// MaxAnswer is the maximum size of a response, in bytes; 0 means [DefaultMaxAnswer].
	MaxAnswer int64
}

// The defaults of [Options].
const (
	DefaultTimeout   = time.Minute
	DefaultMaxAnswer = 16 << 20
)

const (
	connectTimeout = 10 * time.Second
	idleTimeout    = 90 * time.Second
	askTimeout     = time.Second // for a server to accept or reject a body (100-continue)
	pingTimeout    = 15 * time.Second
	maxIdle        = 256       // connections kept for later requests
	maxHeader      = 256 << 10 // bytes of the headers of a response
)

// ErrTooLong is the error for reading a response that exceeds the maximum size.
var ErrTooLong = errors.New("the answer is too long")

// A Client sends requests. It is safe for concurrent use.
type Client struct {
	client    http.Client
	maxAnswer int64
}

// New returns a client.
func New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = DefaultMaxAnswer
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSClientConfig:        o.TLS.Clone(),
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  o.Begin,
		ExpectContinueTimeout:  askTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // a response is passed on unchanged, and its limit is in bytes received
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTimeout, PingTimeout: pingTimeout},
	}
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.InsecureSkipVerify = false
	}
	return &Client{http.Client{Transport: t, Timeout: o.Timeout, CheckRedirect: keepRedirect}, o.MaxAnswer}
}

// keepRedirect returns a redirect as the response.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Do sends a request. The caller must close the body of the response. Reading more than its maximum size
// returns [ErrTooLong].
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r)
	if err != nil {
		return nil, plain(err, r)
	}
	response.Body = &body{response.Body, c.maxAnswer}
	return response, nil
}

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.client.CloseIdleConnections() }

// plain returns the error of a request without its address, its token, or text from a server that is meant
// for a terminal.
func plain(err error, r *http.Request) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) && e.Op == "proxyconnect" {
		err = fmt.Errorf("the proxy %w", neterror.Plain(e.Err))
	} else {
		err = neterror.Plain(err)
	}
	text := strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")
	if _, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && token != "" {
		text = strings.ReplaceAll(text, token, "xxxxx")
	}
	if text = neterror.PeerText(text, r.URL); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// A body is the body of a response.
type body struct {
	io.ReadCloser
	left int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLong
	}
	if int64(len(p))-1 > b.left { // the byte after the last allowed one shows that there are more
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLong
	}
	return n, err
}

// Took returns nil if the URL itself accepted a request: its status is 2xx. Otherwise the error is the
// status.
func Took(r *http.Response) error {
	if r.StatusCode/100 == 2 {
		return nil
	}
	return errors.New(Status(r))
}

// Status returns the status of a response in plain words and, for a redirect, the server that it leads to.
func Status(r *http.Response) string {
	text := strings.TrimSpace(strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode))
	if r.StatusCode/100 != 3 {
		return text
	}
	to, err := r.Location()
	if err != nil || to.Host == "" {
		return text
	}
	where := (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()
	return text + ": it redirects to " + neterror.PeerText(where, r.Request.URL) + ", but redirects are not followed: use the new URL if it is correct"
}
