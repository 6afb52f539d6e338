package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/polling"
)

// maxAnswer is the maximum number of bytes read of an answer.
const maxAnswer = 1 << 20

// An exchange is one call to the endpoint, with all attempts.
type exchange struct {
	attempts int
	status   int // of the last answer, 0 if there was none
	header   http.Header
	body     []byte
	err      error // the reason why the last attempt got no answer
}

// attempt sends a request and reads the whole answer, so that a truncated answer is retried like any
// other failed connection.
func (x *exchange) attempt(do func(*http.Request) (*http.Response, error), req *http.Request) {
	x.attempts++
	res, err := do(req)
	if err != nil {
		x.err = err
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if x.err = err; err == nil {
		x.status, x.header, x.body = res.StatusCode, res.Header, body
	}
}

// mayPass reports whether the failure of the last attempt may be temporary.
func (x *exchange) mayPass() bool {
	switch {
	case x.err != nil:
		return true
	case x.header.Get("X-Should-Retry") == "false":
		return false
	}
	return x.status == http.StatusRequestTimeout || x.status == http.StatusConflict ||
		x.status == http.StatusTooManyRequests || x.status >= http.StatusInternalServerError
}

// wait waits before the next attempt, and reports whether the time suffices for one.
func (x *exchange) wait(ctx context.Context) bool {
	pause := time.Second / 2 << min(x.attempts-1, 4) // up to 8 s
	pause -= rand.N(pause / 4)
	if x.err == nil {
		if asked, ok := askedPause(x.header); ok {
			if deadline, ok := ctx.Deadline(); ok && asked > time.Until(deadline) {
				return false
			}
			pause = asked
		}
	}
	return polling.Sleep(ctx, pause)
}

// askedPause returns the pause that an endpoint requests (RFC 9110, section 10.2.3, and OpenAI's own
// header), if any.
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

// call calls the model, with the older name of the limit if the endpoint does not know the newer
// one. The answer has a choice.
func (r *run) call(ctx context.Context, p prompt) (*answer, error) {
	a, x, err := r.send(ctx, p)
	if err == nil || r.older || x.status != http.StatusBadRequest && x.status != http.StatusUnprocessableEntity ||
		!bytes.Contains(x.body, []byte("max_completion_tokens")) {
		return a, err
	}
	r.older = true
	if a, _, second := r.send(ctx, p); second == nil || ctx.Err() != nil {
		return a, second
	}
	return nil, err // the error was not about the name
}

func (r *run) send(ctx context.Context, p prompt) (*answer, *exchange, error) {
	q := question{Messages: []chatMessage{{p.system, "system"}, {p.user, "user"}}, Model: r.model}
	if limit := r.limit + r.reasoning; r.older {
		q.MaxTokens = limit
	} else {
		q.MaxCompletionTokens = limit
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, nil, err
	}
	x := &exchange{}
	bounded, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	for again := true; again; again = x.attempts <= r.retries && x.mayPass() && x.wait(bounded) {
		req, err := r.newRequest(bounded, body)
		if err != nil {
			return nil, nil, err
		}
		x.attempt(r.do, req)
	}
	a := readAnswer(x)
	switch {
	case ctx.Err() != nil:
		return nil, x, fmt.Errorf("summariser at %s: stopped: %w", r.host, ctx.Err())
	case a != nil:
		return a, x, nil
	case bounded.Err() != nil:
		what := fmt.Sprintf("no answer within %v", r.timeout)
		if x.status != 0 {
			what += fmt.Sprintf(", after a response %d %s", x.status, http.StatusText(x.status))
		}
		return nil, x, r.problem(p, what, "", "allow it more time, or try again later")
	}
	return nil, x, r.explain(p, x)
}

// explain returns a readable error for a failed call.
func (r *run) explain(p prompt, x *exchange) error {
	switch {
	case x.err != nil:
		return r.problem(p, fmt.Sprintf("no connection in %d attempts", x.attempts), x.err.Error(), "check the URL, and that the endpoint is up")
	case len(x.body) > maxAnswer:
		return r.problem(p, fmt.Sprintf("its answer has more than %d bytes", maxAnswer), "", "check the URL")
	case x.status >= 300 && x.status < 400:
		to := "another URL"
		if u, err := url.Parse(x.header.Get("Location")); err == nil && u.Host != "" {
			to = quote(r.mask(u.Scheme+"://"+u.Host), maxQuote)
		}
		return r.problem(p, fmt.Sprintf("it answers %d and redirects to %s", x.status, to), "",
			"neither key nor conversation is sent there: set the URL to that one if it is correct")
	case x.status >= 400:
		what := strings.TrimSpace(fmt.Sprintf("%d %s", x.status, http.StatusText(x.status)))
		if x.attempts > 1 {
			what += fmt.Sprintf(" at the last of %d attempts", x.attempts)
		}
		return r.problem(p, what, reported(x.body), r.advice(x))
	case reported(x.body) != "":
		return r.problem(p, "it reports an error", reported(x.body), "check the model")
	default:
		return r.problem(p, "its answer is not a chat completion", "", "check the URL, which usually ends with /v1")
	}
}

// advice names the setting that a status points to.
func (r *run) advice(x *exchange) string {
	switch {
	case x.status == http.StatusUnauthorized && !r.keyed:
		return "set a key"
	case x.status == http.StatusUnauthorized:
		return "check the key"
	case x.status == http.StatusPaymentRequired:
		return "check the account's credit"
	case x.status == http.StatusForbidden:
		return "check that the key may use this model"
	case x.status == http.StatusNotFound:
		return "check the model, and the URL, which usually ends with /v1"
	case x.status == http.StatusRequestEntityTooLarge || bytes.Contains(x.body, []byte("context_length")) || bytes.Contains(x.body, []byte("context length")):
		return "set the window to that of the model"
	case x.status == http.StatusTooManyRequests:
		return "try again later, allow more time and retries, or check the account's quota"
	case x.status == http.StatusRequestTimeout || x.status == http.StatusConflict || x.status >= 500:
		return "try again later"
	}
	return "check the model and its limits"
}
