package trim

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A charge is the cost of summaries, and the costTracking including it (section 9). The zero value has no
// cost.
type charge struct {
	cost  message.Number // in US dollars
	share float64        // of the amount spent before, 0 if that was zero
	sums  []member
}

// charge returns the exact cost of the tokens used, if the message has a place for it and the prices are
// known.
func (d *draft) charge(used summarize.Usage) (charge, error) {
	costs := d.h.Layout().Costs
	priced := d.o.Prices.Prompt != "" && d.o.Prices.Completion != ""
	if costs == (format.Costs{}) || used == (summarize.Usage{}) || used.CostUSD == "" && !priced {
		return charge{}, nil
	}
	total, err := d.price(used)
	if err != nil {
		return charge{}, err
	}
	prompts, completions := message.NewDecimal(int64(used.PromptTokens), 0), message.NewDecimal(int64(used.CompletionTokens), 0)
	c := charge{cost: message.Number(total.String())}
	for _, change := range []struct {
		pointer string
		by      message.Decimal
	}{
		{costs.Spent, total},
		{costs.Remaining, total.Neg()},
		{costs.Prompt, prompts},
		{costs.Completion, completions},
	} {
		was, sum, err := plus(d.h.Root.At(change.pointer), change.pointer, change.by)
		if err != nil {
			return charge{}, err
		}
		if change.pointer == costs.Spent && was.Sign() > 0 {
			c.share = total.Quo(was, 16).Float64()
		}
		c.sums = append(c.sums, member{pointer: change.pointer, value: sum})
	}
	return c, nil
}

// price returns the cost of the tokens used: the summariser's own figure or, if it has none, the cost by
// the prices.
func (d *draft) price(used summarize.Usage) (message.Decimal, error) {
	if used.CostUSD != "" {
		return message.Number(used.CostUSD).Decimal()
	}
	prompt, err := d.o.Prices.Prompt.Decimal()
	if err != nil {
		return message.Decimal{}, fmt.Errorf("price of a million prompt tokens: %w", err)
	}
	completion, err := d.o.Prices.Completion.Decimal()
	if err != nil {
		return message.Decimal{}, fmt.Errorf("price of a million completion tokens: %w", err)
	}
	prompts, completions := message.NewDecimal(int64(used.PromptTokens), 0), message.NewDecimal(int64(used.CompletionTokens), 0)
	return prompt.Mul(prompts).Add(completion.Mul(completions)).Mul(message.NewDecimal(1, 6)), nil
}

// sum adds two costs that a summariser reports.
func sum(a, b string) (string, error) {
	x, err := message.Number(a).Decimal()
	if err != nil {
		return "", fmt.Errorf("the cost that the summariser reports: %w", err)
	}
	y, err := message.Number(b).Decimal()
	if err != nil {
		return "", fmt.Errorf("the cost that the summariser reports: %w", err)
	}
	return x.Add(y).String(), nil
}

// plus returns a number of costTracking, and its sum with an amount.
func plus(v jsonstream.Value, pointer string, by message.Decimal) (was message.Decimal, sum []byte, err error) {
	if v.Kind() != jsonstream.Number {
		return was, nil, fmt.Errorf("%s: expected a number, to which the cost of the summary is added: found %s", pointer, v.Kind())
	}
	if was, err = message.Number(v.Raw()).Decimal(); err != nil {
		return was, nil, fmt.Errorf("%s: %w", pointer, err)
	}
	sum = []byte(was.Add(by).String())
	if !jsonstream.SafeNumber(sum) {
		return was, nil, fmt.Errorf("%s: with the cost of the summary, the exact total has more than %d digits", pointer, jsonstream.MaxDigits)
	}
	return was, sum, nil
}

// checkCosts returns an error if the cost of a summary could not be added to the message. It is called
// before the summary is made.
func (d *draft) checkCosts() error {
	if d.o.Summarizer == nil {
		return nil
	}
	_, err := d.charge(summarize.Usage{PromptTokens: 1, CompletionTokens: 1})
	return err
}
