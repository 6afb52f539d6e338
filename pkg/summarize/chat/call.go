package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

// mostAnswer is how many bytes of an answer are read.
const mostAnswer = 1 << 20

var (
	errRedirect = errors.New("redirect")
	errTooLong  = errors.New("answer too long")
)

// An exchange is what passed between the client and the endpoint in one call.
type exchange struct {
	attempts int
	answered bool // the last attempt got an answer
	status   int  // of the last answer, 0 if there was none
	header   http.Header
	body     []byte
}

// attempt reads an answer whole, so that one that breaks off is tried again like
// any other failed connection. An error beside a response is not.
func (x *exchange) attempt(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	x.attempts++
	x.answered = false
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	if err != nil {
		return nil, err
	}
	x.answered, x.status, x.header, x.body = true, res.StatusCode, res.Header, body
	res.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case len(body) > mostAnswer:
		return res, errTooLong
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return res, errRedirect
	}
	return res, nil
}

// mayPass reports whether what went wrong in the last attempt may pass by itself.
func (x *exchange) mayPass() bool {
	switch {
	case !x.answered:
		return x.attempts > 0
	case x.header.Get("X-Should-Retry") == "false":
		return false
	}
	return x.status == http.StatusRequestTimeout || x.status == http.StatusConflict ||
		x.status == http.StatusTooManyRequests || x.status >= http.StatusInternalServerError
}

// wait waits before the next attempt, and reports whether there is time for one. The
// client's own way of doing so sleeps past the deadline.
func (x *exchange) wait(ctx context.Context) bool {
	pause := time.Second / 2 << min(x.attempts-1, 4) // up to 8 s
	pause -= rand.N(pause / 4)
	if x.answered {
		if asked, ok := askedPause(x.header); ok {
			if deadline, ok := ctx.Deadline(); ok && asked > time.Until(deadline) {
				return false
			}
			pause = asked
		}
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// askedPause returns how long an endpoint asks to wait (RFC 9110, section 10.2.3, and
// OpenAI's own header), if it does.
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

// call asks the model, by the older name of the limit where the endpoint does not
// know the newer one. The answer has a choice.
func (r *run) call(ctx context.Context, p prompt) (*openai.ChatCompletion, error) {
	a, x, err := r.send(ctx, p)
	if err == nil || r.older || x.status != http.StatusBadRequest && x.status != http.StatusUnprocessableEntity ||
		!bytes.Contains(x.body, []byte("max_completion_tokens")) {
		return a, err
	}
	r.older = true
	if a, _, second := r.send(ctx, p); second == nil || ctx.Err() != nil {
		return a, second
	}
	return nil, err // which was not about the name
}

func (r *run) send(ctx context.Context, p prompt) (*openai.ChatCompletion, *exchange, error) {
	params := openai.ChatCompletionNewParams{
		Model:    r.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(p.system), openai.UserMessage(p.user)},
	}
	if limit := openai.Int(int64(r.limit + r.reasoning)); r.older {
		params.MaxTokens = limit
	} else {
		params.MaxCompletionTokens = limit
	}
	x := &exchange{}
	bounded, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var a *openai.ChatCompletion
	var err error
	for again := true; again; again = err != nil && x.attempts <= r.retries && x.mayPass() && x.wait(bounded) {
		a, err = r.service.New(bounded, params, option.WithMiddleware(x.attempt))
	}
	switch {
	case ctx.Err() != nil:
		return nil, x, fmt.Errorf("summariser at %s: stopped: %w", r.host, ctx.Err())
	case err == nil && a != nil && len(a.Choices) > 0:
		return a, x, nil
	case bounded.Err() != nil:
		what := fmt.Sprintf("no answer within %v", r.timeout)
		if x.status != 0 {
			what += fmt.Sprintf(", after one of %d %s", x.status, http.StatusText(x.status))
		}
		return nil, x, r.problem(p, what, "", "allow it more time, or try again later")
	}
	return nil, x, r.explain(p, x, err)
}

// explain says what went wrong in a call, in words of this program: an error of
// the client's may hold the request, and with it the key.
func (r *run) explain(p prompt, x *exchange, err error) error {
	switch {
	case errors.Is(err, errTooLong):
		return r.problem(p, fmt.Sprintf("its answer has more than %d bytes", mostAnswer), "", "check the URL")
	case errors.Is(err, errRedirect):
		to := "another place"
		if u, err := url.Parse(x.header.Get("Location")); err == nil && u.Host != "" {
			to = quote(r.mask(u.Scheme+"://"+u.Host), mostSaid)
		}
		return r.problem(p, fmt.Sprintf("it answers %d and redirects to %s", x.status, to), "",
			"neither key nor conversation is sent on: set the URL to that place if it is the right one")
	case x.answered && x.status >= 400:
		what := strings.TrimSpace(fmt.Sprintf("%d %s", x.status, http.StatusText(x.status)))
		if x.attempts > 1 {
			what += fmt.Sprintf(" at the last of %d attempts", x.attempts)
		}
		return r.problem(p, what, said(x.body), r.advice(x))
	case x.answered && said(x.body) != "":
		return r.problem(p, "it reports an error", said(x.body), "check the model")
	case x.answered:
		return r.problem(p, "its answer is not a chat completion", "", "check the URL, which usually ends with /v1")
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the URL
	}
	return r.problem(p, fmt.Sprintf("no connection in %d attempts", x.attempts), err.Error(), "check the URL, and that the endpoint is up")
}

// advice names the setting that a status speaks of.
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
		return "set the window to what the model has"
	case x.status == http.StatusTooManyRequests:
		return "try again later, allow more time and retries, or check the account's quota"
	case x.status == http.StatusRequestTimeout || x.status == http.StatusConflict || x.status >= 500:
		return "try again later"
	}
	return "check the model and its limits"
}
