package report

import (
	"slices"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rules returns the rules of all layers, followed by the rules for AgentCards, for agents of the OpenAI
// Agents SDK and their runs, for chains, for claims, and for messages that arrive at a receiver. All findings have one of
// these rules.
func Rules() []finding.Rule {
	return slices.Concat(validate.Rules(), agentcard.Rules(), agents.Rules(), agents.RunRules(), chain.Rules(), claims.Rules(), receiverRules())
}

// receiverRules are the rules of a receiver about its audit log and its transport.
func receiverRules() []finding.Rule {
	return []finding.Rule{
		{ID: "receiver/revoked", Layer: finding.Receiver, Reason: "REVOKED", Severity: finding.Error,
			Summary: "A message that its sender has revoked is not accepted.",
			Why:     "The sender has the task again, and may have given it to another agent. A new message needs a new handoffId."},
		{ID: "receiver/handoff-id-reused", Layer: finding.Receiver, Reason: "HANDOFF_ID_REUSED", Severity: finding.Error,
			Summary: "A handoffId identifies one message.",
			Why:     "Another message with this id was accepted, so this one is a forgery or a mistake. A new message needs a new handoffId."},
		{ID: "receiver/parent-digest", Layer: finding.Receiver, Reason: validate.SignatureInvalid, Severity: finding.Error,
			Summary: "extensions.parentDigest is the digest of the parent that the receiver accepted.",
			Why:     "Otherwise the history before this message was replaced."},
		{ID: "transport/unusable", Layer: finding.Schema, Reason: validate.SchemaInvalid, Severity: finding.Error,
			Summary: "A delivery is one message that the receiver can read and hand over.",
			Why:     "The bytes are too long, have an unknown encoding, or cannot be rendered for the agent. The finding has the cause."},
	}
}
