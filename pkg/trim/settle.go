package trim

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/summarize"
)

// settle obtains the summary of the cut, and uses the space it leaves to restore turns. A model or command
// is not asked again, so its summary also covers some of the restored turns. The extractive summariser,
// which costs nothing, is asked again for a summary of just the removed turns, no longer than the last
// one.
func (d *draft) settle(ctx context.Context) (summarize.Summary, error) {
	summary, err := d.ask(ctx, d.cut.summary)
	if err != nil && d.o.Fallback {
		d.fellBack = err
		d.o.Summarizer, d.o.Method = &summarize.Extractive{}, Extractive
		summary, err = d.ask(ctx, d.cut.summary)
	}
	for range maxAttempts {
		if err != nil || !d.giveBack(summary.Text) {
			break
		}
		summary = d.again(ctx, summary)
	}
	return summary, err
}

// again returns a summary of the current cut that is no larger than summary, which covers more turns. Only
// the extractive summariser writes a new one.
func (d *draft) again(ctx context.Context, summary summarize.Summary) summarize.Summary {
	next, err := d.rewrite(ctx, summary)
	if err != nil || len(quote(next.Text)) > len(quote(summary.Text)) {
		return summary
	}
	return next
}

// rewrite returns a summary of the current cut with no more tokens than summary. Only the extractive
// summariser writes a new one; any other summary covers all planned turns.
func (d *draft) rewrite(ctx context.Context, summary summarize.Summary) (summarize.Summary, error) {
	if !isExtractive(d.o.Summarizer) {
		return summary, nil
	}
	return d.ask(ctx, d.o.Meter.Count(summary.Text))
}

func isExtractive(s summarize.Summarizer) bool {
	switch s.(type) {
	case summarize.Extractive, *summarize.Extractive:
		return true
	}
	return false
}

// giveBack removes from the cut everything that fits in the message with a summary: first elements of Also
// and, if all of those fit, the latest turns. It reports whether turns were restored.
func (d *draft) giveBack(summary string) bool {
	if len(d.cut.extras) > 0 {
		d.cut.extras, d.spared = nil, true
		d.sacrifice(size{}.minus(d.spare(summary)))
	}
	if len(d.cut.extras) > 0 {
		return false
	}
	given := false
	for spare := d.spare(summary); ; given = true {
		taken, ok := d.giveUnit(spare)
		if !ok {
			return given
		}
		spare = spare.minus(taken)
	}
}

// giveUnit removes the latest unit from the cut, if it fits in spare. A single unit stays in the cut:
// without it there would be nothing to summarise.
func (d *draft) giveUnit(spare size) (taken size, ok bool) {
	last := len(d.cut.units) - 1
	if last < 0 || last == 0 && d.o.Summarizer != nil {
		return size{}, false
	}
	unit := d.cut.units[last]
	for _, i := range unit {
		taken = taken.plus(d.turns[i].size)
	}
	stays := d.said() // without the turns in the cut
	if !spare.holds(taken) || d.o.Last > 0 && stays+len(unit) > d.o.Last {
		return size{}, false
	}
	for _, i := range unit {
		d.turns[i].fate = d.turns[i].uncut
	}
	d.cut.units = d.cut.units[:last]
	d.remove()
	return taken, true
}

// takeBack reverses the last step of giveBack, and reports whether there was one: the size of the message
// is not known exactly beforehand.
func (d *draft) takeBack() bool {
	switch n := len(d.cut.units); {
	case n < len(d.planned.units):
		d.cut.units = d.planned.units[:n+1]
		d.remove()
	case d.spared:
		d.cut.extras, d.spared = d.planned.extras, false
	default:
		return false
	}
	return true
}

// remove sets the fate of the turns in the cut.
func (d *draft) remove() {
	d.cut.turns = slices.Concat(d.cut.units...)
	slices.Sort(d.cut.turns)
	for _, i := range d.cut.turns {
		d.turns[i].fate = removed
	}
}

// spare returns the space below the limits that the message with a summary leaves, less the slack.
func (d *draft) spare(summary string) size {
	gone := size{}
	for _, i := range d.cut.turns {
		gone = gone.plus(d.turns[i].size)
	}
	for _, s := range d.cut.extras {
		gone = gone.plus(s.gained)
	}
	taken := d.rest(gone, len(d.cut.turns)).plus(d.recordSize())
	if d.summarises(len(d.cut.turns)) {
		taken = taken.plus(d.frame).plus(size{d.o.Meter.Count(summary), d.h.Encoded(len(quote(summary)))})
	}
	return d.limits().minus(d.slack).minus(taken)
}

// fill restores further turns to a finished message, as long as it fits: the plan assumes the maximum size
// of the record.
func (d *draft) fill(ctx context.Context, r Result, summary summarize.Summary) Result {
	for len(d.cut.extras) == 0 {
		after := size{r.Record.TokensAfter, len(r.Text)}
		if _, ok := d.giveUnit(d.limits().minus(after)); !ok {
			break
		}
		summary = d.again(ctx, summary)
		next, over, err := d.finish(summary)
		if err != nil || over != nil {
			break
		}
		r = next
	}
	return r
}

// said returns a turn for a summariser. Its role is the tool's for a turn with only tool results, and the
// assistant's for an item with a call, whatever role the format has; the text includes the name of the
// call.
func said(t conversation.Turn) summarize.Turn {
	s := summarize.Turn{Role: cmp.Or(t.Role, "assistant"), Name: t.Name(), Text: t.Text()}
	for e := range conversation.ToolEvents(t.Value) {
		switch {
		case e.Kind == conversation.Call && t.Role == "":
			s.Name = ""
		case e.Kind == conversation.Result && (t.Role == "" || t.Role == "user" && !speaks(t.Item())):
			s.Role = "tool"
		}
	}
	return s
}

// maxKept is the approximate number of bytes of remaining turns shown to a summariser.
const maxKept = 1 << 14

// ask requests a summary of the cut in at most size tokens.
func (d *draft) ask(ctx context.Context, tokens int) (summarize.Summary, error) {
	if !d.summarises(len(d.cut.turns)) {
		return summarize.Summary{}, nil
	}
	request := summarize.Request{Previous: d.previous(), MaxTokens: tokens, Count: func(text string) int { return d.o.Meter.Count(valid(text)) }}
	for _, i := range d.cut.turns {
		turn := said(d.h.Turns[i])
		turn.JSON = d.textOf(i)
		request.Turns = append(request.Turns, turn)
	}
	for i, size := d.cut.turns[0], 0; i < len(d.turns) && size < maxKept; i++ {
		if t := d.h.Turns[i]; d.turns[i].fate == kept && i != d.former && !t.IsContext() {
			request.Kept = append(request.Kept, said(t))
			size += d.turns[i].size.bytes
		}
	}
	s, err := d.o.Summarizer.Summarize(ctx, request)
	d.usage.PromptTokens += s.Usage.PromptTokens
	d.usage.CompletionTokens += s.Usage.CompletionTokens
	d.usage.Model = cmp.Or(s.Usage.Model, d.usage.Model)
	if err == nil && s.Usage.CostUSD != "" {
		d.usage.CostUSD, err = sum(cmp.Or(d.usage.CostUSD, "0"), s.Usage.CostUSD)
	}
	if err != nil {
		return s, fmt.Errorf("summarising %d turns: %w", len(request.Turns), err)
	}
	s.Text = valid(s.Text)
	if n := d.o.Meter.Count(s.Text); n > tokens {
		return s, fmt.Errorf("the summary of %d turns has %d tokens: the limit is %d", len(request.Turns), n, tokens)
	}
	return s, nil
}
