package sw4rm

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Response is a HandoffResponse.
type Response struct {
	Accepted        bool
	HandoffID       string
	RejectionReason string // "" if accepted
	Status          Status
	// Capabilities are the accepting agent's capabilities for the metadata, as a JSON array.
	// nil means empty metadata.
	Capabilities []byte

	// Members of the wire service, omitted if empty.
	RequestID, AcceptingAgent string
}

// Append appends the response as compact JSON: the members in the order of the dataclass,
// then the members of the wire service.
func (r Response) Append(dst []byte) []byte {
	dst = strconv.AppendBool(appendName(append(dst, '{'), "accepted"), r.Accepted)
	dst = appendString(appendName(dst, "handoff_id"), r.HandoffID)
	dst = appendName(dst, "rejection_reason")
	if r.RejectionReason == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, r.RejectionReason)
	}
	dst = appendString(appendName(dst, "status"), string(r.Status))
	dst = append(appendName(dst, "metadata"), '{')
	if r.Capabilities != nil {
		dst = jsonstream.AppendCompact(appendName(dst, "capabilities"), r.Capabilities)
	}
	dst = append(dst, '}')
	if r.RequestID != "" {
		dst = appendString(appendName(dst, "request_id"), r.RequestID)
	}
	if r.AcceptingAgent != "" {
		dst = appendString(appendName(dst, "accepting_agent"), r.AcceptingAgent)
	}
	return append(dst, '}')
}

// Runnable is the state in which an agent accepts handoffs.
const Runnable = "RUNNABLE"

// Respond answers a request like the document's on_handoff_request: it checks the
// capabilities first, in the request's order, then the agent's state.
func Respond(a Agent, r *Request, handoffID string) Response {
	for _, name := range r.Capabilities {
		if !a.can[name] {
			return rejected(r, handoffID, "Missing capability: "+name)
		}
	}
	if a.State != Runnable {
		return rejected(r, handoffID, "Agent busy: "+a.State)
	}
	return Response{
		Accepted: true, HandoffID: handoffID, Status: Accepted, Capabilities: a.capabilities,
		RequestID: r.ID, AcceptingAgent: a.ID,
	}
}

// Addressed returns the rejection of a request for another agent, or true if the request is
// for this one. A request without a to_agent is for any agent.
func Addressed(a Agent, r *Request, handoffID string) (Response, bool) {
	if r.To == "" || r.To == a.ID {
		return Response{}, true
	}
	return Refuse(r, handoffID, "Wrong agent: the request is for "+r.To), false
}

// Refuse returns the rejection of a request for a reason given by the caller.
func Refuse(r *Request, handoffID, reason string) Response { return rejected(r, handoffID, reason) }

// Postponed returns the response with status [Pending] if it accepts, for a decision that is
// still to be made. A rejection is unchanged.
func (r Response) Postponed() Response {
	if !r.Accepted {
		return r
	}
	return Response{HandoffID: r.HandoffID, Status: Pending, RequestID: r.RequestID}
}

func rejected(r *Request, handoffID, reason string) Response {
	return Response{HandoffID: handoffID, RejectionReason: reason, Status: Rejected, RequestID: r.ID}
}

// NewID returns a random handoff_id: a UUID of version 4 (RFC 9562, section 5.4).
func NewID() string { return uuid.NewString() }

// SeededID returns a handoff_id in the form of a version 4 UUID that depends only on the
// seed and the request's values.
func SeededID(seed string, r *Request) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(seed), seed)
	h.Write(jsonstream.AppendCompact(nil, r.doc.Root().Raw()))
	id := uuid.UUID(h.Sum(nil)[:16])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
