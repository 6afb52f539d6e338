package chain

import (
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// ErrFormat reports a document that is not a canonical handoff message.
var ErrFormat = errors.New("not a handoff message of EAAPL-MAG006 (section 5.2): found none of its members; " +
	"only canonical messages name their parents")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seed makes hashes comparable between messages.
var seed = maphash.MakeSeed()

// Read extracts the data for the checks from a handoff message (EAAPL-MAG006, section 5.2). It
// keeps nothing of the document, and is safe for concurrent use. It does not validate the
// message: a member that breaks the specification counts as absent. The error is [ErrFormat],
// or reports that the document lacks handoffId or taskId.
func Read(d *jsonstream.Document, place Place) (*Message, error) {
	root := d.Root()
	if f, ok := formats.Detect(root); !ok || f != format.EAAPL {
		return nil, ErrFormat
	}
	m := &Message{Place: place}
	m.start = d.Raw().Start
	m.digest = equal.Relation{}.Hash(seed, root)
	m.checksum = crc32.Checksum(d.Raw().Bytes, castagnoli)
	m.spots[whole] = m.spotOf(root)
	if canonical, err := message.Of(d).Digest(); err == nil {
		m.canonical, m.digested = canonical, true
	}
	r := readers.Get().(*reader)
	defer r.release()
	for name, v := range root.Members() {
		r.member(m, name, v)
	}
	switch {
	case m.HandoffID == "":
		return nil, nameless(root, "handoffId")
	case m.TaskID == "":
		return nil, nameless(root, "taskId")
	}
	r.learn(m, root)
	return m, nil
}

func nameless(root jsonstream.Value, id string) error {
	return fmt.Errorf("%s: expected a string that identifies the message or its task, found %s", id, root.Get(id).Kind())
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
		m.address(m.To, m.ToVer)
	case "receiverList":
		for _, to := range v.Elements() {
			if t := r.keep(message.ReceiverType(to).Text()); t != "" {
				m.Receivers = append(m.Receivers, t)
				m.address(t, r.keep(to.Get("agentVersion").Text()))
			}
		}
	case "timestamp":
		m.Timestamp = strings.Clone(m.text(timestamp, v))
		m.Time, _, m.timed = iso8601.Parse(m.Timestamp)
	case "completedSubtasks":
		m.spots[completed] = m.spotOf(v)
		m.completed = r.subtasks(m, v)
		m.readProofs(v)
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
	case "extensions":
		m.readParentDigest(v.Get(message.ParentDigestMember))
	case "signature":
		m.Signed = v.Text() != ""
	}
}

// readParentDigest reads the message's statement about its parent's digest.
func (m *Message) readParentDigest(v jsonstream.Value) {
	if !v.Exists() {
		return
	}
	m.claim = badDigest
	if digest, ok := message.ParseDigest(m.text(parentDigest, v)); ok {
		m.claimed, m.claim = digest, aDigest
	}
}

// address records an addressee of the message.
func (m *Message) address(agent, versions string) {
	if agent != "" {
		m.toTypes, m.toRanges = append(m.toTypes, agent), append(m.toRanges, versions)
	}
}

// text returns the characters of a member and records its spot.
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
			s.result = equal.Relation{}.Hash(seed, result)
		}
		if t, _, ok := iso8601.Parse(v.Get("completedAt").Text()); ok {
			s.at, s.timed = t.UnixMicro(), true
		}
		subtasks = append(subtasks, s)
	}
	return subtasks
}

// readProofs reads the evidence of completed subtasks.
func (m *Message) readProofs(list jsonstream.Value) {
	for i, v := range list.Elements() {
		for _, e := range v.Get("evidence").Elements() {
			verdict := e.Get("verdict").Text()
			if verdict != "shown" && verdict != "contradicted" {
				continue
			}
			var hash maphash.Hash
			hash.SetSeed(seed)
			for _, part := range []string{e.Get("claim").Text(), e.Get("path").Text(), verdict} {
				maphash.WriteComparable(&hash, part)
			}
			for _, call := range e.Get("calls").Elements() {
				maphash.WriteComparable(&hash, call.Get("digest").Text())
			}
			m.proofs = append(m.proofs, proof{m.completed[i].id, hash.Sum64()})
		}
	}
}

// maxDigits is the maximum length of a token count, so that no sum overflows.
const maxDigits = 12

// readCost reads the budget relay (section 9). Dollars count only if both dollar figures are
// present, and so do tokens.
func (m *Message) readCost(v jsonstream.Value) {
	deducted, remains := v.Get("costSpentSoFarUSD"), v.Get("costBudgetRemainingUSD")
	dollars, ok := decimalOf(deducted)
	rest, ok2 := decimalOf(remains)
	if ok && ok2 {
		m.stated |= money
		m.Cost.SpentUSD, m.Cost.RemainingUSD = dollars, rest
		m.spots[spent], m.spots[left] = m.spotOf(deducted), m.spotOf(remains)
	}
	used := v.Get("tokenSpent")
	prompt, ok := countOf(used.Get("prompt"))
	completion, ok2 := countOf(used.Get("completion"))
	if ok && ok2 {
		m.stated |= usage
		m.Cost.Prompt, m.Cost.Completion = prompt, completion
		m.spots[tokens] = m.spotOf(used)
	}
}

func decimalOf(v jsonstream.Value) (message.Decimal, bool) {
	if v.Kind() != jsonstream.Number {
		return message.Decimal{}, false
	}
	d, err := message.Number(v.Raw()).Decimal()
	return d, err == nil
}

// countOf returns a count of tokens.
func countOf(v jsonstream.Value) (int64, bool) {
	d, ok := decimalOf(v)
	text := d.String()
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && n >= 0 && len(text) <= maxDigits
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
