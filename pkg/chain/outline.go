package chain

import "github.com/eaapl/handoff/pkg/finding"

// An Outline lists the known figures of a message's Cost if its content is unknown.
type Outline struct {
	Dollars bool // SpentUSD and RemainingUSD
	Tokens  bool // Prompt and Completion
}

// NewMessage returns a message with only the exported fields of m, as from a record of an audit
// log: enough for the tree of its task and for its costs. Turn off the rules about
// the content of messages, whose findings would be missing or wrong.
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

// Unchecked returns options that turn all rules off: a [Checker] then only builds the trees and
// adds up the costs.
func Unchecked() Options {
	o := Options{Severities: map[string]finding.Severity{}}
	for _, r := range Rules() {
		o.Severities[r.ID] = finding.Off
	}
	return o
}
