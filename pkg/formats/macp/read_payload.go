package macp

import (
	"strconv"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// isKnown reports whether a message type belongs to the handoff mode.
func isKnown(messageType string) bool {
	switch messageType {
	case "SessionStart", "HandoffOffer", "HandoffContext", "HandoffAccept", "HandoffDecline", "Commitment":
		return true
	}
	return false
}

// payload reads the payload of a message type; nil for an unknown type.
func (r *reader) payload(messageType string) Payload {
	if problem := r.of.Get("undecoded_problem"); r.of.Get("undecoded").Exists() { // set by package wire
		r.fail(r.of, "a payload that can be decoded", problem.Text(), "have its sender encode it again")
		return nil
	}
	switch messageType {
	case "SessionStart":
		return r.sessionStart()
	case "HandoffOffer":
		// Rule 7 determines the valid values.
		return &HandoffOffer{r.text("handoff_id"), r.text("target_participant"), r.text("scope"), r.text("reason")}
	case "HandoffContext":
		return &HandoffContext{r.text("handoff_id"), r.text("content_type"), r.bytes("context")}
	case "HandoffAccept":
		p := &HandoffAccept{HandoffID: r.text("handoff_id"), AcceptedBy: r.text("accepted_by"), Reason: r.text("reason")}
		p.Implicit, _ = r.flag("implicit")
		return p
	case "HandoffDecline":
		return &HandoffDecline{r.text("handoff_id"), r.text("declined_by"), r.text("reason")}
	case "Commitment":
		return r.commitment()
	}
	return nil
}

func (r *reader) sessionStart() *SessionStart {
	p := &SessionStart{Intent: r.text("intent"), Participants: r.participants()}
	p.ModeVersion = r.name("mode_version")
	p.ConfigurationVersion = r.name("configuration_version")
	p.PolicyVersion = r.text("policy_version")
	p.TTLMS, _ = r.number("ttl_ms", 1, !r.loose)
	p.ContextID = r.typed("context_id", jsonstream.String, false, "write a string, or leave the member out").Text()
	remedy := "write an object of base64 strings, or leave the member out"
	for name, v := range r.typed("extensions", jsonstream.Object, false, remedy).Members() {
		if v.Kind() != jsonstream.String {
			r.fail(v, "an extension to be base64", finding.Literal(v), "encode the bytes of the value")
			break
		}
		p.Extensions = append(p.Extensions, Extension{name, r.decoded(v)})
	}
	remedy = "write objects with uri and name, or leave the member out"
	for _, v := range r.typed("roots", jsonstream.Array, false, remedy).Elements() {
		root := reader{of: v, loose: r.loose}
		p.Roots = append(p.Roots, Root{root.name("uri"), root.text("name")})
		r.adopt(root.fault)
	}
	p.MaxSuspendMS, _ = r.number("max_suspend_ms", 0, false)
	return p
}

func (r *reader) participants() []string {
	remedy := "name at least two participants, including the sender"
	list := r.typed("participants", jsonstream.Array, true, remedy)
	var names []string
	seen := map[string]int{}
	for i, v := range list.Elements() {
		name := v.Text()
		if name == "" {
			r.fail(v, "a participant to be a non-empty string", finding.Literal(v), "name the participant")
		}
		if first, twice := seen[name]; twice {
			r.fail(v, "each participant once", finding.Quote(name)+" at "+strconv.Itoa(first)+" and "+strconv.Itoa(i), "remove one of them")
		}
		seen[name] = i
		names = append(names, name)
	}
	if list.Exists() && len(names) < 2 {
		r.fail(list, "at least two participants", strconv.Itoa(len(names)), remedy)
	}
	return names
}

func (r *reader) commitment() *Commitment {
	p := &Commitment{
		CommitmentID:   r.filled("commitment_id"),
		Action:         r.filled("action"),
		AuthorityScope: r.filled("authority_scope"),
		Reason:         r.filled("reason"),
		// Rule 18 determines the valid values.
		ModeVersion:          r.text("mode_version"),
		PolicyVersion:        r.text("policy_version"),
		ConfigurationVersion: r.text("configuration_version"),
	}
	if v := r.typed("supersedes", jsonstream.Object, false, "write session_id and commitment_hash, or leave the member out"); v.Exists() {
		of := reader{of: v, loose: r.loose}
		p.Supersedes = &Supersedes{of.filled("session_id"), of.filled("commitment_hash")}
		r.adopt(of.fault)
	}
	positive, set := r.flag("outcome_positive")
	p.OutcomePositive = positive
	if !set && r.fault == nil {
		r.fail(r.of, "outcome_positive to be set explicitly (true or false)", "nothing", "write it, also if it is false")
		r.fault.Rule = "macp/19"
	}
	return p
}

func (r *reader) adopt(fault *Violation) {
	if r.fault == nil {
		r.fault = fault
	}
}
