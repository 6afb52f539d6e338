// Package webclient makes every HTTP request of this program, by one policy:
//
//   - A redirect is an answer and is not followed: neither a body nor a token, nor the address as a Referer,
//     reaches another server. Only 2xx of the URL itself means that it took the request.
//   - No cookie is kept or sent.
//   - The certificate of the server is verified.
//   - Connecting, the request with its answer, and the bytes of an answer are bounded.
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

// Options are the bounds of requests. The zero value is usual.
type Options struct {
	// TLS has the roots to trust; nil means those of the system. Certificates are verified in any case.
	TLS *tls.Config
	// Timeout is how long a request may take with its answer; 0 means [DefaultTimeout].
	Timeout time.Duration
	// Begin is how long a server may take until its answer begins; 0 means Timeout.
	Begin time.Duration
	// MaxAnswer is the maximum of bytes of an answer; 0 means [DefaultMaxAnswer].
	MaxAnswer int64
}

// The zero values of [Options].
const (
	DefaultTimeout   = time.Minute
	DefaultMaxAnswer = 16 << 20
)

const (
	connectTimeout = 10 * time.Second
	idleTimeout    = 90 * time.Second
	askTimeout     = time.Second // for a server to say whether it wants a body
	pingTimeout    = 15 * time.Second
	maxIdle        = 256       // connections that are kept for the next request
	maxHeader      = 256 << 10 // bytes of the headers of an answer
)

// ErrTooLong is the error of reading an answer that has more bytes than it may have.
var ErrTooLong = errors.New("the answer is too long")

// A Client makes requests. It is safe for concurrent use.
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
		DisableCompression:     true, // an answer is passed on as it came, and its bound is that of its bytes
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTimeout, PingTimeout: pingTimeout},
	}
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.InsecureSkipVerify = false
	}
	return &Client{http.Client{Transport: t, Timeout: o.Timeout, CheckRedirect: keepRedirect}, o.MaxAnswer}
}

// keepRedirect returns a redirect as the answer.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Do makes a request. The caller closes the body of the answer; reading more than may be read of it
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

// plain returns the error of a request without its address, its token, or what a server has put into
// the error for a terminal.
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
	if text = neterror.Said(text, r.URL); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// A body is that of an answer.
type body struct {
	io.ReadCloser
	left int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLong
	}
	if int64(len(p))-1 > b.left { // the byte after the last one shows that there are more
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLong
	}
	return n, err
}

// Took returns nil if the URL itself took a request: its status is 2xx. The error is that status.
func Took(r *http.Response) error {
	if r.StatusCode/100 == 2 {
		return nil
	}
	return errors.New(Status(r))
}

// Status returns the status of an answer in our words, and of a redirect the server that it leads to.
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
	return text + ": it redirects to " + neterror.Said(where, r.Request.URL) + ", and no redirect is followed: use the URL there if it is the right one"
}
