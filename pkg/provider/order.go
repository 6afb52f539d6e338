package provider

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkOrder reports roles that the provider does not have, and turns in an order that it does not accept.
func (c *checker) checkOrder() {
	var before *message // the previous message that is not an instruction
	begun := c.stretch.goesOn
	for i := range c.messages {
		m := &c.messages[i]
		switch m.role {
		case system:
			if c.isSystemTurn(i, begun) && !c.takesSystemTurn(i) {
				c.report("system-turn", m.turn.Value, "a system message is among the turns: found the role %s; move its text out of the turns, or into the user's turn before it", finding.Quote(m.turn.Role))
			}
			continue
		case user, assistant, tool:
			c.checkRole(m)
		default:
			c.report("role", orItem(m.turn.Item().Get("role"), m.turn.Value), "the role is unknown to the API: found %s; use user or assistant", finding.Quote(m.turn.Role))
		}
		begun = true
		switch {
		case m.isUnknown() || before != nil && before.isUnknown():
		case before != nil:
			c.checkNext(before, m)
		case !c.stretch.goesOn: // otherwise the previous turn has the other side
			c.checkFirst(m)
		}
		before = m
	}
	if !c.stretch.more && before != nil && before.role == assistant && before == &c.messages[len(c.messages)-1] {
		c.checkLast(before)
	}
}

// isSystemTurn reports whether a system turn is at a place that the provider does not accept. A first
// system turn in another format is sent outside the turns.
func (c *checker) isSystemTurn(index int, begun bool) bool {
	return index > 0 && begun || c.native || index > 0 && !begun && c.messages[index-1].role != system
}

// takesSystemTurn reports whether the model of a request of Anthropic takes the system turn: after a turn of
// the user, and last or before one of the assistant.
func (c *checker) takesSystemTurn(index int) bool {
	if c.provider != Anthropic || !takesSystemTurns(c.request.Get("model").Text()) || index == 0 {
		return false
	}
	before := &c.messages[index-1]
	after := index+1 < len(c.messages) && c.messages[index+1].role != assistant
	endsHosted := len(before.parts) > 0 && before.parts[len(before.parts)-1].Hosted
	return (before.role != assistant || endsHosted) && before.role != system && !after
}

var claudeVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`claude-opus-(\d+)-(\d{1,2})\b`) })

// takesSystemTurns reports whether a model takes system turns: Claude Opus 4.8 or later.
func takesSystemTurns(model string) bool {
	m := claudeVersion().FindStringSubmatch(model)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1]) // digits
	minor, _ := strconv.Atoi(m[2])
	return major > 4 || major == 4 && minor >= 8
}

// checkRole reports roles that the provider's own format no longer has or never had.
func (c *checker) checkRole(m *message) {
	if !c.native || m.turn.Role == "" || m.turn.Value.Kind() == jsonstream.String { // an input that is a string
		return
	}
	role := m.turn.Item().Get("role")
	if !role.Exists() { // the type of the item determines it, or else it is the user's
		return
	}
	var known []string
	switch c.provider {
	case OpenAIChat:
		known = []string{"user", "assistant", "tool", "function"}
	case OpenAIResponses, Anthropic, BedrockConverse:
		known = []string{"user", "assistant"}
	case Gemini:
		known = []string{"user", "model", "function"}
	}
	for _, name := range known {
		if role.Text() == name {
			return
		}
	}
	c.report("role", orItem(role, m.turn.Value), "the role is unknown to the API: found %s; use one of %s", finding.Quote(role.Text()), strings.Join(known, ", "))
}

func side(m *message) string {
	if m.role == assistant {
		return assistant
	}
	return user
}

func (c *checker) checkFirst(m *message) {
	switch {
	case m.role != assistant || c.client.Begins && c.is(Gemini, BedrockConverse):
	case c.provider == Gemini && m.calls():
		c.reportCallPlace(m)
	default:
		c.report("first-turn", m.turn.Value, "the history begins with the assistant; begin it with a turn of the user")
	}
}

// checkNext reports two messages of one side in a row.
func (c *checker) checkNext(before, m *message) {
	if side(before) != side(m) || before.onlyResults() && m.onlyResults() { // see result-place
		return
	}
	if c.provider == Gemini && m.role == assistant && m.calls() {
		c.reportCallPlace(m)
		return
	}
	c.report("role-order", m.turn.Value, "two consecutive turns are of the %s: the first is %s; join them", side(m), before.turn.Value.Pointer())
}

func (c *checker) reportCallPlace(m *message) {
	for _, p := range m.parts {
		if p.Kind == conversation.Call && !p.Hosted {
			c.report("call-place", p.Value, "the tool call follows neither a turn of the user nor a result; put a turn of the user before it, or join the call to the turn before it")
			return
		}
	}
}

func (c *checker) checkLast(m *message) {
	if m.has(conversation.Call) { // a call without a result
		return
	}
	c.report("last-turn", m.turn.Value, "the history ends with the assistant; end it with a turn of the user")
	if len(m.parts) == 0 {
		return
	}
	last := m.parts[len(m.parts)-1]
	if text := textOf(last); last.Kind == conversation.Said && text.Text() != strings.TrimRight(text.Text(), " \t\r\n") && strings.TrimSpace(text.Text()) != "" {
		c.report("trailing-space", text, "the last turn ends with white space; remove the white space")
	}
}
