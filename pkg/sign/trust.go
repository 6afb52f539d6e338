package sign

import (
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Binding is the agents for which a key may sign, and the period.
type Binding struct {
	KeyID string
	// Agents are patterns for fromAgent.agentId. An * matches any characters, or none; all
	// other characters match themselves.
	Agents []string
	// NotBefore and NotAfter are the first and last moment at which the key is valid; the zero
	// Time means no bound.
	NotBefore, NotAfter time.Time
}

// Trust is a receiver's list of bindings. A key may sign where one of its bindings allows it; a
// key without a binding may not sign at all. A nil Trust allows everything.
type Trust []Binding

// A claim is the agent for which something is signed, and the time.
type claim struct {
	agent string
	made  jsonstream.Value // the member with the time
}

// claimOf returns the claim of a message.
func claimOf(m *message.Message) claim {
	return claim{m.Root().Get("fromAgent").Get("agentId").Text(), m.Root().Get("timestamp")}
}

// check returns an [*Error] unless a key may sign the message.
//
// Both the message's time and now must be in the period: the sender signed the first, and a key
// stolen after its period can sign any time.
func (t Trust) check(m *message.Message, k Key, c claim, now time.Time) *Error {
	if t == nil {
		return nil
	}
	agent := c.agent
	if agent == "" {
		return fault(m, m.Root(), Untrusted, "the signature is valid under %s, but the message has no fromAgent.agentId", tried([]Key{k}))
	}
	var problem *Error
	for _, b := range t {
		if b.KeyID != k.ID || k.ID == "" || !b.speaksFor(agent) {
			continue
		}
		if problem = b.checkPeriod(m, c.made, now); problem == nil {
			return nil
		}
	}
	if problem == nil {
		return fault(m, m.Root().Get(Member), Untrusted, "the signature is valid under %s, which may not sign for the agent %.80q: the sender is another agent, or its key lacks a binding", tried([]Key{k}), agent)
	}
	return problem
}

// speaksFor reports whether one of the patterns matches.
func (b Binding) speaksFor(agent string) bool {
	for _, pattern := range b.Agents {
		if matches(pattern, agent) {
			return true
		}
	}
	return false
}

// isValidAt reports whether a time is in the period of the binding.
func (b Binding) isValidAt(t time.Time) bool {
	return !(!b.NotBefore.IsZero() && t.Before(b.NotBefore)) && !(!b.NotAfter.IsZero() && t.After(b.NotAfter))
}

// matches reports whether a text matches a pattern with stars.
func matches(pattern, text string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, first)
	if !starred || !ok {
		return ok && text == ""
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		// The first match leaves the most text for the remaining parts.
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], after
	}
}

// checkPeriod returns an [*Error] unless the binding's period includes the message's time and now.
func (b Binding) checkPeriod(m *message.Message, at jsonstream.Value, now time.Time) *Error {
	if b.NotBefore.IsZero() && b.NotAfter.IsZero() {
		return nil
	}
	made, _, ok := iso8601.Parse(at.Text())
	if !ok {
		return fault(m, at, KeyPeriod, "the key %.80q has a period of validity, but the timestamp is not a time", b.KeyID)
	}
	for _, when := range []struct {
		what string
		time time.Time
	}{{"the message is dated", made}, {"the current time is", now}} {
		switch {
		case b.isValidAt(when.time):
		case when.time.Before(b.NotBefore):
			return fault(m, at, KeyPeriod, "the key %.80q is valid from %s, but %s %s: sign with the key for that time", b.KeyID, shownTime(b.NotBefore), when.what, shownTime(when.time))
		default:
			return fault(m, at, KeyPeriod, "the key %.80q was valid until %s, but %s %s: sign with a newer key", b.KeyID, shownTime(b.NotAfter), when.what, shownTime(when.time))
		}
	}
	return nil
}

func shownTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// explain returns sentences about the agents and periods for which a key is trusted.
func (t Trust) explain(k Key) []string {
	var lines []string
	for _, b := range t {
		if b.KeyID != k.ID {
			continue
		}
		line := fmt.Sprintf("%s may sign for %.200q", tried([]Key{k}), b.Agents)
		if !b.NotBefore.IsZero() {
			line += " from " + shownTime(b.NotBefore)
		}
		if !b.NotAfter.IsZero() {
			line += " until " + shownTime(b.NotAfter)
		}
		lines = append(lines, line)
	}
	if t != nil && lines == nil {
		lines = append(lines, tried([]Key{k})+" has no binding: it may not sign for any agent")
	}
	return lines
}
