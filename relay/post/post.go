// Package post sends the HTTP requests of [webpost], and repeats them while the failure may be temporary.
package post

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/internal/webpost"
	"github.com/eaapl/handoff/relay/webclient"
)

// Do sends a request and reads the whole answer. It follows no redirects, and uses the proxy of the environment.
// Pauses between attempts grow from half a second, or are set by the server; it does not repeat a request if the
// server asks for a longer pause than the timeout allows. The error is about the request's URL, or of ctx.
func Do(ctx context.Context, r webpost.Request) (webpost.Answer, error) {
	bounded, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	client := webclient.New(webclient.Options{Timeout: r.Timeout})
	x := &exchange{}
	for again := true; again; again = x.answer.Attempts <= r.Retries && x.mayPass() && x.wait(bounded) {
		q, err := http.NewRequestWithContext(bounded, http.MethodPost, r.URL, bytes.NewReader(r.Body))
		if err != nil {
			return webpost.Answer{}, err
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json")
		q.Header.Set("User-Agent", "handoff")
		if r.Key != "" {
			q.Header.Set("Authorization", "Bearer "+r.Key)
		}
		x.attempt(client.Do, q)
	}
	x.answer.TimedOut = bounded.Err() != nil
	return x.answer, ctx.Err()
}

// An exchange is one request, with all attempts.
type exchange struct {
	answer webpost.Answer
	header http.Header // of the last answer
}

// attempt sends a request and reads the whole answer, so that a truncated answer is repeated like any other failed
// connection.
func (x *exchange) attempt(do func(*http.Request) (*http.Response, error), q *http.Request) {
	a := &x.answer
	a.Attempts++
	res, err := do(q)
	if err == nil {
		defer res.Body.Close()
		var body []byte
		if body, err = io.ReadAll(io.LimitReader(res.Body, webpost.MaxAnswer+1)); err == nil {
			x.header = res.Header
			a.Status, a.Reason, a.Location, a.Body, a.Failure = res.StatusCode, http.StatusText(res.StatusCode), res.Header.Get("Location"), body, ""
			return
		}
	}
	a.Failure = err.Error()
}

// mayPass reports whether the failure of the last attempt may be temporary.
func (x *exchange) mayPass() bool {
	switch {
	case x.answer.Failure != "":
		return true
	case x.header.Get("X-Should-Retry") == "false":
		return false
	}
	status := x.answer.Status
	return status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// wait waits before the next attempt, and reports whether the time suffices for one.
func (x *exchange) wait(ctx context.Context) bool {
	pause := time.Second / 2 << min(x.answer.Attempts-1, 4) // up to 8 s
	pause -= rand.N(pause / 4)
	if x.answer.Failure == "" {
		if asked, ok := askedPause(x.header); ok {
			if deadline, ok := ctx.Deadline(); ok && asked > time.Until(deadline) {
				return false
			}
			pause = asked
		}
	}
	return polling.Sleep(ctx, pause)
}

// askedPause returns the pause that a server requests (RFC 9110, section 10.2.3, and OpenAI's own header), if any.
func askedPause(h http.Header) (time.Duration, bool) {
	for _, asked := range []struct {
		value string
		unit  time.Duration
	}{{h.Get("Retry-After-Ms"), time.Millisecond}, {h.Get("Retry-After"), time.Second}} {
		if n, err := strconv.ParseFloat(asked.value, 64); err == nil && n >= 0 {
			return time.Duration(min(n, math.MaxInt32) * float64(asked.unit)), true
		}
	}
	at, err := http.ParseTime(h.Get("Retry-After"))
	return time.Until(at), err == nil
}
