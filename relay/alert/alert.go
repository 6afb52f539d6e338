// Package alert tells people and their systems what happened (EAAPL-MAG006, sections 6.3 and
// 6.5): it gives records to a command or posts them to a URL, without holding up who reports
// them.
package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/eaapl/handoff/internal/webclient"
	"github.com/eaapl/handoff/pkg/child"
)

// Options say who is told. Both may be.
type Options struct {
	Command *child.Options // gets each record on its standard input; nil for none
	URL     string         // each record is posted to it, "" for none
	// Sign returns the signature of a text that is posted, for the header
	// [SignatureHeader]; nil for none.
	Sign func(text []byte) string
	// Failed is told of each alert that does not arrive, when it does not; nil if [Sender.Close] is to
	// return what went wrong.
	Failed func(error)
	// Timeout is how long one alert may take, with all attempts; 0 means 30 s.
	Timeout time.Duration
}

// SignatureHeader is the header with the signature of what is posted.
const SignatureHeader = "Handoff-Signature"

const (
	defaultTimeout = 30 * time.Second
	maxWaiting     = 1000 // alerts that wait for one that is under way
	firstPause     = 250 * time.Millisecond
	contentType    = "application/json"
)

// A Sender tells people of records, one after the other. Its methods may be called from
// several goroutines, but none after Close.
type Sender struct {
	options  Options
	children *child.Set
	client   *webclient.Client
	queue    chan []byte
	done     chan struct{}
	failed   []error
}

// New returns a sender that starts commands in children. An error says what is wrong with the
// URL.
func New(children *child.Set, o Options) (*Sender, error) {
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, errors.New("not the URL of a web server: write it as https://host/path")
		}
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	s := &Sender{options: o, children: children, client: webclient.New(webclient.Options{Timeout: o.Timeout}), queue: make(chan []byte, maxWaiting), done: make(chan struct{})}
	go s.run()
	return s, nil
}

// Send tells of a record, a JSON text. It does not wait until somebody has heard of it, unless
// very many are waiting.
func (s *Sender) Send(record []byte) { s.queue <- record }

// Close waits until all have been told, and returns what went wrong: one error for each alert
// that did not arrive.
func (s *Sender) Close() error {
	close(s.queue)
	<-s.done
	return errors.Join(s.failed...)
}

func (s *Sender) run() {
	defer close(s.done)
	for record := range s.queue {
		ctx, cancel := context.WithTimeout(context.Background(), s.options.Timeout)
		if s.options.Command != nil {
			s.note(s.start(ctx, record))
		}
		if s.options.URL != "" {
			s.note(s.post(ctx, record))
		}
		cancel()
	}
}

func (s *Sender) note(err error) {
	switch {
	case err == nil:
	case s.options.Failed != nil:
		s.options.Failed(err)
	default:
		s.failed = append(s.failed, err)
	}
}

// start runs the command. What it prints goes nowhere.
func (s *Sender) start(ctx context.Context, record []byte) error {
	p, err := s.children.Start(ctx, *s.options.Command)
	if err != nil {
		return err
	}
	_, _ = p.Write(append(bytes.Clone(record), '\n')) // it need not read it: how it ends is what counts
	_ = p.CloseInput()
	_, _ = io.Copy(io.Discard, p)
	if err := p.Wait(); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the command had not ended after %s", s.options.Timeout)
	} else if err != nil {
		return fmt.Errorf("the command ended with %w", err)
	}
	return nil
}

// post posts a record until somebody has taken it, or the time is over.
func (s *Sender) post(ctx context.Context, record []byte) error {
	var before error
	for pause := firstPause; ; pause *= 2 {
		again, err := s.attempt(ctx, record)
		if err == nil || !again {
			return err
		}
		if before != nil && ctx.Err() != nil { // this attempt was cut short: the one before it says more
			return before
		}
		before = err
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// attempt posts a record once. again reports whether trying again may help.
func (s *Sender) attempt(ctx context.Context, record []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.options.URL, bytes.NewReader(record))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", contentType)
	if s.options.Sign != nil {
		request.Header.Set(SignatureHeader, s.options.Sign(record))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return true, fmt.Errorf("posting it: %w", err)
	}
	defer response.Body.Close() // what it answers does not matter
	if err := webclient.Took(response); err != nil {
		return response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests, fmt.Errorf("posting it: the answer was %w", err)
	}
	return false, nil
}
