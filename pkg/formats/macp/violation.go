package macp

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Violation reports a rule that a message breaks, or an unmet expectation of a fixture.
// The Reason of its finding is an error code. The finding has no position if the text is not
// written yet.
type Violation struct {
	finding.Finding
	Index     int    // of the message in the transcript, from 0; -1 for the transcript itself
	MessageID string // "" if the message has none
	Expected  string // the part of the message before Found and Fix
	// Follows is set for a mere consequence of an earlier violation, such as an answer to a
	// rejected offer. Check omits these.
	Follows bool
}

// MarshalJSON writes the violation without its position.
func (v Violation) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Index     int            `json:"index"`
		MessageID string         `json:"message_id"`
		Rule      string         `json:"rule"`
		Code      finding.Reason `json:"code"`
		Expected  string         `json:"expected"`
		Found     string         `json:"found"`
		Remedy    string         `json:"remedy"`
		Pointer   string         `json:"pointer"`
		Follows   bool           `json:"follows,omitzero"`
	}{v.Index, v.MessageID, v.Rule, v.Reason, v.Expected, v.Found, v.Fix, v.Pointer, v.Follows})
}

// violation returns a violation without a place; see [Violation.at].
func violation(rule string, code finding.Reason, expected, found, remedy string) Violation {
	return Violation{
		Finding: finding.Finding{
			Layer: finding.Protocol, Reason: code, Severity: finding.Error, Rule: rule,
			Message: fmt.Sprintf("expected %s, found %s; %s", expected, found, remedy), Found: found, Fix: remedy,
		},
		Expected: expected,
	}
}

// at sets the place of a violation.
func (v Violation) at(value jsonstream.Value) *Violation {
	v.Finding = v.On(value)
	return &v
}
