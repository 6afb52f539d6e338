package http

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/neterror"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/webclient"
)

// A BusyError reports that the receiver does not take a message now, but may later.
type BusyError struct {
	Err   error
	After time.Duration // the requested delay, at most an hour; 0 for none
}

func (e *BusyError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *BusyError) Unwrap() error { return e.Err }

// RetryAfter returns After. Errors of any transport may have this method.
func (e *BusyError) RetryAfter() time.Duration { return e.After }

// maxWait is the maximum delay that a server can impose on a client.
const maxWait = time.Hour

// An answerReader reads a receiver's response about a message.
type answerReader struct {
	*publisher
	response *http.Response
	message  transport.Message
}

func (r answerReader) read() (*transport.Message, error) {
	defer drain(r.response.Body)
	switch status := r.response.StatusCode; {
	case status == http.StatusNotFound && r.response.Request.Method == http.MethodGet:
		return nil, nil
	case status == http.StatusOK || status == http.StatusCreated || status == http.StatusAccepted || status == http.StatusNoContent:
		return r.answer(transport.Taken)
	case status == http.StatusConflict && isJSON(r.response.Header.Get("Content-Type")):
		return r.answer(transport.Conflict)
	case status == http.StatusUnprocessableEntity && isJSON(r.response.Header.Get("Content-Type")):
		return r.answer(transport.Refused)
	case status == http.StatusRequestEntityTooLarge:
		size := int64(len(r.message.Body))
		limit, err := strconv.ParseInt(r.response.Header.Get(maxBytesHeader), 10, 64)
		if err != nil || limit < 0 || limit >= size { // the limit is not given, but less than size
			limit = max(size-1, 0)
		}
		return nil, &transport.TooLargeError{Size: size, Limit: limit}
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly || status >= 500:
		return nil, &BusyError{r.problem(), r.after()}
	case status >= 300:
		return nil, &transport.PermanentError{Err: r.problem()}
	default:
		return nil, r.problem()
	}
}

// answer returns the body as an answer, nil if there is none.
func (r answerReader) answer(outcome transport.Outcome) (*transport.Message, error) {
	body, err := io.ReadAll(r.response.Body)
	if errors.Is(err, webclient.ErrTooLong) {
		return nil, fmt.Errorf("the answer has more than %d bytes", webclient.DefaultMaxAnswer)
	} else if err != nil {
		return nil, fmt.Errorf("the answer was cut off: %w", neterror.Plain(err))
	}
	if len(body) == 0 {
		return nil, nil
	}
	if contentType := r.response.Header.Get("Content-Type"); !isJSON(contentType) {
		// Such as the login page of a network.
		return nil, fmt.Errorf("the answer is not JSON but %q: check that a receiver of handoffs uses this address", neterror.PeerText(contentType, r.address))
	}
	a := transport.Message{Key: r.message.Key, Body: body}
	for name, values := range r.response.Header {
		a.SetHeader(name, values[0])
	}
	a.Kind = transport.Answer
	switch {
	case r.response.Request.Method == http.MethodPost:
		a.Outcome = outcome
	case a.Outcome != transport.Taken && a.Outcome != transport.Refused && a.Outcome != transport.Conflict:
		a.Outcome = ""
	}
	return &a, nil
}

// problem returns the status and the server's description of it.
func (r answerReader) problem() error {
	status := webclient.Status(r.response)
	if said := neterror.PeerText(r.said(), r.address); said != "" {
		status += ": " + said
	}
	return errors.New(status)
}

// said returns the readable text of a response.
func (r answerReader) said() string {
	if r.response.StatusCode/100 == 3 {
		return ""
	}
	body, err := io.ReadAll(io.LimitReader(r.response.Body, maxProblem))
	if err != nil {
		return ""
	}
	var p problem
	if json.Unmarshal(body, &p) == nil && p.Title+p.Detail != "" {
		if p.Title == "" || p.Title == http.StatusText(r.response.StatusCode) || p.Detail == "" {
			return cmp.Or(p.Detail, p.Title)
		}
		return p.Title + ": " + p.Detail
	}
	if sniffed := http.DetectContentType(body); sniffed == "text/plain; charset=utf-8" {
		return string(body)
	}
	return "" // a page, which has no one-line text
}

// after returns the value of Retry-After: seconds or a date.
func (r answerReader) after() time.Duration {
	value := r.response.Header.Get(retryAfter)
	if seconds, err := strconv.Atoi(value); err == nil {
		return min(time.Duration(min(max(seconds, 0), int(maxWait/time.Second)))*time.Second, maxWait)
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(date), 0), maxWait)
	}
	return 0
}
