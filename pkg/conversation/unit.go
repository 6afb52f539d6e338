package conversation

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Units returns for every turn of a conversation the index of the first turn in its unit. The turns of a
// unit must stay together, since a provider rejects a conversation that separates them: a tool call, its
// results and its approval; a reasoning item and the output that follows from it; the lines of one response
// in a session of Claude Code.
func Units(turns []Turn) []int {
	u := units{
		first: make([]int, len(turns)), calls: map[string]int{}, orphans: map[string]int{}, approvals: map[string]int{}, responses: map[string]int{},
		reasoning: -1, speaker: -1, hosted: -1,
	}
	for i := range u.first {
		u.first[i] = i
	}
	for i, t := range turns {
		u.add(i, t)
	}
	for i := range u.first {
		u.first[i] = u.find(i)
	}
	return u.first
}

// units are disjoint sets of turns, identified by their lowest index.
type units struct {
	first     []int
	calls     map[string]int // the last turn that made a call with this id
	orphans   map[string]int // the last result or approval with this id before any call
	approvals map[string]int // the approval request, by its id
	reasoning int            // the reasoning item whose output continues, or -1
	speaker   int            // the last turn, if only tool turns follow it, or -1
	// unnamed are the turns of calls without an id or result, by the names of their tools: in Gemini, and
	// in the original version of OpenAI Chat, a result refers to its call by name and order. waiting is
	// their number, and last the turn of the last one.
	unnamed       map[string][]int
	hosted        int // the last hosted call without an id whose result is an item of its own, or -1
	waiting, last int
	responses     map[string]int // the last line of a session's response, by the response's id
}

func (u *units) find(i int) int {
	for u.first[i] != i {
		u.first[i] = u.first[u.first[i]]
		i = u.first[i]
	}
	return i
}

func (u *units) join(i, j int) {
	i, j = u.find(i), u.find(j)
	u.first[max(i, j)] = min(i, j)
}

func (u *units) add(i int, t Turn) {
	called, answered, decided := false, false, false
	for e := range Parts(t.Value) {
		id := e.ID.Text()
		switch e.Kind {
		case Call:
			called = true
			u.addCall(i, e)
			continue
		case ApprovalRequest:
			if id != "" {
				u.approvals[id] = i
			}
			continue
		case ApprovalResponse:
			decided = true
			if asked, ok := u.approvals[id]; ok {
				u.join(asked, i)
			}
			continue
		case Result:
			answered = true
		default:
			continue
		}
		if call, ok := u.calls[id]; ok {
			u.join(call, i)
		} else if e.Hosted && id == "" && u.hosted >= 0 {
			u.join(u.hosted, i)
			u.hosted = -1
		} else if call, ok := u.answer(e); ok {
			u.join(call, i)
		} else if t.isTool() && u.speaker >= 0 { // SW4RM does not list the calls in the turn that makes them
			u.join(u.speaker, i)
		} else if id != "" {
			u.orphans[id] = i
		}
	}
	item := t.Item()
	caller := item.Get("caller")
	if program, ok := u.calls[cmp.Or(caller.Get("caller_id").Text(), caller.Get("callerId").Text())]; ok { // OpenAI Responses: a program makes calls
		u.join(program, i)
	}
	if id := item.Get("id").Text(); id != "" && item != t.Value && t.Role == "assistant" && item.Name() == "message" {
		if last, ok := u.responses[id]; ok {
			u.join(last, i)
		}
		u.responses[id] = i
	}
	u.addApproval(i, item)
	u.addReasoning(i, t.Role, item.Get("type").Text(), called, answered || decided)
	if !answered || !t.isTool() {
		u.speaker = -1
		if t.Role == "assistant" {
			u.speaker = i
		}
	}
}

func (t Turn) isTool() bool { return isToolRole(t.Role) }

func (u *units) addCall(i int, call Part) {
	id := call.ID.Text()
	if id == "" {
		if call.Hosted {
			if t := TypeNamed(call.Value.Get("type").Text()); t != nil && t.Results != "" { // a tool search
				u.hosted = i
			}
			return // otherwise the item includes the result
		}
		// Results follow the calls of one turn, or of consecutive turns.
		if u.unnamed == nil || u.waiting > 0 && i > u.last+1 {
			u.unnamed, u.waiting = map[string][]int{}, 0
		}
		u.unnamed[call.Tool()] = append(u.unnamed[call.Tool()], i)
		u.waiting, u.last = u.waiting+1, i
		return
	}
	u.calls[id] = i
	if result, ok := u.orphans[id]; ok { // a provider that matches only ids takes it for a result
		u.join(result, i)
		delete(u.orphans, id)
	}
}

// answer returns the turn of the call for a result, both without an id: the first call of that tool, or
// else the last of all.
func (u *units) answer(result Part) (turn int, ok bool) {
	if u.waiting == 0 || result.ID.Text() != "" {
		return 0, false
	}
	u.waiting--
	tool := result.Tool()
	if calls := u.unnamed[tool]; len(calls) > 0 {
		u.unnamed[tool] = calls[1:]
		return calls[0], true
	}
	return u.last, true
}

// addApproval joins the approval item of OpenAI's Agents SDK to the waiting call, and the call of a server
// of the Model Context Protocol to the request for its approval.
func (u *units) addApproval(i int, item jsonstream.Value) {
	if isApproval(item) {
		s := shapeOf(item)
		raw := shapeOf(s.rawItem)
		id := cmp.Or(s.callID.Text(), raw.callID.Text())
		if call, ok := u.calls[id]; ok {
			u.join(call, i)
		} else if id != "" {
			u.orphans[id] = i
		}
		return
	}
	if asked, ok := u.approvals[Decision(item).Get("approval_request_id").Text()]; ok {
		u.join(asked, i)
	}
}

// addReasoning joins a reasoning item to all output of the same response.
func (u *units) addReasoning(i int, role, kind string, called, answered bool) {
	switch {
	case u.reasoning >= 0 && isModelOutput(role, kind, called, answered):
		u.join(u.reasoning, i)
	case kind == "reasoning":
		u.reasoning = i
	default:
		u.reasoning = -1
	}
}

// IsModelOutput reports whether an item of the OpenAI Responses API is model output: a message of the
// assistant, a call, or an item of any other type that is not an answer to the model.
func IsModelOutput(item jsonstream.Value) bool {
	called, answered := false, false
	for e := range Parts(item) {
		called, answered = called || e.Kind == Call, answered || e.Kind == Result || e.Kind == ApprovalResponse
	}
	return isModelOutput(Role(item), item.Get("type").Text(), called, answered)
}

func isModelOutput(role, kind string, called, answered bool) bool {
	return !answered && (called || role == "assistant" || role == "" && kind != "")
}
