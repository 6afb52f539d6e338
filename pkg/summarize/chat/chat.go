package chat

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/webclient"
	"github.com/eaapl/handoff/pkg/summarize"
)

var _ summarize.Summarizer = (*Summarizer)(nil)

// Options say which model summarises, and how to reach it.
type Options struct {
	// URL is the beginning of the endpoint's paths, up to and with the version; "" is
	// https://api.openai.com/v1. It has no user, query or fragment. http is only for
	// endpoints without a key or on this machine.
	URL string
	// Model is the model's name at the endpoint. It must be set. Section 9 asks
	// for an efficient one.
	Model string
	// Key is sent as a bearer token; "" sends none. White space around it is cut.
	Key string
	// Timeout bounds one call with all its retries and the pauses between them; 0
	// means two minutes. The context bounds the calls together.
	Timeout time.Duration
	// Retries is how often a call is tried again after a failed connection or a status of
	// 408, 409, 429 or 5xx; 0 means 3, a negative number none. Pauses grow from half a
	// second, or are as the endpoint asks; one that asks for more than Timeout is not
	// retried.
	Retries int
	// ContextWindow is how many tokens the model takes, answer included; 0 means
	// 128,000. Set it for local models, whose servers often allow a few thousand.
	ContextWindow int
	// ReasoningTokens is how many tokens the model may use to reason, in addition to the
	// summary. A model that reasons gives no answer without them.
	ReasoningTokens int
}

// A Summarizer summarises with a model. It is safe for concurrent use.
type Summarizer struct {
	do        func(*http.Request) (*http.Response, error)
	endpoint  string // the URL of the completions
	host      string
	authorize func(*http.Request) // a closure has no key that could be printed
	model     string
	timeout   time.Duration
	retries   int
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
		return nil, errors.New("the summariser's key has white space or other characters inside that no key has: check where it is taken from")
	case key != "" && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, errors.New("the summariser's key would go to " + base.Host + " unencrypted: use https, or leave out the key")
	case o.Model == "":
		return nil, errors.New("the summariser has no model: name one that the endpoint offers")
	case o.Timeout < 0 || o.ContextWindow < 0 || o.ReasoningTokens < 0:
		return nil, errors.New("the summariser's timeout, window and tokens for reasoning must not be negative")
	}
	timeout := cmp.Or(o.Timeout, 2*time.Minute)
	return &Summarizer{
		do:       webclient.New(webclient.Options{Timeout: timeout}).Do,
		endpoint: base.JoinPath("chat/completions").String(),
		host:     base.Host,
		authorize: func(req *http.Request) {
			if key != "" {
				req.Header.Set("Authorization", "Bearer "+key)
			}
		},
		model:     o.Model,
		timeout:   timeout,
		retries:   cmp.Or(o.Retries, 3),
		window:    cmp.Or(o.ContextWindow, 128_000),
		reasoning: o.ReasoningTokens,
		keyed:     key != "",
		mask:      func(text string) string { return without(text, key, minOfKey, "[key]") },
	}, nil
}

// baseURL reads the setting. Its errors do not quote it: it may hold a password.
func baseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, errors.New("the summariser's URL cannot be read: write it like https://api.openai.com/v1")
	case u.User != nil:
		return nil, errors.New("the summariser's URL holds a user or password: leave it out and set the key instead")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the summariser's URL has a part from ? or # on, which no request would carry: leave it out")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
		return nil, errors.New("the summariser's URL names the completions themselves: leave out /chat/completions, which is added")
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
