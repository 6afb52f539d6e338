package macp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
)

// endings are the suffixes of actions that determine the outcome of a commitment (rule 19).
var endings = []struct {
	text     string
	positive bool
}{
	{"rejected", false}, {"failed", false}, {"declined", false},
	{"selected", true}, {"accepted", true}, {"completed", true}, {"approved", true},
}

// Outcome returns the outcome_positive that rule 19 requires for an action. bound is false
// if the rule requires none.
func Outcome(action string) (positive, bound bool) {
	for _, e := range endings {
		if strings.HasSuffix(action, e.text) {
			return e.positive, true
		}
	}
	return false, false
}

func (p Policy) designates(sender string) bool { return slices.Contains(p.DesignatedRoles, sender) }

// checkCommitment implements rules 17 to 19.
func (s *Session) checkCommitment(e *Envelope, p *Commitment, now Instant) *Violation {
	payload := e.Value.Get("payload")
	for _, version := range []struct{ name, is, want string }{
		{"mode_version", p.ModeVersion, s.start.ModeVersion},
		{"configuration_version", p.ConfigurationVersion, s.start.ConfigurationVersion},
		{"policy_version", p.PolicyVersion, s.PolicyVersion()},
	} {
		if version.is == version.want || version.is == "" && version.name == "policy_version" {
			continue
		}
		return violation("macp/18", InvalidEnvelope, version.name+" to be the session's, "+finding.Quote(version.want), finding.Quote(version.is),
			"copy the version from SessionStart").at(placeOf(payload, version.name))
	}
	if positive, bound := Outcome(p.Action); bound && positive != p.OutcomePositive {
		return violation("macp/19", InvalidEnvelope, "outcome_positive to be "+strconv.FormatBool(positive)+" for the action "+finding.Quote(p.Action),
			strconv.FormatBool(p.OutcomePositive), "correct the action or outcome_positive").at(placeOf(payload, "outcome_positive"))
	}
	if s.answered || s.outstanding >= 0 && s.lapsed(s.outstanding, now) {
		return nil
	}
	v := violation("macp/17", InvalidEnvelope, "a commitment after an offer was accepted or declined", "one before",
		"wait for the answer").at(e.Value)
	v.Follows = s.rejectedAnswer || s.outstanding < 0 && len(s.rejectedOffers) > 0
	return v
}
