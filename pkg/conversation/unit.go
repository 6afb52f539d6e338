package conversation

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Units returns for every turn of a conversation the index of the first turn that it must
// not be parted from, its own where there is none before it. What belongs together are a
// tool call, its results and its approval, and a reasoning item and the output that follows
// from it: a provider rejects a conversation in which they are separated.
func Units(turns []Turn) []int {
	u := units{
		first: make([]int, len(turns)), calls: map[string]int{}, orphans: map[string]int{}, approvals: map[string]int{},
		reasoning: -1, speaker: -1, legacy: -1,
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
	legacy    int            // the last turn whose function_call, which has no id, has no result yet, or -1
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
		if !e.Result {
			called = true
			u.addCall(i, id)
			if e.Item.Name() == "function_call" {
				u.legacy = i
			}
			continue
		}
		answered = true
		if call, ok := u.calls[id]; ok {
			u.join(call, i)
		} else if t.Role == "function" && u.legacy >= 0 {
			u.join(u.legacy, i)
			u.legacy = -1
		} else if t.isTool() && u.speaker >= 0 { // SW4RM does not list the calls in the turn that makes them
			u.join(u.speaker, i)
		} else if id != "" {
			u.orphans[id] = i
		}
	}
	item := t.Item()
	if program, ok := u.calls[item.Get("caller").Get("caller_id").Text()]; ok { // OpenAI Responses: a program makes calls
		u.join(program, i)
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

func (u *units) addCall(i int, id string) {
	if id == "" {
		return
	}
	u.calls[id] = i
	if result, ok := u.orphans[id]; ok { // a provider that looks at the ids alone takes it for an answer
		u.join(result, i)
		delete(u.orphans, id)
	}
}

// addApproval joins the parts of an approval: in the OpenAI Responses API, and what its
// Agents SDK has of one to the call that waits for it.
func (u *units) addApproval(i int, item jsonstream.Value) {
	if isApproval(item) {
		id := cmp.Or(item.Get("call_id").Text(), item.Get("raw_item").Get("call_id").Text())
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
		called, answered = called || !e.Result, answered || e.Result
	}
	return isModelOutput(Role(item), item.Get("type").Text(), called, answered)
}

func isModelOutput(role, kind string, called, answered bool) bool {
	return !answered && (called || role == "assistant" || role == "" && kind != "" && kind != "mcp_approval_response")
}
