// Package alert sends alerts about handoffs to people and their systems (EAAPL-MAG006, sections 6.3 and 6.5):
// it passes audit records to a command or posts them to a URL, without blocking the caller.
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

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/relay/webclient"
)

// Options are the receivers of alerts. Both may be set.
type Options struct {
	Command *child.Options // gets each record on standard input; nil for none
	URL     string         // gets each record as a POST request; "" for none
	// Sign returns the signature of a posted text, for the header [SignatureHeader]; nil for none.
	Sign func(text []byte) string
	// Failed is called when an alert could not be delivered. If it is nil, [Sender.Close] returns the errors.
	Failed func(error)
	// Timeout is the maximum time for one alert, including all attempts; 0 means 30 s.
	Timeout time.Duration
}

// SignatureHeader is the header with the signature of the posted text.
const SignatureHeader = "Handoff-Signature"

const (
	defaultTimeout = 30 * time.Second
	maxWaiting     = 1000 // maximum number of queued alerts
	firstPause     = 250 * time.Millisecond
	contentType    = "application/json"
)

// A Sender delivers alerts, one after the other. Its methods may be called concurrently, but not after Close.
type Sender struct {
	options  Options
	children *child.Set
	client   *webclient.Client
	queue    chan []byte
	done     chan struct{}
	failed   []error
}

// New returns a sender that starts commands in children. It returns an error if the URL is invalid.
func New(children *child.Set, o Options) (*Sender, error) {
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, errors.New("it is not the URL of a web server: write it as https://host/path")
		}
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	s := &Sender{options: o, children: children, client: webclient.New(webclient.Options{Timeout: o.Timeout}), queue: make(chan []byte, maxWaiting), done: make(chan struct{})}
	go s.run()
	return s, nil
}

// Send queues an alert with a record, a JSON text. It blocks only while the queue is full.
func (s *Sender) Send(record []byte) { s.queue <- record }

// Close waits until all alerts are delivered. It returns one error for each alert that could not be
// delivered.
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

// start runs the command and discards its output.
func (s *Sender) start(ctx context.Context, record []byte) error {
	p, err := s.children.Start(ctx, *s.options.Command)
	if err != nil {
		return err
	}
	_, _ = p.Write(append(bytes.Clone(record), '\n')) // a command that does not read its input is judged by its exit status
	_ = p.CloseInput()
	_, _ = io.Copy(io.Discard, p)
	if err := p.Wait(); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the command did not end within %s", s.options.Timeout)
	} else if err != nil {
		return fmt.Errorf("the command ended with %w", err)
	}
	return nil
}

// post posts a record until a server accepts it or the timeout expires.
func (s *Sender) post(ctx context.Context, record []byte) error {
	var before error
	for pause := firstPause; ; pause *= 2 {
		again, err := s.attempt(ctx, record)
		if err == nil || !again {
			return err
		}
		if before != nil && ctx.Err() != nil { // this attempt was cut short: the previous error is more useful
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

// attempt posts a record once. again reports whether another attempt may succeed.
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
	defer response.Body.Close() // the body of the response is not used
	if err := webclient.Took(response); err != nil {
		return response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests, fmt.Errorf("posting it: the server answered %w", err)
	}
	return false, nil
}
