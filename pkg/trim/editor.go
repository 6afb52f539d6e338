package trim

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/summarize"
)

// An editor changes members of a document and remembers what they were. After an
// error it does nothing.
type editor struct {
	doc     *jsonstream.Document
	members []member
	err     error
}

// A member is what a place held before; a nil value stands for nothing.
type member struct {
	pointer string
	value   []byte
	index   int // in its object, if it was taken away
}

// put writes a value without remembering what was there.
func (e *editor) put(pointer string, value []byte) {
	if e.err != nil {
		return
	}
	text, err := jsonstream.Set(e.doc, pointer, value)
	e.become(text, err)
}

// set writes a value.
func (e *editor) set(pointer string, value []byte) {
	e.remember(pointer)
	e.put(pointer, value)
}

// remove takes a value away.
func (e *editor) remove(pointer string) {
	if e.err != nil {
		return
	}
	e.remember(pointer)
	m := &e.members[len(e.members)-1]
	for v := range e.doc.Root().At(pointer).Parent().Members() {
		if "/"+v == pointer {
			break
		}
		m.index++
	}
	text, err := jsonstream.Remove(e.doc, pointer)
	e.become(text, err)
}

// insert puts a member of the root where it was, and writes any other value.
func (e *editor) insert(pointer string, index int, value []byte) {
	tokens, _ := jsonstream.SplitPointer(pointer)
	if len(tokens) != 1 || e.err != nil || e.doc.Root().Get(tokens[0]).Exists() {
		e.put(pointer, value)
		return
	}
	var text []byte
	added := appendMember(nil, tokens[0], value)
	for i, part := range partsOf(e.doc.Root()) {
		if i == index {
			text = appendElement(text, '{', added)
		}
		text = appendElement(text, '{', part)
	}
	if index >= e.doc.Root().Len() {
		text = appendElement(text, '{', added)
	}
	e.become(endList(text, '{'), nil)
}

func (e *editor) remember(pointer string) {
	for _, m := range e.members {
		if m.pointer == pointer {
			return
		}
	}
	e.members = append(e.members, member{pointer: pointer, value: e.doc.Root().At(pointer).Raw()})
}

func (e *editor) become(text []byte, err error) {
	if err != nil {
		e.err = err
		return
	}
	e.doc, e.err = parse(text)
}

// parse reads a text that this package has made, or the whole of which was read
// before.
func parse(text []byte) (*jsonstream.Document, error) {
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
}

// pay adds what the summary cost to costTracking, exactly (section 9). It returns
// the cost, "" if the prices are not known, and its share of what was spent before.
func (d *draft) pay(e *editor, used summarize.Usage) (cost message.Number, share float64, err error) {
	if used == (summarize.Usage{}) || d.o.Prices.Prompt == "" || d.o.Prices.Completion == "" {
		return "", 0, nil
	}
	prompt, err := d.o.Prices.Prompt.Decimal()
	if err != nil {
		return "", 0, fmt.Errorf("price of a million prompt tokens: %w", err)
	}
	completion, err := d.o.Prices.Completion.Decimal()
	if err != nil {
		return "", 0, fmt.Errorf("price of a million completion tokens: %w", err)
	}
	total := prompt.Mul(decimal.NewFromInt(int64(used.PromptTokens))).Add(completion.Mul(decimal.NewFromInt(int64(used.CompletionTokens)))).Shift(-6)
	spent, err := e.add("/costTracking/costSpentSoFarUSD", total)
	if err != nil {
		return "", 0, err
	}
	if spent.IsPositive() {
		share = total.Div(spent).InexactFloat64()
	}
	for _, change := range []struct {
		pointer string
		by      decimal.Decimal
	}{
		{"/costTracking/costBudgetRemainingUSD", total.Neg()},
		{"/costTracking/tokenSpent/prompt", decimal.NewFromInt(int64(used.PromptTokens))},
		{"/costTracking/tokenSpent/completion", decimal.NewFromInt(int64(used.CompletionTokens))},
	} {
		if _, err := e.add(change.pointer, change.by); err != nil {
			return "", 0, err
		}
	}
	return message.Number(total.String()), share, nil
}

// checkCosts returns why the cost of a summary could not be added to the message,
// before there is one.
func (d *draft) checkCosts() error {
	if d.h.Format != format.EAAPL || d.o.Summarizer == nil {
		return nil
	}
	_, _, err := d.pay(&editor{doc: d.h.Context()}, summarize.Usage{PromptTokens: 1, CompletionTokens: 1})
	return err
}

// add adds to a number, which it does not remember: what was spent stays spent
// when a message is restored. It returns what the number was.
func (e *editor) add(pointer string, by decimal.Decimal) (was decimal.Decimal, err error) {
	v := e.doc.Root().At(pointer)
	if v.Kind() != jsonstream.Number {
		return was, fmt.Errorf("%s: expected a number to add the cost of the summary to, found %s", pointer, v.Kind())
	}
	if was, err = message.Number(v.Raw()).Decimal(); err != nil {
		return was, fmt.Errorf("%s: %w", pointer, err)
	}
	sum := was.Add(by).String()
	if !jsonstream.SafeNumber([]byte(sum)) {
		return was, fmt.Errorf("%s: with the cost of the summary, the exact total has more than %d digits", pointer, jsonstream.MaxDigits)
	}
	e.put(pointer, []byte(sum))
	return was, e.err
}
