// Package rulebook checks messages by the rules of one system.
package rulebook

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Report records a violation of a rule at a value.
type Report func(at jsonstream.Value, format string, args ...any)

// A Rule is a rule with the function that finds its violations in a message. The examples are whole
// documents, and the severity is error by default.
type Rule struct {
	finding.Rule
	Check func(root jsonstream.Value, report Report)
}

// A Book has the rules of one system and its reason to reject a message.
type Book struct {
	Reason finding.Reason
	Rules  []Rule
}

// All returns the rules. The caller owns the slice.
func (b Book) All() []finding.Rule {
	var all []finding.Rule
	for _, r := range b.Rules {
		all = append(all, b.complete(r.Rule))
	}
	return all
}

// Check returns the violations of the rules in a document, in the order of the text and, at one
// place, of the rules. It implements [format.Descriptor]'s Check.
func (b Book) Check(doc *jsonstream.Document, _ jsonstream.Limits) []finding.Finding {
	var found []finding.Finding
	for _, rule := range b.Rules {
		r := b.complete(rule.Rule)
		rule.Check(doc.Root(), func(at jsonstream.Value, format string, args ...any) {
			f := finding.Finding{Rule: r.ID, Layer: r.Layer, Reason: r.Reason, Severity: r.Severity, Message: fmt.Sprintf(format, args...)}
			found = append(found, f.On(at))
		})
	}
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return found
}

func (b Book) complete(r finding.Rule) finding.Rule {
	r.Layer, r.Reason, r.Whole = finding.Protocol, b.Reason, true
	r.Severity = cmp.Or(r.Severity, finding.Error)
	return r
}
