package validate

import (
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkProtocol applies the rules of a format that its schema cannot say; the
// canonical format has none. What a message carries is bounded by limits.
func checkProtocol(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) []finding.Finding {
	var findings []finding.Finding
	switch f {
	case format.SW4RMContext, format.SW4RMRequest, format.SW4RMResponse:
		findings = sw4rm.Check(doc, f, limits)
	case format.MACP:
		if macp.IsFixture(doc.Root()) {
			break // the schema layer says so
		}
		for _, v := range macp.Check(doc, macp.Options{}) {
			findings = append(findings, v.Finding)
		}
	case format.OpenAI:
		findings = openai.Check(doc, openai.CheckOptions{})
	}
	return findings[:min(len(findings), mostFindings)]
}

// macpReasons are the codes of MACP's registry that its rules give.
var macpReasons = []finding.Reason{
	macp.UnsupportedVersion, macp.ModeNotSupported, macp.UnknownPolicyVersion, macp.SessionAlreadyExists,
	macp.SessionNotOpen, macp.DuplicateMessage, macp.InvalidEnvelope, macp.Forbidden,
}

// protocolRules are the rules of all other systems.
func protocolRules() []finding.Rule {
	return slices.Concat(sw4rm.Rules(), macp.Rules(), openai.Rules())
}
