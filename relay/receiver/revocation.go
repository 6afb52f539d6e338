package receiver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/relay/audit"
)

// RevocationMember is the name of the member that marks a signed document as a revocation. Its value is
// [RevocationVersion]. No message and no chunk has it: so none of them, with its signature, can be passed off
// as a revocation.
const RevocationMember = "handoffRevocation"

// RevocationVersion is the version of the revocations that this package writes.
const RevocationVersion = "1.0"

// A Revocation is a sender's revocation of a message that was not answered in time. Its JSON is the body of a
// message of the kind revocation.
type Revocation struct {
	HandoffID   string    // required
	TaskID      string    // "" if unknown
	Receiver    string    // receiver of the revoked copy, "" for all
	Explanation string    // the reason, "" if none was given
	Sender      string    // the revoking agent, as in the message's fromAgent.agentId; "" if unknown
	Made        time.Time // time of the revocation; zero if unknown

	signed  bool   // by a key that may sign for Sender
	keyID   string // of that key, "" if it has none
	problem string // why the signature is missing or invalid

	withdrawn *Answer // answer of the last try, if it withdrew the message; otherwise nil
}

// revocationJSON is the JSON of a revocation. The sender and the time are members as in a message, since
// trust depends on them.
type revocationJSON struct {
	Version     string `json:"handoffRevocation"`
	HandoffID   string `json:"handoffId"`
	TaskID      string `json:"taskId"`
	Receiver    string `json:"receiver"`
	Explanation string `json:"explanation"`
	FromAgent   struct {
		AgentID string `json:"agentId"`
	} `json:"fromAgent"`
	Timestamp string `json:"timestamp"`
}

// revocationMembers are all members of a signed revocation.
var revocationMembers = []string{RevocationMember, "handoffId", "taskId", "receiver", "explanation", "fromAgent", "timestamp", sign.KeyIDMember, sign.Member}

// AppendJSON appends a revocation, signed unless the key is nil. Texts longer than in a receiver's record are
// truncated.
func (v Revocation) AppendJSON(dst []byte, key *sign.Key) ([]byte, error) {
	j := revocationJSON{Version: RevocationVersion, HandoffID: v.HandoffID, TaskID: v.TaskID, Receiver: v.Receiver, Explanation: boundedText(v.Explanation, MaxExplanation),
		Timestamp: audit.FormatTime(v.Made)}
	j.FromAgent.AgentID = v.Sender
	return appendSigned(dst, j, key)
}

// appendSigned appends the JSON of a value, signed unless the key is nil.
func appendSigned(dst []byte, v any, key *sign.Key) ([]byte, error) {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil || key == nil {
		return append(dst, text...), err
	}
	m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
	if err != nil {
		return dst, err
	}
	if text, err = sign.Sign(m, *key, false); err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

// ReadRevocation parses the body of a message of the kind revocation, and checks its signature. It returns an
// error if it is not a revocation. If [Receiver.Revoke] fails, it may be called again with the same value:
// even if the first try was recorded, the answer has the same alerts.
func (r *Receiver) ReadRevocation(text []byte, now time.Time) (v Revocation, err error) {
	m, err := message.Parse(text, message.Options{Limits: r.options.Limits})
	if err != nil {
		return v, fmt.Errorf("it is not a revocation: %w", err)
	}
	root := m.Root()
	v = Revocation{
		withdrawn: new(Answer),
		HandoffID: root.Get("handoffId").Text(), TaskID: root.Get("taskId").Text(), Receiver: root.Get("receiver").Text(),
		Explanation: boundedText(root.Get("explanation").Text(), MaxExplanation), Sender: root.Get("fromAgent").Get("agentId").Text(),
	}
	if v.HandoffID == "" {
		return v, errors.New("it is not a revocation: it has no handoffId")
	}
	for _, member := range []struct{ name, value string }{{"handoffId", v.HandoffID}, {"taskId", v.TaskID}, {"receiver", v.Receiver}, {"fromAgent.agentId", v.Sender}} {
		if boundedName(member.value) != member.value {
			return v, fmt.Errorf("it is not a revocation: its %s has %d bytes, or a character that is not permitted in ids; an id has at most %d bytes", member.name, len(member.value), MaxName)
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, root.Get("timestamp").Text()); err == nil {
		v.Made = t
	}
	v.check(r.validator.Verifier(), m, now)
	return v, nil
}

// check checks the signature of a revocation.
func (v *Revocation) check(verifier *sign.Verifier, m *message.Message, now time.Time) {
	if verifier == nil {
		return
	}
	k, err := verifier.VerifyAt(m, now)
	if err != nil {
		v.problem = err.Error()
		return
	}
	if m.Root().Get(RevocationMember).Text() != RevocationVersion {
		v.problem = "the signed document is not a revocation of version " + RevocationVersion
		return
	}
	for name := range m.Root().Members() {
		if !slices.Contains(revocationMembers, name) {
			v.problem = "it has the unknown member " + finding.Quote(name)
			return
		}
	}
	v.signed, v.keyID = true, k.ID
}

// counts reports whether a recorded revocation is by the sender of a message: without keys, any revocation
// is. If the sender is unknown, "", only revocations by users of the log count.
func (r *Receiver) counts(revoked *audit.Stored, sender string) bool {
	verifier := r.validator.Verifier()
	switch {
	case verifier == nil:
		return true
	case revoked.Details.Unsigned:
		return false
	case revoked.KeyID == "": // the sender shares this log, or its key has no ID
		return true
	default:
		return sender != "" && verifier.MaySignFor(revoked.KeyID, sender, revoked.RecordedAt)
	}
}

// whyRefused returns the reason why a revocation is refused, "" if it is not.
func (r *Receiver) whyRefused(b *audit.Batch, v *Revocation) (string, error) {
	verifier := r.validator.Verifier()
	if verifier == nil {
		return "", nil
	}
	if !v.signed {
		if v.problem == "" {
			return "it is not signed", nil
		}
		return v.problem, nil
	}
	for s, err := range b.Records(audit.Filter{Handoffs: []string{v.HandoffID}, Events: []audit.Event{audit.Begun, audit.Accepted}}) {
		if err != nil {
			return "", err
		}
		if !verifier.MaySignFor(v.keyID, s.Sender, b.Now()) {
			return fmt.Sprintf("the key %s may not sign for %s, which sent the message", finding.Quote(v.keyID), finding.Quote(s.Sender)), nil
		}
	}
	return "", nil
}

// A RevocationError reports that a revocation was refused. The refusal was recorded, and changes nothing.
type RevocationError struct {
	HandoffID string
	Problem   string
}

func (e *RevocationError) Error() string {
	return "the revocation of " + finding.Quote(e.HandoffID) + " is refused: " + e.Problem + "; it must be signed with the key of the message"
}
