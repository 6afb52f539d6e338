package helper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/transport"
)

// A Transport is a transport that a program serves.
type Transport struct {
	Scheme string // of its addresses
	// Check returns an error if an address can never work, whatever the state of its server; nil if
	// the transport cannot check addresses.
	Check   func(*url.URL) error
	Publish func(context.Context, *url.URL, transport.Options) (transport.Publisher, error)
	Consume func(context.Context, *url.URL, transport.Options) (transport.Consumer, error)
	// Withholds reports whether consumers implement transport.Options.Withhold. If not, they are
	// never asked to make dead letters while Withhold is set.
	Withholds bool
}

// maxInFlight is the maximum number of requests in flight; more are an error.
const maxInFlight = 10_000

// Serve runs a program handoff-transport-NAME: in is its standard input, and out its standard
// output, which must have no other writer. It returns nil when in has ended and all places are
// closed: unacknowledged messages have been given back. It also closes all places when ctx is done;
// a read of in may then still block. The caller prints an error to standard error and exits with
// code 1.
func Serve(ctx context.Context, in io.Reader, out io.Writer, transports ...Transport) error {
	written := make(chan struct{})
	s := &session{
		transports: transports,
		lines:      newLineWriter(out, written),
		inFlight:   map[uint64]context.CancelFunc{},
		consumers:  map[uint64]*servedConsumer{},
		deliveries: map[uint64]heldDelivery{},
		limit:      besideBody,
	}
	err := s.serve(ctx, in)
	if err != nil {
		err = fmt.Errorf("standard input: %w", err)
		s.respond(&response{Error: failureOf(err)})
	}
	close(written)
	<-s.lines.done
	if s.lines.err != nil {
		err = errors.Join(err, fmt.Errorf("standard output: %w", s.lines.err))
	}
	return err
}

// serve handles requests until there are no more, and closes all places.
func (s *session) serve(ctx context.Context, in io.Reader) error {
	// Long operations are cancelled once their results are useless, and all others soon after.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	waiting, stopWaiting := context.WithCancel(working)
	defer stopWaiting()

	err := s.read(ctx, in, working, waiting)
	stopWaiting()
	defer time.AfterFunc(grace/2, stop).Stop()
	s.working.Wait()
	return errors.Join(err, s.close(0))
}

// read handles requests until the input ends, an error occurs, or ctx is done.
func (s *session) read(ctx context.Context, in io.Reader, working, waiting context.Context) error {
	type result struct {
		line []byte
		err  error
	}
	wanted, read := make(chan int64, 1), make(chan result, 1)
	defer close(wanted)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for limit := range wanted {
			line, err := readLine(r, limit)
			read <- result{line, err}
		}
	}()
	for number := 1; ; number++ {
		wanted <- s.limit
		var next result
		select {
		case next = <-read:
		case <-ctx.Done():
			return nil
		case <-s.lines.done: // the output is no longer read
			return nil
		}
		if next.err == io.EOF {
			return nil
		}
		var q request
		err := next.err
		if err == nil {
			err = decode(next.line, &q)
		}
		if err == nil {
			err = s.take(q, working, waiting)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// take starts handling a request. An error ends the program.
func (s *session) take(q request, working, waiting context.Context) error {
	if q.Do == doCancel {
		s.mu.Lock()
		defer s.mu.Unlock()
		if cancel := s.inFlight[q.ID]; cancel != nil { // otherwise its response has been sent
			cancel()
		}
		return nil
	}
	if q.ID == 0 {
		return errors.New("a request has no id")
	}
	if q.Do == doHello { // all others wait for it
		s.respond(s.answer(q, s.hello(working, q)))
		return nil
	}
	ctx := working
	if q.Do == doNext {
		ctx = waiting
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.inFlight[q.ID] != nil:
		cancel()
		return fmt.Errorf("the id %d belongs to a request in flight", q.ID)
	case len(s.inFlight) >= maxInFlight:
		cancel()
		s.respond(&response{ID: q.ID, Error: &failure{Text: fmt.Sprintf("%d requests are in flight, which is the limit", maxInFlight)}})
		return nil
	}
	s.inFlight[q.ID] = cancel
	s.working.Go(func() {
		defer cancel()
		a := s.work(ctx, q)
		s.mu.Lock()
		delete(s.inFlight, q.ID) // before the response, after which the id may be reused
		s.mu.Unlock()
		s.respond(a)
	})
	return nil
}

// respond writes a response.
func (s *session) respond(a *response) {
	line, err := json.Marshal(a)
	if err != nil {
		line, _ = json.Marshal(&response{ID: a.ID, Error: failureOf(err)})
	}
	select {
	case s.lines.lines <- line:
	case <-s.lines.done:
	}
}

// hello opens the place of the first request.
func (s *session) hello(ctx context.Context, q request) func(*response) error {
	return func(a *response) error {
		if s.opened {
			return errors.New("hello was sent twice")
		}
		if !slices.Contains(q.Versions, version) {
			return &transport.PermanentError{Err: fmt.Errorf("this program uses version %d of the protocol, but the request offers %v", version, q.Versions)}
		}
		u, err := url.Parse(q.URL)
		if err != nil {
			return &transport.PermanentError{Err: errors.New("the address is not a URL")} // it may hold a password
		}
		at := slices.IndexFunc(s.transports, func(t Transport) bool { return t.Scheme == u.Scheme })
		if at < 0 {
			return &transport.PermanentError{Err: fmt.Errorf("this program has no transport %s", quote(u.Scheme))}
		}
		o := transport.Options{MaxBytes: max(q.MaxBytes, 0), Prefetch: max(q.Prefetch, 0), Lease: millis(q.LeaseMillis), Withhold: q.Withhold}.WithDefaults()
		switch q.Role {
		case rolePublish:
			s.publisher, err = s.transports[at].Publish(ctx, u, o)
			_, a.Ask = s.publisher.(transport.Asker)
		case roleConsume:
			var c transport.Consumer
			if c, err = s.transports[at].Consume(ctx, u, o); err == nil {
				s.consumers[0] = newServed(c)
			}
		case roleCheck:
			if check := s.transports[at].Check; check != nil {
				if err := check(u); err != nil {
					return &addressError{err}
				}
			}
		default:
			err = &transport.PermanentError{Err: fmt.Errorf("the role %s is neither publish nor consume", quote(q.Role))}
		}
		if err != nil {
			return err
		}
		s.opened, s.limit, a.Version, a.Withhold = true, lineLimit(o.MaxBytes), version, q.Withhold && s.transports[at].Withholds
		return nil
	}
}
