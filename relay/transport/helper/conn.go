package helper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/transport"
)

// A conn is the client side of the protocol: many requests are in flight at once.
type conn struct {
	name     string // of the program
	peer     peer
	maxBytes int64
	said     func(string) string // formats the program's texts for errors
	lines    *lineWriter
	// acksLetters is set if the program would keep messages as dead letters, but must not.
	acksLetters bool

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]*call
	closing bool
	dead    chan struct{} // closed after the last response
	err     error         // the reason, once dead is closed
	ended   chan struct{} // closed when the program has ended
}

// A peer is a running program: its output can be read, and its input written and closed.
type peer interface {
	io.ReadWriteCloser
	// stop kills it, so that reading ends with the reason.
	stop(reason error)
	// end is called with the reason when reading ends. It waits for the program to end, and returns
	// the error for all requests in flight.
	end(reason error) error
}

// A call is a request without a response yet.
type call struct {
	response chan *response  // buffered, for one response
	late     func(*response) // receives a response after the caller has returned; nil until then
}

var (
	errClosed = errors.New("the transport has been closed")
	errDeaf   = errors.New("it no longer reads its input")
)

func newConn(name string, p peer, maxBytes int64, said func(string) string) *conn {
	c := &conn{
		name: name, peer: p, maxBytes: maxBytes, said: said,
		waiting: map[uint64]*call{}, dead: make(chan struct{}), ended: make(chan struct{}),
	}
	c.lines = newLineWriter(p, c.dead)
	go func() {
		defer close(c.ended)
		c.fail(p.end(c.read()))
	}()
	go func() {
		<-c.lines.done
		select {
		case <-c.ended: // usually it does not read because it has ended
		case <-time.After(grace):
			p.stop(errDeaf)
		}
	}()
	return c
}

// read passes responses to their callers until there are no more, and returns the reason.
func (c *conn) read() error {
	r := bufio.NewReaderSize(c.peer, 64<<10)
	limit := lineLimit(c.maxBytes)
	for {
		line, err := readLine(r, limit)
		if err != nil {
			return err
		}
		a := new(response)
		if err := decode(line, a); err != nil {
			return fmt.Errorf("wrote a line that is not a response: %w", err)
		}
		c.mu.Lock()
		waiting := c.waiting[a.ID]
		delete(c.waiting, a.ID)
		var late func(*response)
		if waiting != nil {
			if late = waiting.late; late == nil {
				waiting.response <- a
			}
		}
		c.mu.Unlock()
		switch {
		case waiting == nil && a.ID == 0 && a.Error != nil:
			return errors.New(c.said(a.Error.Text))
		case waiting == nil:
			return fmt.Errorf("wrote a response to a request that is not in flight: %s", quote(line))
		case late != nil:
			late(a)
		}
	}
}

// fail fails all requests in flight.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		if c.closing {
			err = errClosed
		}
		c.err = err
		close(c.dead)
	}
}

// settleTime is the time for the program to cancel a request whose response must not be lost.
const settleTime = time.Second

// call sends a request and waits for the response. When ctx is done, it cancels the request and
// returns at once, unless late is set: then it waits briefly for the response, and late receives a
// successful response that arrives even later. late must not block.
func (c *conn) call(ctx context.Context, q request, late func(*response)) (*response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting := &call{response: make(chan *response, 1)}
	c.mu.Lock()
	c.last++
	q.ID = c.last
	c.waiting[q.ID] = waiting
	c.mu.Unlock()
	if err := c.send(ctx, q); err != nil { // the program has not seen it
		c.mu.Lock()
		delete(c.waiting, q.ID)
		c.mu.Unlock()
		return nil, err
	}
	select {
	case a := <-waiting.response:
		return c.result(a)
	case <-c.dead:
	case <-ctx.Done():
		go c.send(context.Background(), request{ID: q.ID, Do: doCancel})
		if late != nil {
			select {
			case <-c.dead:
			case <-time.After(settleTime):
			case a := <-waiting.response:
				if a.Error != nil {
					return nil, ctx.Err()
				}
				return a, nil
			}
		}
		if c.leave(q.ID, waiting, late) {
			return nil, ctx.Err()
		}
	}
	select { // it arrived at the same time
	case a := <-waiting.response:
		return c.result(a)
	default:
		return nil, c.err
	}
}

// leave directs a response still to come to late. It reports false if the response has arrived.
func (c *conn) leave(id uint64, waiting *call, late func(*response)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[id] != waiting {
		return false
	}
	waiting.late = func(a *response) {
		if late != nil && a.Error == nil {
			late(a)
		}
	}
	return true
}

func (c *conn) result(a *response) (*response, error) {
	if a.Error != nil {
		return nil, a.Error.err(c.said)
	}
	return a, nil
}

// send writes a request. It returns when ctx is done, even if the program has not read the request.
func (c *conn) send(ctx context.Context, q request) error {
	if q.Message != nil && int64(len(q.Message.Body)) > max(c.maxBytes, transport.DefaultMaxBytes) {
		return &transport.TooLargeError{Size: int64(len(q.Message.Body)), Limit: max(c.maxBytes, transport.DefaultMaxBytes)}
	}
	line, err := json.Marshal(q)
	if err != nil {
		return &transport.PermanentError{Err: err}
	}
	if limit := lineLimit(c.maxBytes); int64(len(line)) > limit {
		return &transport.TooLargeError{Size: int64(len(line)), Limit: limit}
	}
	select {
	case c.lines.lines <- line:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.dead:
		return c.err
	}
}

// close asks the program to close all places, and waits for it to end.
func (c *conn) close() error {
	c.mu.Lock()
	again := c.closing
	c.closing = true
	c.mu.Unlock()
	if again {
		<-c.ended
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_, err := c.call(ctx, request{Do: doClose}, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s did not close within %s", c.name, grace)
	}
	c.peer.Close()
	<-c.ended
	return err
}
