package conversation

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Units returns for every turn of a conversation the index of the first turn that it must
// not be parted from, its own where there is none before it. What belongs together are a
// tool call, its results and its approval, and a reasoning item and the output that follows
// from it: a provider rejects a conversation in which they are separated. So do the lines of one
// response in a session of Claude Code.
func Units(turns []Turn) []int {
	u := units{
		first: make([]int, len(turns)), calls: map[string]int{}, orphans: map[string]int{}, approvals: map[string]int{}, responses: map[string]int{},
		reasoning: -1, speaker: -1,
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

// units are disjoint sets of turns, known by their lowest index.
type units struct {
	first     []int
	calls     map[string]int // the last turn that made a call with this id
	orphans   map[string]int // the last result or approval with this id that no call came before
	approvals map[string]int // the turn that asks for it, by its id
	reasoning int            // the reasoning item whose output continues, or -1
	speaker   int            // the last turn, when what followed it are only tool turns, or -1
	// unnamed are the turns of the calls that have no id, as in Gemini and OpenAI Chat as
	// first published, and no result yet, by the names of their tools: a result is known by
	// that name and by its place. waiting is how many there are, and last the last one's turn.
	unnamed       map[string][]int
	waiting, last int
	responses     map[string]int // the last line of a session that is of a response, by the id of that
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
	called, answered := false, false
	for e := range ToolEvents(t.Value) {
		id := e.ID.Text()
		if e.Kind == Call {
			called = true
			u.addCall(i, e)
			continue
		}
		answered = true
		if call, ok := u.calls[id]; ok {
			u.join(call, i)
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
	u.addReasoning(i, t.Role, item.Get("type").Text(), called, answered)
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
		if !call.ID.Exists() && call.Value.Get("type").Exists() {
			return // OpenAI Responses: the provider runs it, and the item has what came of it
		}
		// Results follow the calls of one turn, or of turns in a row.
		if u.unnamed == nil || u.waiting > 0 && i > u.last+1 {
			u.unnamed, u.waiting = map[string][]int{}, 0
		}
		u.unnamed[call.Tool()] = append(u.unnamed[call.Tool()], i)
		u.waiting, u.last = u.waiting+1, i
		return
	}
	u.calls[id] = i
	if result, ok := u.orphans[id]; ok { // a provider that looks at the ids alone takes it for an answer
		u.join(result, i)
		delete(u.orphans, id)
	}
}

// answer returns the turn of the call without an id that a result without one is of: the
// first of that tool, or else the last of all.
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

// addApproval joins the parts of an approval: in the OpenAI Responses API, and what its
// Agents SDK has of one to the call that waits for it.
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
	if id := item.Get("id").Text(); id != "" && item.Get("type").Text() == "mcp_approval_request" {
		u.approvals[id] = i
		return
	}
	if asked, ok := u.approvals[item.Get("approval_request_id").Text()]; ok { // the response, then the call
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

// IsModelOutput reports whether an item of the OpenAI Responses API is what a model made:
// a message of the assistant, a call, or an item of any other type, but for what answers
// the model.
func IsModelOutput(item jsonstream.Value) bool {
	called, answered := false, false
	for e := range ToolEvents(item) {
		called, answered = called || e.Kind == Call, answered || e.Kind == Result
	}
	return isModelOutput(Role(item), item.Get("type").Text(), called, answered)
}

func isModelOutput(role, kind string, called, answered bool) bool {
	return !answered && (called || role == "assistant" || role == "" && kind != "" && kind != "mcp_approval_response")
}
