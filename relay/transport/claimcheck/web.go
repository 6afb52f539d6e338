package claimcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/webclient"
)

// A web is a store with a resource for each body.
type web struct {
	base   *url.URL
	client *webclient.Client
}

// Timeouts of a server.
const (
	thinking = 30 * time.Second // until its answer begins
	passing  = 5 * time.Minute  // until the body is complete
)

func newWeb(base *url.URL) *web {
	// Get has its own limit for each body.
	return &web{base, webclient.New(webclient.Options{Timeout: passing, Begin: thinking, MaxAnswer: math.MaxInt64})}
}

func (w *web) String() string { return shown(w.base) }

// shown returns an address without user information and parameters, which may be secrets.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (w *web) Put(ctx context.Context, digest string, body []byte) error {
	answer, err := w.do(ctx, http.MethodPut, digest, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer end(answer)
	if err := webclient.Took(answer); err != nil {
		return fmt.Errorf("it did not accept the body: %w", err)
	}
	if answer.StatusCode == http.StatusOK && isPage(answer) {
		return fmt.Errorf("it did not accept the body: %w", errPage)
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
		return nil, fmt.Errorf("it did not return the body: %s", webclient.Status(answer))
	}
	if isPage(answer) {
		return nil, fmt.Errorf("it did not return the body: %w", errPage)
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
	return w.client.Do(request)
}

// errPage reports an answer that is not from a store, such as the login page of a network.
var errPage = errors.New("the answer is an HTML page: check that a store uses this address")

func isPage(answer *http.Response) bool {
	name, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && name == "text/html"
}

// end reads the short rest of an answer, so that the connection can be reused.
func end(answer *http.Response) {
	_, _ = io.CopyN(io.Discard, answer.Body, 4096)
	_ = answer.Body.Close()
}
