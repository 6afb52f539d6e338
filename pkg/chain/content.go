package chain

import (
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// content is the part of a Message that is not exported.
type content struct {
	digest      uint64 // of the whole message, by value
	checksum    uint32 // of its bytes: the same in every run
	schema      version
	trace       trace
	canonical   message.Digest // of the canonical form
	digested    bool           // whether canonical is set
	claimed     message.Digest // the parent's digest as stated by the sender
	claim       claim
	toTypes     []string // toAgent and receiverList
	toRanges    []string // their agentVersion, "" for any
	completed   []subtask
	proofs      []proof // of completed subtasks
	remaining   []subtask
	constraints []string
	state       []string            // the names of the members of currentState
	timed       bool                // Time is known
	stated      kinds               // parts of Cost that the message states
	turns       int                 // their number; their parts come first
	parts       []*part             // nil once the message is added
	partIDs     []int32             // the parts by their index in the Checker
	start       jsonstream.Position // of the document
	spots       [siteCount]spot
}

// A version is a version of the message schema. The zero version is unknown.
type version struct{ major, minor int32 }

// A trace is the content of a valid traceparent; the zero trace means none.
type trace struct {
	id   [16]byte
	span [8]byte
}

// A claim is the state of a message's statement about its parent's digest.
type claim byte

const (
	noDigest claim = iota
	badDigest
	aDigest
)

// A subtask is an element of completedSubtasks or remainingSubtasks.
type subtask struct {
	id     string
	result uint64 // the hash of its result
	at     int64  // completedAt in microseconds
	spot   spot
	timed  bool // completedAt is a timestamp
}

// A proof is evidence that a claim in a completed subtask is shown or contradicted.
type proof struct {
	subtask string
	digest  uint64 // of the evidence without its pointers
}

// A spot is a compact position: its line and offset are counted from the start of the document.
// The zero spot means none.
type spot struct{ offset, line, column uint32 }

// spotOf returns the spot of a value.
func (m *Message) spotOf(v jsonstream.Value) spot {
	p := v.Position()
	return spot{uint32(p.Offset - m.start.Offset), uint32(p.Line - m.start.Line), uint32(p.Column)}
}

// position is the inverse of spotOf.
func (m *Message) position(s spot) jsonstream.Position {
	return jsonstream.Position{Line: m.start.Line + int(s.line), Column: int(s.column), Offset: m.start.Offset + int64(s.offset)}
}

// A site is a member of a message that findings point at.
type site int

const (
	whole site = iota
	schemaVersion
	handoffID
	taskID
	parentID
	sender
	senderVersion
	addressee
	timestamp
	completed
	remaining
	currentState
	constraints
	spent
	left
	tokens
	summary
	traceparent
	parentDigest
	siteCount
)

var pointers = [siteCount]string{
	"", "/schemaVersion", "/handoffId", "/taskId", "/parentHandoffId", "/fromAgent/agentId", "/fromAgent/agentVersion",
	"/toAgent/agentType", "/timestamp", "/completedSubtasks", "/remainingSubtasks", "/currentState", "/constraints",
	"/costTracking/costSpentSoFarUSD", "/costTracking/costBudgetRemainingUSD", "/costTracking/tokenSpent",
	"/conversationHistorySummary", "/traceparent", "/extensions/" + message.ParentDigestMember,
}

// A target is the place of a finding in a message.
type target struct {
	pointer string
	spot    spot
}

// at returns the target of a member, or of the message if it lacks the member.
func (m *Message) at(p site) target {
	if m.spots[p].column == 0 {
		p = whole
	}
	return target{pointers[p], m.spots[p]}
}

// atSubtask returns the target of a member of an element of a list of subtasks.
func (m *Message) atSubtask(list site, index int) target {
	subtasks := m.completed
	if list == remaining {
		subtasks = m.remaining
	}
	return target{pointers[list] + "/" + strconv.Itoa(index), subtasks[index].spot}
}
