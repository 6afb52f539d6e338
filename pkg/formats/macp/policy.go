package macp

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Authority determines who may send the Commitment.
type Authority string

// The authorities (RFC-MACP-0012). "" means InitiatorOnly.
const (
	InitiatorOnly  Authority = "initiator_only"
	AnyParticipant Authority = "any_participant"
	DesignatedRole Authority = "designated_role"
)

// A Policy holds the parts of a governance policy that rules 16 and 20 need.
type Policy struct {
	ID              string    // "" matches every session
	Authority       Authority // commitment.authority
	DesignatedRoles []string  // commitment.designated_roles: senders
	// ImplicitAcceptMS is acceptance.implicit_accept_timeout_ms; 0 means never.
	ImplicitAcceptMS int64
}

// A PolicyError reports a document that is not a policy of the handoff mode. Its text is for
// people and does not include the place.
type PolicyError struct {
	jsonstream.Position
	Pointer string
	Problem string // the problem, the value found, and the remedy
}

func (e *PolicyError) Error() string { return fmt.Sprintf("policy: %s", e.Problem) }

// ReadPolicy reads a policy: an object with policy_id, mode, schema_version and rules
// (RFC-MACP-0012). Only rules is required; rules of other modes are ignored. The error is a
// [*PolicyError].
func ReadPolicy(root jsonstream.Value) (*Policy, error) {
	r := reader{of: root}
	p := r.policy()
	if v := r.fault; v != nil {
		return nil, &PolicyError{Position: v.Position(), Pointer: v.Pointer, Problem: v.Message}
	}
	return p, nil
}

func (r *reader) policy() *Policy {
	p := &Policy{Authority: InitiatorOnly}
	if r.of.Kind() != jsonstream.Object {
		r.fail(r.of, "a policy, an object", finding.Literal(r.of), "write policy_id, mode, schema_version and rules")
		return p
	}
	if r.get("policy_id").Exists() {
		p.ID = r.name("policy_id")
	}
	if v := r.get("mode"); v.Exists() && v.Text() != Mode && v.Text() != "*" {
		r.fail(v, `a policy for the mode "`+Mode+`", or for all modes ("*")`, finding.Literal(v), "use a policy for this mode")
	}
	r.number("schema_version", 1, false)
	remedy := "write the rules as an object"
	text := r.get("rules")
	rules := r.rules(remedy)
	commitment := reader{of: rules.typed("commitment", jsonstream.Object, false, remedy)}
	acceptance := reader{of: rules.typed("acceptance", jsonstream.Object, false, remedy)}
	commitment.authority(p)
	p.ImplicitAcceptMS, _ = acceptance.number("implicit_accept_timeout_ms", 0, false)
	for _, part := range []reader{rules, commitment, acceptance} {
		if part.fault != nil && text.Kind() == jsonstream.String {
			part.fault.Finding = part.fault.Inside(text)
		}
		r.adopt(part.fault)
	}
	return p
}

// rules returns a reader of the rules: an object, or its JSON text, as the SDK writes it.
func (r *reader) rules(remedy string) reader {
	v := r.get("rules")
	if v.Kind() != jsonstream.String {
		return reader{of: r.typed("rules", jsonstream.Object, true, remedy)}
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(v.Text())), jsonstream.Limits{})
	if err != nil || doc.Root().Kind() != jsonstream.Object {
		r.fail(v, "the member rules to be an object, or the JSON text of one", finding.Literal(v), remedy)
		return reader{}
	}
	return reader{of: doc.Root()}
}

// authority reads the commitment authority.
func (r *reader) authority(p *Policy) {
	v := r.typed("authority", jsonstream.String, false, "write one of initiator_only, any_participant and designated_role")
	switch a := Authority(v.Text()); a {
	case InitiatorOnly, AnyParticipant, DesignatedRole:
		p.Authority = a
	default:
		if v.Exists() {
			r.fail(v, "authority to be initiator_only, any_participant or designated_role", finding.Literal(v), "write one of them")
		}
	}
	remedy := "write the participants who may commit as an array of strings"
	for _, role := range r.typed("designated_roles", jsonstream.Array, false, remedy).Elements() {
		if role.Text() == "" {
			r.fail(role, "designated_roles to be non-empty strings", finding.Literal(role), remedy)
		}
		p.DesignatedRoles = append(p.DesignatedRoles, role.Text())
	}
	if p.Authority == DesignatedRole && len(p.DesignatedRoles) == 0 {
		r.fail(r.of, "designated_roles for the authority designated_role", "none", remedy)
	}
}
