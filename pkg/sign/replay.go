package sign

import (
	"strings"
	"time"
	"unicode"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/message"
)

// The reasons to reject a message with a valid signature: it may be an old message, sent again.
const (
	NoTimestamp Reason = "no-timestamp"
	Expired     Reason = "expired"
	NotYetValid Reason = "not-yet-valid"
	NoHandoffID Reason = "no-handoff-id"
	Replayed    Reason = "replayed"
)

// ReplayReasons returns these reasons.
func ReplayReasons() []Reason {
	return []Reason{NoTimestamp, Expired, NotYetValid, NoHandoffID, Replayed}
}

// Freshness limits the age of a message.
type Freshness struct {
	MaxAge time.Duration // since the message's timestamp
	Skew   time.Duration // maximum difference between the clocks of sender and receiver
}

// Check returns an [*Error] unless the message's timestamp is within MaxAge before now, give or
// take Skew. Call it only after Verify: anyone can change an unsigned timestamp.
func (f Freshness) Check(m *message.Message, now time.Time) error {
	at := m.Root().Get("timestamp")
	made, _, ok := iso8601.Parse(at.Text())
	switch {
	case !ok:
		return fault(m, at, NoTimestamp, "its age is unknown: timestamp is not a time")
	case made.After(now.Add(f.Skew)):
		return fault(m, at, NotYetValid, "made %s ahead of this computer's clock, more than the permitted %s: one of the clocks is wrong", round(made.Sub(now)), f.Skew)
	case now.Sub(made) > f.MaxAge+f.Skew:
		return fault(m, at, Expired, "made %s ago, more than the permitted %s: it may be a replay; ask its sender for a new message", round(now.Sub(made)), f.MaxAge)
	default:
		return nil
	}
}

func round(d time.Duration) time.Duration {
	if d > time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}

// checkIdentity returns an [*Error] unless the message has a handoffId, on one line, by which
// its acceptance can be remembered.
func checkIdentity(m *message.Message) error {
	id := m.HandoffID()
	if id == "" || strings.ContainsFunc(id, unicode.IsControl) {
		return fault(m, m.Root().Get("handoffId"), NoHandoffID, "has no handoffId, so a replay cannot be detected")
	}
	return nil
}

// SeenBefore returns the [*Error] for a message that was accepted before.
func SeenBefore(m *message.Message) error {
	return fault(m, m.Root().Get("handoffId"), Replayed, "the handoff %.80q was accepted before: this is a replay", m.HandoffID())
}

// A Policy is a receiver's requirements on signed messages.
type Policy struct {
	*Verifier
	Freshness Freshness // MaxAge 0: any age
	Once      bool      // reject a message that was accepted before
}

// Accept returns the key under which the message's signature holds. It returns an [*Error]
// unless, in this order, the signature holds, its key is trusted, the message is fresh and,
// with Once, its handoffId can be remembered. With Once, the caller must then look up and
// remember the handoffId before it uses the message: [SeenBefore] is the error for a known one.
func (p Policy) Accept(m *message.Message, now time.Time) (Key, error) {
	key, err := p.VerifyAt(m, now)
	if err == nil && p.Freshness.MaxAge > 0 {
		err = p.Freshness.Check(m, now)
	}
	if err == nil && p.Once {
		err = checkIdentity(m)
	}
	return key, err
}
