package claimcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/eaapl/handoff/pkg/internal/neterror"
)

// A web is a store with a resource for each body.
type web struct {
	base   *url.URL
	client *http.Client
}

// How long a server may take.
const (
	connecting = 10 * time.Second
	thinking   = 30 * time.Second // until its answer begins
	passing    = 5 * time.Minute  // until the body is there
)

func newWeb(base *url.URL) *web {
	return &web{base: base, client: &http.Client{
		Timeout: passing,
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: connecting}).DialContext,
			TLSHandshakeTimeout:   connecting,
			ResponseHeaderTimeout: thinking,
			IdleConnTimeout:       time.Minute,
			DisableCompression:    true, // the body is what was stored
			ForceAttemptHTTP2:     true,
		},
		// A store does not send anybody to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (w *web) String() string { return shown(w.base) }

// shown returns an address without who logs in and without parameters, which may be secrets.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (w *web) Put(ctx context.Context, digest string, body []byte) error {
	answer, err := w.do(ctx, http.MethodPut, digest, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer end(answer)
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("it has not taken the body: %s", answer.Status)
	}
	return nil
}

func (w *web) Get(ctx context.Context, digest string, limit int64) ([]byte, error) {
	answer, err := w.do(ctx, http.MethodGet, digest, nil)
	if err != nil {
		return nil, err
	}
	defer end(answer)
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, ErrMissing
	default:
		return nil, fmt.Errorf("it has not given the body: %s", answer.Status)
	}
	if answer.ContentLength > limit {
		return nil, ErrTooLong
	}
	body, err := readAll(answer.Body, limit)
	if err != nil && !errors.Is(err, ErrTooLong) {
		err = neterror.Plain(err)
	}
	return body, err
}

func (w *web) do(ctx context.Context, method, digest string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, w.base.JoinPath(digest).String(), body)
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/octet-stream")
	}
	answer, err := w.client.Do(request)
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // which has no address, and so no password
	}
	if err != nil && ctx.Err() == nil {
		err = neterror.Plain(err)
	}
	return answer, err
}

// end reads what little is left of an answer, so that the connection can be used again.
func end(answer *http.Response) {
	_, _ = io.CopyN(io.Discard, answer.Body, 4096)
	_ = answer.Body.Close()
}
