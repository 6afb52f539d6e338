package chain

import "github.com/eaapl/handoff/pkg/finding"

// An Outline says which figures of a message's Cost are known, where its content is not.
type Outline struct {
	Dollars bool // SpentUSD and RemainingUSD
	Tokens  bool // Prompt and Completion
}

// NewMessage returns a message of which only the exported fields of m are known, as from a
// record of an audit log: enough for the tree of its task and for what was spent. Rules about
// the content of messages find nothing in it, or what is not true: they have to be off.
func NewMessage(m Message, known Outline) *Message {
	m.content = content{timed: !m.Time.IsZero()}
	if known.Dollars {
		m.stated |= money
	}
	if known.Tokens {
		m.stated |= usage
	}
	m.address(m.To, m.ToVer)
	for _, t := range m.Receivers {
		m.address(t, "")
	}
	return &m
}

// Unchecked returns the options by which no rule finds anything: a [Checker] then makes the
// trees, and adds up what was spent.
func Unchecked() Options {
	o := Options{Severities: map[string]finding.Severity{}}
	for _, r := range Rules() {
		o.Severities[r.ID] = finding.Off
	}
	return o
}
