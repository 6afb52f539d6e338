package provider

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A place is the place of a part: the index of its message, and its own index in the message.
type place struct{ message, part int }

// A call is a tool call of the history, and its result.
type call struct {
	part
	place
	answered bool
	answer   place
	repeated bool // another call with its id follows before its result
}

// A pairing assigns results to calls.
type pairing struct {
	*checker
	calls []call
	open  map[string][]int // by id: calls waiting for a result
	known map[string]int   // by id: the last call
	named map[string][]int // by tool name: calls without an id waiting for a result
}

// checkPairs reports calls without a result, results without a call, duplicates of either, and misplaced
// results.
func (c *checker) checkPairs() {
	p := &pairing{checker: c, open: map[string][]int{}, known: map[string]int{}, named: map[string][]int{}}
	var orphans []part
	for i := range c.messages {
		for j, at := range c.messages[i].parts {
			switch {
			case at.Hosted:
			case at.Kind == conversation.Call, at.Kind == conversation.ApprovalRequest:
				p.call(at, place{i, j})
			case at.Kind == conversation.Result, at.Kind == conversation.ApprovalResponse:
				if !p.result(at, place{i, j}) {
					orphans = append(orphans, at)
				}
			}
		}
	}
	p.reportOrphans(orphans)
	c.checkHosted()
	for _, call := range p.calls {
		switch {
		case !call.answered && (call.repeated || c.decided[call.ID.Text()]):
		case !call.answered && call.Kind == conversation.ApprovalRequest:
			c.report("call-without-result", call.ID, "the approval request has no response: no mcp_approval_response has the approval_request_id %s; add it, or fix the history with handoff repair", called(call.Part))
		case !call.answered:
			c.report("call-without-result", orItem(call.ID, call.Value), "the tool call has no result: nothing answers %s; add its result, or fix the history with handoff repair", called(call.Part))
		default:
			if isInvalid(call.Part) {
				result := p.messages[call.answer.message].parts[call.answer.part]
				c.reportAs(finding.Warning, "result-without-call", orItem(result.ID, result.Value), "the call of the tool result is in invalid_tool_calls, which LangChain sends only in Python: found %s; convert the result to a text, or correct the call", answered(result.Part))
			}
			p.checkPlace(call)
		}
	}
}

// call records a call.
func (p *pairing) call(at part, where place) {
	id := at.ID.Text()
	index := len(p.calls)
	p.calls = append(p.calls, call{part: at, place: where})
	if id == "" {
		p.named[at.Tool()] = append(p.named[at.Tool()], index)
		return
	}
	if first, again := p.known[id]; again {
		// OpenAI's Chat API accepts a repeated id once its call has a result.
		earlier, severity := &p.calls[first], finding.Severity("")
		earlier.repeated = p.has("repeated-call-id")
		if p.provider == OpenAIChat {
			earlier.repeated = !earlier.answered
			if earlier.repeated {
				severity = finding.Error
			}
		}
		p.calls[index].repeated = earlier.repeated
		p.reportAs(severity, "repeated-call-id", at.ID, "the id is already used by another call: found %s at %s; give each call its own id, and its result the same id", finding.QuoteValue(at.ID), earlier.ID.Pointer())
	}
	p.known[id] = index
	p.open[id] = append(p.open[id], index)
}

// result records a result. It returns false if no call before it has its id.
func (p *pairing) result(at part, where place) bool {
	id := at.ID.Text()
	waiting, key := p.open, id
	if id == "" || p.provider == Gemini && p.open[id] == nil && p.named[at.Tool()] != nil {
		waiting, key = p.named, at.Tool()
		if len(waiting[key]) == 0 && key == "" {
			for name := range waiting { // a result without a name answers the only waiting call
				if len(waiting) == 1 {
					key = name
				}
			}
		}
	}
	if list := waiting[key]; len(list) > 0 {
		// If there are several calls, choose one of the previous message, or else the first.
		next := max(slices.IndexFunc(list, func(i int) bool { return p.calls[i].message == where.message-1 }), 0)
		c := &p.calls[list[next]]
		if !c.answered {
			c.answered, c.answer = true, where
		}
		if p.provider == Gemini && willContinue(at.Value) {
			return true
		}
		if waiting[key] = slices.Delete(slices.Clone(list), next, next+1); len(list) == 1 {
			delete(waiting, key)
		}
		return true
	}
	if first, ok := p.again(at, where); ok {
		p.report("repeated-result", at.Value, "the call has two results: the first result for %s is at %s; keep one of them", finding.Quote(at.Tool()), first.Value.Pointer())
		return true
	}
	last, ok := p.known[id]
	if id == "" || !ok {
		return id == "" && (p.resultsOnly || p.native && p.provider != Gemini) // a fault of its shape, or none
	}
	if c := &p.calls[last]; !c.repeated {
		first := p.messages[c.answer.message].parts[c.answer.part]
		if p.replaces != nil && p.replaces(first.turn.Value, at.turn.Value) {
			c.answer = where
			return true
		}
		p.report("repeated-result", orItem(at.ID, at.Value), "the call has two results: the first result for %s is at %s; keep one of them", finding.QuoteValue(at.ID), first.Value.Pointer())
	}
	return true
}

