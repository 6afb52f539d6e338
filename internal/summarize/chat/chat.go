package chat

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/webpost"
	"github.com/eaapl/handoff/pkg/summarize"
)

var _ summarize.Summarizer = (*Summarizer)(nil)

// Options configure the model and the connection to it.
type Options struct {
	// Post sends a request. It must be set.
	Post func(context.Context, webpost.Request) (webpost.Answer, error)
	// URL is the prefix of the endpoint's paths, up to and including the version; "" means
	// https://api.openai.com/v1. It must not have a user, query or fragment. http is only allowed
	// without a key or on this machine.
	URL string
	// Model is the model's name at the endpoint. It must be set. Section 9 recommends an efficient
	// one.
	Model string
	// Key is sent as a bearer token, without surrounding white space; "" sends none.
	Key string
	// Timeout bounds one call with all its retries and the pauses between them; 0 means two minutes.
	// The context bounds all calls together.
	Timeout time.Duration
	// Retries is the number of retries of a call after a failed connection or a status of 408, 409,
	// 429 or 5xx; 0 means 3, a negative number none. Pauses grow from half a second, or are set by
	// the endpoint; a call is not retried if the endpoint asks for a pause longer than Timeout.
	Retries int
	// ContextWindow is the model's context window in tokens, answer included; 0 means 128,000. Set
	// it for local models, whose servers often allow a few thousand.
	ContextWindow int
	// ReasoningTokens is the number of tokens that the model may use for reasoning, in addition to
	// the summary. A reasoning model gives no answer without them.
	ReasoningTokens int
}

// A Summarizer summarises with a model. It is safe for concurrent use.
type Summarizer struct {
	post      func(ctx context.Context, body []byte) (webpost.Answer, error) // a closure, so that the key cannot be printed
	host      string
	model     string
	timeout   time.Duration
	window    int
	reasoning int
	keyed     bool
	mask      func(string) string // removes the key from a text
}

// New checks options and returns a summariser. It does not connect.
func New(o Options) (*Summarizer, error) {
	base, err := baseURL(cmp.Or(o.URL, "https://api.openai.com/v1"))
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(o.Key)
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the summariser's key contains white space or other invalid characters: check its source")
	case key != "" && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, errors.New("the summariser's key would go to " + base.Host + " unencrypted: use https, or leave out the key")
	case o.Model == "":
		return nil, errors.New("the summariser has no model: name one that the endpoint offers")
	case o.Timeout < 0 || o.ContextWindow < 0 || o.ReasoningTokens < 0:
		return nil, errors.New("the summariser's timeout, window and tokens for reasoning must not be negative")
	}
	timeout := cmp.Or(o.Timeout, 2*time.Minute)
	request := webpost.Request{
		URL: base.JoinPath("chat/completions").String(), Key: key, Timeout: timeout, Retries: cmp.Or(o.Retries, 3),
	}
	return &Summarizer{
		post: func(ctx context.Context, body []byte) (webpost.Answer, error) {
			r := request
			r.Body = body
			return o.Post(ctx, r)
		},
		host:      base.Host,
		model:     o.Model,
		timeout:   timeout,
		window:    cmp.Or(o.ContextWindow, 128_000),
		reasoning: o.ReasoningTokens,
		keyed:     key != "",
		mask:      func(text string) string { return without(text, key, minOfKey, "[key]") },
	}, nil
}

// baseURL parses the URL of the options. Its errors do not quote it: it may hold a password.
func baseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, errors.New("the summariser's URL cannot be read: write it like https://api.openai.com/v1")
	case u.User != nil:
		return nil, errors.New("the summariser's URL contains a user or password: leave it out and set the key instead")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the summariser's URL has a query (?) or fragment (#), which would not be sent: leave it out")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
		return nil, errors.New("the summariser's URL ends with /chat/completions: leave that out, it is added")
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
