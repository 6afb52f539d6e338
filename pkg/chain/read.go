package chain

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// ErrFormat reports a document that is no canonical handoff message.
var ErrFormat = errors.New("no handoff message of EAAPL-MAG006 (section 5.2): found none of its members; " +
	"only canonical messages name their parents")

// seed makes hashes comparable between messages.
var seed = maphash.MakeSeed()

// Read takes out of a handoff message (EAAPL-MAG006, section 5.2) what the checks
// need. It keeps nothing of the document, and is safe for concurrent use. It does not
// ask whether the message is valid: what is not as the specification has it is not
// there. The error says why the document is no handoff message: it is [ErrFormat], or
// says that the document lacks handoffId or taskId.
func Read(d *jsonstream.Document, place Place) (*Message, error) {
	root := d.Root()
	if f, ok := format.Detect(root); !ok || f != format.EAAPL {
		return nil, ErrFormat
	}
	m := &Message{Place: place}
	m.start = d.Raw().Start
	m.digest = equal.Rule{}.Hash(seed, root)
	m.spots[whole] = m.spotOf(root)
	r := readers.Get().(*reader)
	defer r.release()
	for name, v := range root.Members() {
		r.member(m, name, v)
	}
	for id, p := range map[string]int{"handoffId": len(m.HandoffID), "taskId": len(m.TaskID)} {
		if p == 0 {
			return nil, fmt.Errorf("%s: expected a text that names the message in its task, found %s", id, root.Get(id).Kind())
		}
	}
	r.learn(m, root)
	return m, nil
}

// member reads a member of the message.
func (r *reader) member(m *Message, name string, v jsonstream.Value) {
	switch name {
	case "schemaVersion":
		m.schema = versionOf(m.text(schemaVersion, v))
	case "handoffId":
		m.HandoffID = strings.Clone(m.text(handoffID, v))
	case "taskId":
		m.TaskID = r.keep(m.text(taskID, v))
	case "parentHandoffId":
		m.ParentID = strings.Clone(m.text(parentID, v))
	case "fromAgent":
		m.From = r.keep(m.text(sender, v.Get("agentId")))
		m.FromVer = r.keep(m.text(senderVersion, v.Get("agentVersion")))
	case "toAgent":
		m.To = r.keep(m.text(addressee, v.Get("agentType")))
		m.ToVer = r.keep(v.Get("agentVersion").Text())
		m.toTypes, m.toRanges = append(m.toTypes, m.To), append(m.toRanges, m.ToVer)
	case "receiverList":
		for _, to := range v.Elements() {
			m.Receivers = append(m.Receivers, r.keep(to.Get("agentType").Text()))
			m.toRanges = append(m.toRanges, r.keep(to.Get("agentVersion").Text()))
		}
		m.toTypes = append(m.toTypes, m.Receivers...)
	case "timestamp":
		m.Timestamp = strings.Clone(m.text(timestamp, v))
		m.Time, _ = time.Parse(time.RFC3339, m.Timestamp) // zero where it is none
		m.Time = m.Time.UTC()
	case "completedSubtasks":
		m.spots[completed] = m.spotOf(v)
		m.completed = r.subtasks(m, v)
	case "remainingSubtasks":
		m.spots[remaining] = m.spotOf(v)
		m.remaining = r.subtasks(m, v)
	case "currentState":
		m.spots[currentState] = m.spotOf(v)
		for name := range v.Members() {
			m.state = append(m.state, r.keep(name))
		}
	case "constraints":
		m.spots[constraints] = m.spotOf(v)
		for _, c := range v.Elements() {
			if c.Kind() == jsonstream.String {
				m.content.constraints = append(m.content.constraints, r.keep(c.Text()))
			}
		}
	case "costTracking":
		m.readCost(v)
	case "conversationHistorySummary":
		m.spots[summary] = m.spotOf(v)
	case "traceparent":
		if t, err := message.ParseTraceparent(m.text(traceparent, v)); err == nil {
			m.trace = trace{t.TraceID, t.ParentID}
		}
	case "signature":
		m.Signed = v.Text() != ""
	}
}

// text returns the characters of a member and remembers where it is.
func (m *Message) text(p site, v jsonstream.Value) string {
	if v.Exists() {
		m.spots[p] = m.spotOf(v)
	}
	return v.Text()
}

func (r *reader) subtasks(m *Message, list jsonstream.Value) []subtask {
	subtasks := make([]subtask, 0, list.Len())
	for _, v := range list.Elements() {
		s := subtask{id: r.keep(v.Get("subtaskId").Text()), spot: m.spotOf(v)}
		if result := v.Get("result"); result.Exists() {
			s.result = equal.Rule{}.Hash(seed, result)
		}
		if t, err := time.Parse(time.RFC3339, v.Get("completedAt").Text()); err == nil {
			s.at = t.UnixMicro()
		}
		subtasks = append(subtasks, s)
	}
	return subtasks
}

// mostDigits is how long a count of tokens may be: with it, no sum overflows.
const mostDigits = 12

// readCost reads the budget relay (section 9), all of it or nothing.
func (m *Message) readCost(v jsonstream.Value) {
	figures := []jsonstream.Value{
		v.Get("costSpentSoFarUSD"), v.Get("costBudgetRemainingUSD"),
		v.At("/tokenSpent/prompt"), v.At("/tokenSpent/completion"),
	}
	var c Cost
	for i, f := range figures {
		n, err := message.Number(f.Raw()).Decimal()
		if f.Kind() != jsonstream.Number || err != nil {
			return
		}
		switch i {
		case 0:
			c.SpentUSD = n
		case 1:
			c.RemainingUSD = n
		default:
			if !n.IsInteger() || n.IsNegative() || n.NumDigits()+int(n.Exponent()) > mostDigits {
				return
			}
			if whole := n.IntPart(); i == 2 {
				c.Prompt = whole
			} else {
				c.Completion = whole
			}
		}
	}
	m.Cost, m.hasCost = c, true
	m.spots[spent], m.spots[left], m.spots[tokens] = m.spotOf(figures[0]), m.spotOf(figures[1]), m.spotOf(v.Get("tokenSpent"))
}

// versionOf reads MAJOR.MINOR.
func versionOf(text string) version {
	major, minor, _ := strings.Cut(text, ".")
	x, err := strconv.ParseUint(major, 10, 31)
	y, err2 := strconv.ParseUint(minor, 10, 31)
	if err != nil || err2 != nil {
		return version{}
	}
	return version{int32(x), int32(y)}
}
