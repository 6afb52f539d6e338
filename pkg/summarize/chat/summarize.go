package chat

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/eaapl/handoff/pkg/summarize"
)

// longest is how many tokens are asked for at most: models of which much more may
// be asked are few, and a summary that long is none.
const longest = 16_000

// Summarize asks the model for a summary of the turns that folds in the previous
// one, in one call or, where they exceed the window, in several. It takes up to the
// request's MaxTokens, a quarter of the window, or 16,000 tokens. An answer that is
// too long is asked for once more, shorter; one that is too long again, cut off,
// refused or empty is an error. So is an endpoint that gives none; then the error
// names the endpoint, what it said, and the setting to look at. An error of
// the context can be told with [errors.Is].
//
// The usage covers all calls, and stands beside an error too: what was used is
// charged. What an endpoint does not report is counted with the request's Count.
// Without room for an answer, or anything to summarise, nothing is asked.
func (s *Summarizer) Summarize(ctx context.Context, r summarize.Request) (summarize.Summary, error) {
	limit := min(r.MaxTokens, longest, s.window/4)
	if limit <= 0 || r.Previous == "" && len(r.Turns) == 0 {
		return summarize.Summary{}, nil
	}
	run := &run{Summarizer: s, count: r.Count, limit: limit}
	text, err := run.fold(ctx, r.Previous, blocks(r.Turns))
	return summarize.Summary{Text: text, Usage: run.usage}, err
}

// A run is one use of a summariser.
type run struct {
	*Summarizer
	count func(string) int
	limit int // of a summary, in tokens
	usage summarize.Usage
	older bool // the endpoint knows the limit by its older name only
}

// fold summarises what fits, then that summary with what fits of the rest, and so
// on.
func (r *run) fold(ctx context.Context, previous string, rest []block) (string, error) {
	empty := newPrompt(nil, r.limit)
	// Counts by another tokenizer than the model's own are a little off.
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
			return "", fmt.Errorf("the summariser's window of %d tokens has no room for the conversation beside a summary of %d: "+
				"set the window that the model has, or ask for a shorter summary", r.window, r.limit)
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

// condense has one summary written, and says why if it cannot be used.
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
				"allow it more tokens for reasoning, or take a model that does not reason")
		case text == "":
			return "", r.problem(p, "the model's answer is empty", "", "try another model")
		case a.finish == "length":
			problem = "the model's summary was cut off at its limit"
			ask = max(1, ask*2/3)
		case n > r.limit:
			problem = fmt.Sprintf("the model's summary has %d tokens where %d were allowed", n, r.limit)
			ask = max(1, int(int64(ask)*int64(r.limit)/int64(n)*9/10))
		default:
			return text, nil
		}
	}
	return "", r.problem(prompt{}, problem+", and a second one too", "", "allow a longer summary, or try another model")
}

// afterThoughts takes the reasoning off an answer, which servers of open models
// leave in its text.
func afterThoughts(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<think>") {
		_, text, _ = strings.Cut(text, "</think>") // one without an end has no answer
	}
	return strings.TrimSpace(text)
}

// charge adds what a call used: what the endpoint reports, if it can be.
func (r *run) charge(p prompt, a *answer) {
	in, out := a.prompt, a.completion
	if in <= 0 || out < 0 || in > math.MaxInt32 || out > math.MaxInt32 {
		in = int64(r.count(p.system) + r.count(p.user))
		out = int64(r.count(a.text))
	}
	r.usage.PromptTokens += int(in)
	r.usage.CompletionTokens += int(out)
}
