package chat

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Denied is the result of a call that a person denied without a reason. The AI SDK sends the same text.
const Denied = "Tool call execution denied."

// The types of items about approvals in the Responses API.
const (
	approvalRequest  = "mcp_approval_request"
	approvalResponse = "mcp_approval_response"
)

// settled returns turns without the approvals of the Responses API, for formats that have none: a denied
// request becomes a call that failed; a request without a response becomes a call, unless the user went
// on without it. The call that follows an approval is an item of its own.
func settled(turns []tree.Node) []tree.Node {
	responses := map[string]tree.Node{}
	found, lastUser := false, -1
	for i, turn := range turns {
		switch turn.Get("type").Text() {
		case approvalRequest:
			found = true
		case approvalResponse:
			found = true
			responses[turn.Get("approval_request_id").Text()] = turn
		default:
			if turn.Get("role").Text() == "user" {
				lastUser = i
			}
		}
	}
	if !found {
		return turns
	}
	out := make([]tree.Node, 0, len(turns))
	denied := map[string]tree.Node{} // tool names by the id of the request
	for i, turn := range turns {
		switch turn.Get("type").Text() {
		case approvalRequest:
			response, ok := responses[turn.Get("id").Text()]
			call := exchange.Call{ID: turn.Get("id"), Name: turn.Get("name"), Arguments: turn.Get("arguments")}
			switch {
			case !tree.IsString(call.ID) || !tree.IsString(call.Name) || !tree.IsString(call.Arguments):
				out = append(out, turn)
			case response.Get("approve").Is(jsonstream.False):
				denied[call.ID.Text()] = call.Name
				out = append(out, exchange.CallTurn(call, nil))
			case !ok && i > lastUser:
				out = append(out, exchange.CallTurn(call, nil))
			}
		case approvalResponse:
			id := turn.Get("approval_request_id")
			name, ok := denied[id.Text()]
			if !ok {
				continue
			}
			delete(denied, id.Text())
			reason := stringOr(turn.Get("reason"))
			if reason == tree.None || reason.Empty() {
				reason = tree.String(Denied)
			}
			out = append(out, Turn{Parts: []Part{{Kind: Result, ID: id, Name: name, Output: []Part{{Kind: Text, Text: reason}}, Plain: true, Failed: true}}}.Canonical()...)
		default:
			out = append(out, turn)
		}
	}
	return out
}
