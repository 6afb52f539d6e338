package sign

import (
	"strings"
	"time"
	"unicode"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/message"
)

// The reasons why a message whose signature holds may still be rejected: it may be an old
// one, sent again.
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
	Skew   time.Duration // by which the clocks of sender and receiver may differ
}

// Check returns an [*Error] unless the message's timestamp lies, Skew allowed for, within
// MaxAge before now. Call it only after Verify: an unsigned timestamp can be changed by
// anyone.
func (f Freshness) Check(m *message.Message, now time.Time) error {
	at := m.Root().Get("timestamp")
	made, _, ok := iso8601.Parse(at.Text())
	switch {
	case !ok:
		return fault(m, at, NoTimestamp, "its age is not known: timestamp is no time")
	case made.After(now.Add(f.Skew)):
		return fault(m, at, NotYetValid, "made %s ahead of this computer's clock, more than the %s allowed for: one of the clocks is wrong", round(made.Sub(now)), f.Skew)
	case now.Sub(made) > f.MaxAge+f.Skew:
		return fault(m, at, Expired, "made %s ago, more than the %s that are accepted: it may have been sent again; ask its sender for a new one", round(now.Sub(made)), f.MaxAge)
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

// checkIdentity returns an [*Error] unless the message has a handoffId that fits
// on a line, by which to remember that it was accepted.
func checkIdentity(m *message.Message) error {
	id := m.HandoffID()
	if id == "" || strings.ContainsFunc(id, unicode.IsControl) {
		return fault(m, m.Root().Get("handoffId"), NoHandoffID, "has no handoffId to remember it by: whether it was accepted before is not known")
	}
	return nil
}

// SeenBefore returns the [*Error] for a message that was accepted before.
func SeenBefore(m *message.Message) error {
	return fault(m, m.Root().Get("handoffId"), Replayed, "the handoff %.80q was accepted before: it has been sent again", m.HandoffID())
}

// A Policy is what a receiver asks of a message.
type Policy struct {
	*Verifier
	Freshness Freshness // MaxAge 0: any age
	Once      bool      // messages are remembered, and none is accepted twice
}

// Accept returns the key under which the message's signature holds. It returns an [*Error]
// unless that holds and its key is trusted, the message is fresh and, with Once, it can be
// remembered, which are checked in this order. What Accept lets through is to be looked up,
// and remembered, by its handoffId before anything is done with it: [SeenBefore] is the error
// if it is known.
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
