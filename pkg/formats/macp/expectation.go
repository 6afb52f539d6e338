package macp

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Outcomes collects the mismatches between a fixture's expectations and the replay.
type outcomes struct{ found []Violation }

// A fact is a value of the replay: a text, a boolean or an object.
type fact struct {
	name    string
	text    string
	kind    jsonstream.Kind // Absent for a text
	members []fact          // of an object
}

func boolean(b bool) fact {
	f := fact{text: strconv.FormatBool(b), kind: jsonstream.False}
	if b {
		f.kind = jsonstream.True
	}
	return f
}

// is reports whether a fact equals the expected value; null expects no text.
func (f fact) is(want jsonstream.Value) bool {
	if f.kind != jsonstream.Absent {
		return want.Kind() == f.kind
	}
	return want.Kind() == jsonstream.String && want.Text() == f.text || want.Kind() == jsonstream.Null && f.text == ""
}

func (x *outcomes) differs(at jsonstream.Value, expected, found string) {
	v := violation(expectation, InvalidEnvelope, expected, found, "correct the fixture, or the implementation that it was recorded from").at(at)
	v.Index = -1
	x.found = append(x.found, *v)
}

// value compares one value.
func (x *outcomes) value(want jsonstream.Value, f fact) {
	if f.members != nil {
		x.members(want, f.members)
		return
	}
	if f.is(want) {
		return
	}
	found := f.text
	if f.kind == jsonstream.Absent {
		found = finding.Quote(f.text)
	}
	x.differs(want, finding.Quote(want.Name())+" to be "+finding.Literal(want), found)
}

// each yields the members of an expected object; members that begin with _ are comments. It
// reports any other value.
func (x *outcomes) each(want jsonstream.Value) iter.Seq2[string, jsonstream.Value] {
	if want.Kind() != jsonstream.Object {
		x.differs(want, "an object with the expected values", finding.Literal(want))
	}
	return func(yield func(string, jsonstream.Value) bool) {
		for name, v := range want.Members() {
			if !strings.HasPrefix(name, "_") && !yield(name, v) {
				return
			}
		}
	}
}

// members compares the expected members.
func (x *outcomes) members(want jsonstream.Value, facts []fact) {
next:
	for name, v := range x.each(want) {
		for _, f := range facts {
			if f.name == name || isCamel(name, f.name) {
				x.value(v, f)
				continue next
			}
		}
		names := make([]string, len(facts))
		for i, f := range facts {
			names[i] = f.name
		}
		x.differs(v, "one of "+strings.Join(names, ", "), finding.Quote(name))
	}
}

func shownLen(want jsonstream.Value) string {
	if want.Kind() != jsonstream.Array {
		return "an array of contexts"
	}
	return fmt.Sprintf("%d contexts", want.Len())
}

func (h Handoff) facts() []fact {
	disposition := "Offered"
	by := map[Status]string{}
	switch h.Status {
	case Accepted:
		disposition = "Accepted"
	case Declined:
		disposition = "Declined"
	}
	by[h.Status] = h.AnsweredBy
	implicit := boolean(h.Implicit)
	implicit.name = "implicit"
	return []fact{
		{name: "disposition", text: disposition},
		{name: "handoff_id", text: h.ID},
		{name: "target_participant", text: h.Target},
		{name: "offered_by", text: h.OfferedBy},
		{name: "scope", text: h.Scope},
		{name: "reason", text: h.Reason},
		{name: "accepted_by", text: by[Accepted]},
		{name: "declined_by", text: by[Declined]},
		{name: "outcome_reason", text: h.AnswerReason},
		implicit,
	}
}

func (c sentContext) facts() []fact {
	return []fact{
		{name: "handoff_id", text: c.HandoffID},
		{name: "content_type", text: c.ContentType},
		{name: "context", text: string(c.Context)},
		{name: "sender", text: c.sender},
	}
}

func (p *Commitment) facts() []fact {
	positive := boolean(p.OutcomePositive)
	positive.name = "outcome_positive"
	supersedes := fact{name: "supersedes"}
	if p.Supersedes != nil {
		supersedes.members = []fact{{name: "session_id", text: p.Supersedes.SessionID}, {name: "commitment_hash", text: p.Supersedes.CommitmentHash}}
	}
	return []fact{
		{name: "commitment_id", text: p.CommitmentID},
		{name: "action", text: p.Action},
		{name: "authority_scope", text: p.AuthorityScope},
		{name: "reason", text: p.Reason},
		{name: "mode_version", text: p.ModeVersion},
		{name: "policy_version", text: p.PolicyVersion},
		{name: "configuration_version", text: p.ConfigurationVersion},
		positive,
		supersedes,
	}
}
