package validate

import (
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// checkProtocol applies the rules of a format that its schema cannot express; the canonical format has
// none. limits bound carried values.
func checkProtocol(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) []finding.Finding {
	check := formats.Named(f).Check
	if check == nil {
		return nil
	}
	findings := check(doc, limits)
	return findings[:min(len(findings), maxFindings)]
}

// protocolReasons are the reasons of the other systems.
func protocolReasons() []finding.Reason {
	var reasons []finding.Reason
	for _, d := range formats.All() {
		for _, r := range d.Reasons {
			if !slices.Contains(reasons, r) { // several systems have INVALID_ARGUMENT
				reasons = append(reasons, r)
			}
		}
	}
	for _, p := range provider.All() {
		if !slices.Contains(reasons, p.Reason()) {
			reasons = append(reasons, p.Reason())
		}
	}
	return reasons
}

// protocolRules are the rules of all other systems.
func protocolRules() []finding.Rule {
	var rules []finding.Rule
	for _, d := range formats.All() {
		if d.Rules != nil {
			rules = append(rules, d.Rules()...)
		}
	}
	return rules
}
