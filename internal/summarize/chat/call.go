package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/eaapl/handoff/internal/webpost"
)

// call calls the model, with the older name of the limit if the endpoint does not know the newer
// one. The answer has a choice.
func (r *run) call(ctx context.Context, p prompt) (*answer, error) {
	a, x, err := r.send(ctx, p)
	if err == nil || r.older || x.Status != 400 && x.Status != 422 ||
		!bytes.Contains(x.Body, []byte("max_completion_tokens")) {
		return a, err
	}
	r.older = true
	if a, _, second := r.send(ctx, p); second == nil || ctx.Err() != nil {
		return a, second
	}
	return nil, err // the error was not about the name
}

func (r *run) send(ctx context.Context, p prompt) (*answer, webpost.Answer, error) {
	q := question{Messages: []chatMessage{{p.system, "system"}, {p.user, "user"}}, Model: r.model}
	if limit := r.limit + r.reasoning; r.older {
		q.MaxTokens = limit
	} else {
		q.MaxCompletionTokens = limit
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, webpost.Answer{}, err
	}
	x, err := r.post(ctx, body)
	a := readAnswer(x)
	switch {
	case ctx.Err() != nil:
		return nil, x, fmt.Errorf("summariser at %s: stopped: %w", r.host, ctx.Err())
	case err != nil:
		return nil, x, fmt.Errorf("summariser at %s: %w", r.host, err)
	case a != nil:
		return a, x, nil
	case x.TimedOut:
		what := fmt.Sprintf("no answer within %v", r.timeout)
		if x.Status != 0 {
			what += fmt.Sprintf(", after a response %d %s", x.Status, x.Reason)
		}
		return nil, x, r.problem(p, what, "", "allow it more time, or try again later")
	}
	return nil, x, r.explain(p, x)
}

// explain returns a readable error for a failed call.
func (r *run) explain(p prompt, x webpost.Answer) error {
	switch {
	case x.Failure != "":
		return r.problem(p, fmt.Sprintf("no connection in %d attempts", x.Attempts), x.Failure, "check the URL, and that the endpoint is up")
	case len(x.Body) > webpost.MaxAnswer:
		return r.problem(p, fmt.Sprintf("its answer has more than %d bytes", webpost.MaxAnswer), "", "check the URL")
	case x.Status >= 300 && x.Status < 400:
		to := "another URL"
		if u, err := url.Parse(x.Location); err == nil && u.Host != "" {
			to = quote(r.mask(u.Scheme+"://"+u.Host), maxQuote)
		}
		return r.problem(p, fmt.Sprintf("it answers %d and redirects to %s", x.Status, to), "",
			"neither key nor conversation is sent there: set the URL to that one if it is correct")
	case x.Status >= 400:
		what := strings.TrimSpace(fmt.Sprintf("%d %s", x.Status, x.Reason))
		if x.Attempts > 1 {
			what += fmt.Sprintf(" at the last of %d attempts", x.Attempts)
		}
		return r.problem(p, what, reported(x.Body), r.advice(x))
	case reported(x.Body) != "":
		return r.problem(p, "it reports an error", reported(x.Body), "check the model")
	default:
		return r.problem(p, "its answer is not a chat completion", "", "check the URL, which usually ends with /v1")
	}
}

// advice names the setting that a status points to.
func (r *run) advice(x webpost.Answer) string {
	switch {
	case x.Status == 401 && !r.keyed:
		return "set a key"
	case x.Status == 401:
		return "check the key"
	case x.Status == 402:
		return "check the account's credit"
	case x.Status == 403:
		return "check that the key may use this model"
	case x.Status == 404:
		return "check the model, and the URL, which usually ends with /v1"
	case x.Status == 413 || bytes.Contains(x.Body, []byte("context_length")) || bytes.Contains(x.Body, []byte("context length")):
		return "set the window to that of the model"
	case x.Status == 429:
		return "try again later, allow more time and retries, or check the account's quota"
	case x.Status == 408 || x.Status == 409 || x.Status >= 500:
		return "try again later"
	}
	return "check the model and its limits"
}
