package chat

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/eaapl/handoff/pkg/summarize"
)

// maxAsked is the maximum number of tokens requested: few models can write much more, and a longer
// text would not be a summary.
const maxAsked = 16_000

// Summarize asks the model for a summary of the turns that includes the previous one, in one call
// or, if they exceed the window, in several. The limit is the request's MaxTokens, a quarter of the
// window, or 16,000 tokens, whichever is least. If an answer is too long, a shorter one is requested
// once; an answer that is too long again, cut off, refused or empty is an error. So is an endpoint
// that does not answer; the error then has the endpoint's name, its message, and the setting to
// check. An error of the context is wrapped.
//
// The usage covers all calls. It is returned with an error too, since it is charged. If an endpoint
// does not report it, it is counted with the request's Count. No call is made if nothing is to be
// summarised or the answer would not fit.
func (s *Summarizer) Summarize(ctx context.Context, r summarize.Request) (summarize.Summary, error) {
	limit := min(r.MaxTokens, maxAsked, s.window/4)
	if limit <= 0 || r.Previous == "" && len(r.Turns) == 0 {
		return summarize.Summary{}, nil
	}
	run := &run{Summarizer: s, count: r.Count, limit: limit}
	text, err := run.fold(ctx, r.Previous, blocks(r.Turns))
	return summarize.Summary{Text: text, Usage: run.usage}, err
}

// A run is one use of a Summarizer.
type run struct {
	*Summarizer
	count func(string) int
	limit int // of a summary, in tokens
	usage summarize.Usage
	older bool // the endpoint only knows the older name of the limit
}

// fold summarises as many blocks as fit, then that summary with as many of the rest as fit, and so
// on.
func (r *run) fold(ctx context.Context, previous string, rest []block) (string, error) {
	empty := newPrompt(nil, r.limit)
	// Counts of another tokenizer differ a little from the model's own.
	room := r.window*19/20 - r.limit - r.reasoning - r.count(empty.system) - r.count(empty.user)
	if r.count(previous) > room/2 {
		previous, rest = "", append([]block{{soFar, previous}}, rest...)
	}
	for {
		var first []block
		left := room
		if previous != "" {
			first = []block{{soFar, previous}}
			left -= r.count(soFar) + r.count(previous) + markTokens
		}
		batch, later := fill(rest, left, r.count)
		if len(batch) == 0 && len(rest) > 0 {
			return "", fmt.Errorf("the summariser's window of %d tokens has no room for the conversation and a summary of %d: "+
				"set the window of the model, or allow only a shorter summary", r.window, r.limit)
		}
		var err error
		previous, err = r.condense(ctx, append(first, batch...))
		if err != nil {
			return "", err
		}
		if rest = later; len(rest) == 0 {
			return previous, nil
		}
	}
}

// condense requests one summary; the error explains why it cannot be used.
func (r *run) condense(ctx context.Context, list []block) (string, error) {
	var problem string
	ask := r.limit
	for range 2 {
		p := newPrompt(list, ask)
		a, err := r.call(ctx, p)
		if err != nil {
			return "", err
		}
		r.charge(p, a)
		text := afterThoughts(a.text)
		n := r.count(text)
		switch {
		case a.refusal != "":
			return "", r.problem(p, "the model refuses to summarise", a.refusal, "try another model")
		case !a.isText:
			return "", r.problem(p, "the model's answer is not plain text", "", "try another model")
		case a.finish == "content_filter":
			return "", r.problem(p, "the endpoint's content filter stopped the summary", "", "try another model, or another summariser")
		case a.finish == "length" && text == "":
			return "", r.problem(p, fmt.Sprintf("the model used up its %d tokens before it wrote anything", r.limit+r.reasoning), "",
				"allow it more tokens for reasoning, or use a model without reasoning")
		case text == "":
			return "", r.problem(p, "the model's answer is empty", "", "try another model")
		case a.finish == "length":
			problem = "the model's summary was cut off at its limit"
			ask = max(1, ask*2/3)
		case n > r.limit:
			problem = fmt.Sprintf("the model's summary has %d tokens, more than the permitted %d", n, r.limit)
			ask = max(1, int(int64(ask)*int64(r.limit)/int64(n)*9/10))
		default:
			return text, nil
		}
	}
	return "", r.problem(prompt{}, problem+", and a second one too", "", "allow a longer summary, or try another model")
}

// afterThoughts removes the reasoning that servers of open models leave in an answer.
func afterThoughts(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<think>") {
		_, text, _ = strings.Cut(text, "</think>") // unfinished reasoning has no answer
	}
	return strings.TrimSpace(text)
}

// charge adds the usage of a call, as reported by the endpoint if it is plausible.
func (r *run) charge(p prompt, a *answer) {
	in, out := a.prompt, a.completion
	if in <= 0 || out < 0 || in > math.MaxInt32 || out > math.MaxInt32 {
		in = int64(r.count(p.system) + r.count(p.user))
		out = int64(r.count(a.text))
	}
	r.usage.PromptTokens += int(in)
	r.usage.CompletionTokens += int(out)
}