// willContinue reports whether a function of Gemini gives more responses to the call of a response.
func willContinue(response jsonstream.Value) bool {
	for _, path := range []string{"/functionResponse/willContinue", "/function_response/will_continue"} {
		if response.At(path).Kind() == jsonstream.True {
			return true
		}
	}
	return false
}

// again returns the existing result of a call without an id in the previous message, if a second result of
// the same tool follows.
func (p *pairing) again(at part, where place) (first part, ok bool) {
	if at.ID.Text() != "" || p.provider != Gemini {
		return part{}, false
	}
	for _, c := range p.calls {
		if c.message == where.message-1 && c.answered && c.Tool() == at.Tool() {
			return p.messages[c.answer.message].parts[c.answer.part], true
		}
	}
	return part{}, false
}

// reportOrphans reports results without an earlier call with the same id.
func (p *pairing) reportOrphans(orphans []part) {
	for _, at := range orphans {
		id := at.ID.Text()
		index, later := p.known[id]
		if !later || id == "" {
			p.report("result-without-call", orItem(at.ID, at.Value), "the tool result has no call: the history lacks the call %s; add the call, or fix the history with handoff repair", answered(at.Part))
			continue
		}
		p.calls[index].answered = true
		p.calls[index].answer = p.calls[index].place
		p.report("result-place", orItem(at.ID, at.Value), "the tool result is before its call: the call %s comes later; put the result after the call", finding.QuoteValue(at.ID))
		p.found[len(p.found)-1].Of = p.calls[index].Value
	}
}

// checkPlace reports a misplaced result.
func (p *pairing) checkPlace(c call) {
	if c.answer == c.place { // it is before the call, and already reported
		return
	}
	at := p.messages[c.answer.message].parts[c.answer.part]
	if text := p.textAfter(c); text.Exists() {
		p.report("result-place", text, "the text of the assistant comes after its tool call %s, and results must follow calls; put the text before the calls", called(c.Part))
		p.found[len(p.found)-1].Of = c.Value
		return
	}
	problem := p.misplaced(c)
	if problem == "" {
		return
	}
	p.report("result-place", orItem(at.ID, at.Value), "%s", problem)
	p.found[len(p.found)-1].Of = c.Value
}

// textAfter returns the text that Anthropic gets from the assistant after a call, before its next call; absent if
// there is none.
func (p *pairing) textAfter(c call) jsonstream.Value {
	if p.provider != Anthropic || !p.client.KeepsOrder && (!p.native || p.divided) {
		return jsonstream.Value{}
	}
	for _, after := range p.messages[c.message].parts[c.place.part+1:] {
		switch {
		case after.Kind == conversation.Said && !isBlank(textOf(after).Text()):
			return after.Value
		case after.Kind == conversation.Call && !after.Hosted:
			return jsonstream.Value{}
		}
	}
	return jsonstream.Value{}
}

// asked returns a turn of the user between a call and its result, if the format's SDK refuses such a turn; absent if
// there is none.
func (p *pairing) asked(c call) jsonstream.Value {
	for i := c.message + 1; i <= c.answer.message && p.client.Waits; i++ {
		for n, between := range p.messages[i].parts {
			switch {
			case i == c.answer.message && n == c.answer.part:
				return jsonstream.Value{}
			case between.turn.Role == user:
				return between.turn.Value
			}
		}
	}
	return jsonstream.Value{}
}

// misplaced describes why the result of a call is misplaced, "" if it is not.
func (p *pairing) misplaced(c call) string {
	if turn := p.asked(c); turn.Exists() {
		return fmt.Sprintf("the tool result is too late: %s of the user is between it and its call at %s; put it directly after the call", turn.Pointer(), c.Value.Pointer())
	}
	switch p.provider {
	case OpenAIResponses:
		return ""
	case OpenAIChat:
		for i := c.message + 1; i < c.answer.message; i++ {
			if m := &p.messages[i]; m.role != tool {
				return fmt.Sprintf("the tool result is too late: %s is between it and its call at %s; put it directly after the call", m.turn.Value.Pointer(), c.Value.Pointer())
			}
		}
		return ""
	}
	if c.answer.message != c.message+1 {
		return fmt.Sprintf("the tool result is in the wrong turn: it belongs in the turn directly after its call at %s; move it there", c.Value.Pointer())
	}
	for _, before := range p.messages[c.answer.message].parts[:c.answer.part] {
		if p.provider == Anthropic && before.Kind != conversation.Result {
			return fmt.Sprintf("the tool result is after other content: results must come first in their turn, before %s; move it there", before.Value.Pointer())
		}
	}
	return ""
}

// called describes a call in a finding. answered describes the call of a result, after the word "call".
func called(p conversation.Part) string {
	if p.ID.Text() != "" {
		return finding.QuoteValue(p.ID)
	}
	return "the call of " + finding.Quote(p.Tool())
}

func answered(p conversation.Part) string {
	switch {
	case p.ID.Text() != "":
		return finding.QuoteValue(p.ID)
	case p.Tool() != "":
		return "of " + finding.Quote(p.Tool())
	default:
		return "that it answers"
	}
}

// orItem returns v, or item if v is absent.
func orItem(v, item jsonstream.Value) jsonstream.Value {
	if v.Exists() {
		return v
	}
	return item
}
