package aisdk

import (
	"slices"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A reader reads the messages of one conversation. Other systems have no approvals: a call that a
// person denied has failed, and a call that waits for an approval when the user goes on was not made.
type reader struct {
	names   map[string]tree.Node // tool names by call id
	calls   map[string]tree.Node // call ids by the id of the approval request
	waiting map[string]bool      // the ids of calls that wait for an approval
	denials map[string]tree.Node // turns in place of the results of denied calls, by call id
	hosted  map[string]bool      // the ids of calls to tools that the provider runs
	later   map[string]bool      // the ids of those that the provider runs after an approval, as another call
}

func (r *reader) read(dst []tree.Node, message tree.Node) []tree.Node {
	if len(r.waiting) > 0 && message.Get("role").Text() == "user" {
		dst = withdraw(dst, r.waiting)
	}
	if message.Get("parts").Is(jsonstream.Array) {
		return r.ui(dst, message)
	}
	return r.model(dst, message)
}

func (r *reader) call(p chat.Part, part tree.Node) {
	if r.names == nil {
		r.names, r.later = map[string]tree.Node{}, map[string]bool{}
	}
	r.names[p.ID.Text()] = p.Name
	r.later[p.ID.Text()] = part.Get("providerExecuted").Is(jsonstream.True)
}

func (r *reader) host(call tree.Node) {
	if r.hosted == nil {
		r.hosted = map[string]bool{}
	}
	r.hosted[call.Get("toolCallId").Text()] = true
}

// request records that a call waits for an approval.
func (r *reader) request(approval, call tree.Node) {
	if r.calls == nil {
		r.calls, r.waiting, r.denials = map[string]tree.Node{}, map[string]bool{}, map[string]tree.Node{}
	}
	if tree.IsString(call) {
		r.calls[approval.Text()], r.waiting[call.Text()] = call, true
	}
}

// respond appends the result of a call that the response denies.
func (r *reader) respond(dst []tree.Node, response tree.Node) []tree.Node {
	call, ok := r.calls[response.Get("approvalId").Text()]
	if !ok || !r.waiting[call.Text()] {
		return dst
	}
	delete(r.waiting, call.Text())
	if !response.Get("approved").Is(jsonstream.False) {
		if r.later[call.Text()] {
			return withdraw(dst, map[string]bool{call.Text(): true})
		}
		return dst
	}
	p := chat.Part{Kind: chat.Result, ID: call, Name: r.names[call.Text()]}
	turn := denial(p, response.Get("reason")).Canonical()[0]
	r.denials[call.Text()] = turn
	return append(dst, turn)
}

// result appends the turn of a result, which replaces the denial of its call.
func (r *reader) result(dst, result []tree.Node) []tree.Node {
	id := result[0].Get("tool_call_id").Text()
	delete(r.waiting, id)
	if made, ok := r.denials[id]; ok {
		delete(r.denials, id)
		if i := lastIndex(dst, made); i >= 0 {
			dst = slices.Delete(dst, i, i+1)
		}
	}
	return append(dst, result...)
}

func lastIndex(turns []tree.Node, turn tree.Node) int {
	for i, t := range slices.Backward(turns) {
		if t == turn {
			return i
		}
	}
	return -1
}

// withdraw removes the calls with some ids.
func withdraw(dst []tree.Node, ids map[string]bool) []tree.Node {
	for i := len(dst) - 1; i >= 0 && len(ids) > 0; i-- {
		calls := tree.Elements(dst[i].Get("tool_calls"))
		kept := slices.DeleteFunc(slices.Clone(calls), func(c tree.Node) bool {
			id := c.Get("id").Text()
			gone := ids[id]
			delete(ids, id)
			return gone
		})
		switch {
		case len(kept) == len(calls):
		case len(kept) > 0:
			dst[i] = dst[i].With("tool_calls", tree.Array(kept...))
		case dst[i].Get("content").Empty():
			dst = slices.Delete(dst, i, i+1)
		default:
			dst[i] = exchange.CanonicalTurn(dst[i].With("tool_calls", tree.None))
		}
	}
	clear(ids)
	return dst
}

// denial returns the turn of the result of a call that a person denied.
func denial(p chat.Part, reason tree.Node) chat.Turn {
	p.Failed = true
	if !tree.IsString(reason) || reason.Empty() {
		reason = tree.String(chat.Denied)
	}
	return toolResult(p, reason, tree.None)
}
