package http

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/webclient"
)

// PostOptions are the options of posting. The zero value is ready to use.
type PostOptions struct {
	// TLS is for https; nil means the system's root certificates.
	TLS *tls.Config
	// Token, if set, is sent as the bearer token of every request.
	Token string
	// Timeout bounds one message including its answer; 0 means [webclient.DefaultTimeout].
	Timeout time.Duration
}

const (
	maxProblem = 16 << 10 // bytes read of an error
	// asksFirst is the minimum size in bytes of a body for which the client first asks whether it is
	// wanted: that takes a round trip, which is faster than sending a body in vain.
	asksFirst = 1 << 20
)

// Publish opens the address of a receiver: http or https, with a user and password if needed. It
// sends nothing. The publisher is a [transport.Asker]; answers are only returned by its Publish.
func Publish(_ context.Context, u *url.URL, _ transport.Options) (transport.Publisher, error) {
	return Post(u, PostOptions{})
}

// Check returns an error if the address cannot be a receiver's.
func Check(u *url.URL) error {
	_, err := newPublisher(u, PostOptions{})
	return err
}

// Post is [Publish] with more options.
func Post(u *url.URL, o PostOptions) (transport.Publisher, error) {
	p, err := newPublisher(u, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func newPublisher(u *url.URL, o PostOptions) (*publisher, error) {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Hostname() == "" {
		return nil, &transport.PermanentError{Err: errors.New("it is not the address of a receiver: write it as https://host/path")}
	}
	address := *u
	address.Fragment, address.RawFragment = "", ""
	return &publisher{&address, o.Token, webclient.New(webclient.Options{TLS: o.TLS, Timeout: o.Timeout})}, nil
}

type publisher struct {
	address *url.URL
	token   string
	client  *webclient.Client
}

func (p *publisher) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

func (p *publisher) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	header := http.Header{"Content-Type": {jsonType}}
	for _, h := range m.Headers() {
		header.Set(h.Name, h.Value)
	}
	if key := header.Get(keyHeader); strings.HasPrefix(key, `"`) { // it would be parsed as a quoted one
		header.Set(keyHeader, "%22"+key[1:])
	}
	if len(m.Body) >= asksFirst {
		header.Set("Expect", "100-continue")
	}
	answer, err := p.do(ctx, http.MethodPost, p.address, header, m)
	return transport.Receipt{Answer: answer}, err
}

// Ask requests the receiver's newest answer for a key.
func (p *publisher) Ask(ctx context.Context, key string) (*transport.Message, error) {
	if key == "" {
		return nil, nil
	}
	at := *p.address
	at.RawPath = strings.TrimSuffix(at.EscapedPath(), "/") + "/" + url.PathEscape(key)
	at.Path = strings.TrimSuffix(at.Path, "/") + "/" + key
	return p.do(ctx, http.MethodGet, &at, http.Header{}, transport.Message{Key: key})
}

// do sends a request about a message, and returns the answer.
func (p *publisher) do(ctx context.Context, method string, at *url.URL, header http.Header, m transport.Message) (*transport.Message, error) {
	request, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(m.Body))
	if err != nil {
		return nil, &transport.PermanentError{Err: errors.New("the address is not valid")} // err has the password
	}
	request.Header = header
	p.introduce(header)
	response, err := p.send(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a := answerReader{p, response, m}
	answer, err := a.read()
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// send sends a request. If its context is done, the error is the context's.
func (p *publisher) send(r *http.Request) (*http.Response, error) {
	response, err := p.client.Do(r)
	if err != nil && r.Context().Err() != nil {
		err = r.Context().Err()
	}
	return response, err
}

// introduce adds the headers that identify the sender.
func (p *publisher) introduce(header http.Header) {
	header.Set("Accept", jsonType)
	header.Set("User-Agent", "handoff")
	if p.token != "" {
		header.Set("Authorization", "Bearer "+p.token)
	}
}

// drain reads the rest of a response, so that the connection can be reused.
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, maxProblem) }
