package http

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/transport"
)

// A delivery is a message whose sender waits for the response.
type delivery struct {
	server  *Server
	size    int64 // the size that it counts
	message transport.Message

	respond     chan func(http.ResponseWriter) // buffered, for the only response
	respondOnce sync.Once
	written     chan struct{} // closed when the response has been written
	endOnce     sync.Once
}

// newDelivery returns a delivery for a message in work. Only its size and its unauthenticated headers are
// known so far.
func newDelivery(s *Server, size int64, encoding string, header http.Header) *delivery {
	d := &delivery{server: s, size: size, respond: make(chan func(http.ResponseWriter), 1), written: make(chan struct{})}
	for name, values := range header {
		d.message.SetHeader(name, values[0])
	}
	d.message.Encoding = encoding
	// The draft of Idempotency-Key has the key in quotes; most senders omit them.
	if key := header.Get(keyHeader); len(key) > 1 && strings.HasPrefix(key, `"`) && strings.HasSuffix(key, `"`) {
		d.message.Key = ""
		d.message.SetHeader(keyHeader, key[1:len(key)-1])
	}
	return d
}

// write waits for the response and writes it.
func (d *delivery) write(w http.ResponseWriter) {
	defer close(d.written)
	select {
	case respond := <-d.respond:
		respond(w)
	case <-d.server.closing:
		d.set(func(w http.ResponseWriter) {
			writeBusy(w, http.StatusServiceUnavailable, "this receiver stopped before the message was finished", busyWait)
		})
		(<-d.respond)(w) // the first one set
		d.end()
	}
	_ = http.NewResponseController(w).Flush() // before anyone relies on its being written
}

// set sets the response, unless there is one.
func (d *delivery) set(respond func(http.ResponseWriter)) {
	d.respondOnce.Do(func() { d.respond <- respond })
}

// end stops counting the message as in work.
func (d *delivery) end() { d.endOnce.Do(func() { d.server.work.end(d.size) }) }

// finish sets the response unless there is one, waits until it is written, and ends the delivery.
func (d *delivery) finish(ctx context.Context, respond func(http.ResponseWriter)) error {
	d.set(respond)
	d.end()
	return d.wait(ctx)
}

func (d *delivery) wait(ctx context.Context) error {
	select {
	case <-d.written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *delivery) Message() transport.Message { return d.message }

// statuses are the HTTP statuses of answers.
var statuses = map[transport.Outcome]int{
	transport.Taken:    http.StatusAccepted,
	transport.Conflict: http.StatusConflict,
	transport.Refused:  http.StatusUnprocessableEntity,
}

func (d *delivery) Answer(ctx context.Context, a transport.Message) error {
	d.set(func(w http.ResponseWriter) {
		status := statuses[a.Outcome]
		if status == 0 {
			status = http.StatusOK
		}
		setHeaders(w, a)
		if a.Key != "" && d.server.options.Ask != nil {
			w.Header().Set("Location", d.server.path+"/"+url.PathEscape(a.Key))
		}
		writeBody(w, status, jsonType, a.Body)
	})
	return d.wait(ctx)
}

func (d *delivery) Ack(ctx context.Context) error {
	return d.finish(ctx, func(w http.ResponseWriter) { writeBody(w, http.StatusAccepted, "", nil) })
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	return d.finish(ctx, func(w http.ResponseWriter) {
		writeBusy(w, http.StatusServiceUnavailable, "this receiver cannot accept the message now", max(after, busyWait))
	})
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	return d.finish(ctx, func(w http.ResponseWriter) {
		writeProblem(w, http.StatusUnprocessableEntity, neterror.PeerText(reason, &url.URL{}))
	})
}
