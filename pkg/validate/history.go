package validate

import (
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// checkProviders returns the errors of the providers' APIs about the history of a message. It skips a
// history that cannot be read, which the rules of the format report.
func checkProviders(doc *jsonstream.Document, f format.Format, providers []provider.Provider, limits jsonstream.Limits) []finding.Finding {
	if len(providers) == 0 {
		return nil
	}
	h, err := history.Of(doc, f, limits)
	if err != nil {
		return nil
	}
	return checkHistory(h, providers)
}

func checkHistory(h *history.History, providers []provider.Provider) []finding.Finding {
	var all []finding.Finding
	for _, p := range providers {
		all = append(all, provider.Check(p, h)...)
	}
	return all[:min(len(all), maxFindings)]
}

// lintTurns returns warnings about the turns of a message that is not canonical. They come from the rules
// of the turns' provider, unless the message is checked for other providers, or from the lint rules on
// turns. A system without a provider has its own rules instead.
func (v *Validator) lintTurns(doc *jsonstream.Document, f format.Format) []finding.Finding {
	d := formats.Named(f)
	if d.Turns == nil || d.Rules != nil && d.Known == nil || d.ResultsOnly || f == format.EAAPL {
		return nil
	}
	h, err := history.Of(doc, f, v.options.Limits)
	if err != nil {
		return nil
	}
	p := provider.Of(h)
	switch {
	case p == "" && d.Rules == nil:
		return lintHistoryOf(h)
	case p == "" || v.options.For != nil:
		return nil
	}
	return asLint(checkHistory(h, []provider.Provider{p}))
}

// asLint converts the errors of the turns' own provider to warnings. It drops the provider's warnings:
// these depend on unknown models and settings, or apply to histories sent unchanged.
func asLint(findings []finding.Finding) []finding.Finding {
	findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity != finding.Error })
	for i := range findings {
		findings[i].Layer, findings[i].Severity = finding.Lint, finding.Warning
	}
	return findings
}

// lintHistoryOf applies the lint rules on turns to a history.
func lintHistoryOf(h *history.History) []finding.Finding {
	l := linters.Get().(*linter)
	for _, t := range h.Turns {
		l.history.add(t.Value)
	}
	rules := lintRules()
	for i := range rules {
		if r := &rules[i]; r.turns {
			l.rule, l.left = r, maxPerRule
			r.check(l)
		}
	}
	findings := l.findings
	l.forget()
	linters.Put(l)
	if carrier := h.Carrier(); carrier.Exists() {
		for i, f := range findings {
			findings[i] = f.Inside(carrier)
		}
	}
	return findings
}

// roleOf returns the role of a turn and the value with the role.
func roleOf(turn jsonstream.Value) (role string, at jsonstream.Value) {
	if at = conversation.Item(turn).Get("role"); !at.Exists() {
		at = turn
	}
	return conversation.Role(turn), at
}
