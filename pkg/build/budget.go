package build

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An ExhaustedError reports that nothing remains of the budget after this step:
// the receiver must not execute (section 6.1). Amounts are in US dollars.
type ExhaustedError struct {
	Before    message.Number // what remained before this step
	Step      message.Number // its cost
	Remaining message.Number // Before - Step: zero or less
}

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the budget is exhausted: %.40s USD before this step less its cost of %.40s USD leaves %.40s USD; raise the budget",
		e.Before, e.Step, e.Remaining)
}

// costTracking is the budget relay of section 9: this step is deducted before
// the message is written. All sums are exact.
func (b *builder) costTracking() ([]byte, error) {
	step, err := b.state.number("/cost/costUSD")
	if err != nil {
		return nil, err
	}
	before, err := b.budgetBefore()
	if err != nil {
		return nil, err
	}
	spent, err := b.sum("/costTracking/costSpentSoFarUSD", "/cost/costUSD")
	if err != nil {
		return nil, err
	}
	remaining, err := b.plain(before.Sub(step), "/cost/costUSD")
	if err != nil {
		return nil, err
	}
	prompt, err := b.sum("/costTracking/tokenSpent/prompt", "/cost/tokens/prompt")
	if err != nil {
		return nil, err
	}
	completion, err := b.sum("/costTracking/tokenSpent/completion", "/cost/tokens/completion")
	if err != nil {
		return nil, err
	}
	if before.Cmp(step) <= 0 && !b.o.AllowExhausted {
		return nil, &ExhaustedError{message.Number(before.String()), message.Number(step.String()), remaining}
	}
	return fmt.Appendf(nil, `{"costSpentSoFarUSD":%s,"costBudgetRemainingUSD":%s,"tokenSpent":{"prompt":%s,"completion":%s}}`,
		spent, remaining, prompt, completion), nil
}

// budgetBefore returns what remained before this step.
func (b *builder) budgetBefore() (message.Decimal, error) {
	const own, inherited = "/cost/budgetUSD", "/costTracking/costBudgetRemainingUSD"
	given := b.state.root.At(own).Exists()
	if b.isFirst() {
		if !given {
			return message.Decimal{}, b.state.fail(own, "missing: a first handoff needs the budget of the whole task, in US dollars")
		}
		return b.state.number(own)
	}
	before, err := b.parent.number(inherited)
	if err != nil || !given {
		return before, err
	}
	budget, err := b.state.number(own)
	if err == nil && !budget.Equal(before) {
		err = b.state.fail(own, "%s is not what remains according to the parent, %s: leave it out", shorten(budget), shorten(before))
	}
	return before, err
}

// sum adds a number of this step to the parent's.
func (b *builder) sum(inherited, own string) (message.Number, error) {
	sum, err := b.state.number(own)
	if err != nil {
		return "", err
	}
	if !b.isFirst() {
		before, err := b.parent.number(inherited)
		if err != nil {
			return "", err
		}
		sum = sum.Add(before)
	}
	return b.plain(sum, own)
}

// plain writes a sum without an exponent. It rejects one that no later handoff
// could add to.
func (b *builder) plain(sum message.Decimal, own string) (message.Number, error) {
	text := sum.String()
	if !jsonstream.SafeNumber([]byte(text)) {
		return "", b.state.fail(own, "with it, the exact total has more than %d digits: round the amounts", jsonstream.MaxDigits)
	}
	return message.Number(text), nil
}

func shorten(d message.Decimal) string { return fmt.Sprintf("%.40s", d.String()) }
