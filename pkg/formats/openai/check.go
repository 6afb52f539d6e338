package openai

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CheckOptions configure [Check].
type CheckOptions struct {
	// Start and End are the markers of summaries, as in [NestOptions].
	Start, End string
	// InputProblems returns the violations of a handoff's input schema by the arguments of a
	// call, one line each; nothing for a tool that is not a handoff or has no schema. It is
	// called for every function_call whose arguments are a JSON object; empty arguments of a
	// handoff count as an empty object. The value belongs to a document of its own. If nil,
	// inputs are not checked.
	InputProblems func(tool string, arguments jsonstream.Value) []string
	// MaxItems is the number of items above which a history is long, for the rule [Unfiltered];
	// 0 disables the check.
	MaxItems int
	// Window is the number of items within which a task must not return to an agent, for the
	// rule [Bounce]; 0 disables the check.
	Window int
}

// Check returns the findings in a HandoffInputData, in text order, and at the same place in the
// order of [Rules]. Rules about the conversation as a whole (pairs of calls and results,
// duplicates) examine the next agent's input: input_history, pre_handoff_items, and input_items
// or, if that is null or absent, new_items. The SDK for JavaScript has no input_items. A
// document that is not an object has one finding, of the rule [Shape]. Check is safe for
// concurrent use if InputProblems is.
func Check(doc *jsonstream.Document, o CheckOptions) []finding.Finding {
	c := &checker{o: o, markers: newMarkers(doc.Root(), o.Start, o.End), data: doc.Root(), entries: entries(doc.Root())}
	for _, e := range c.entries {
		if e.item.Kind() != jsonstream.Object {
			continue
		}
		c.all = append(c.all, e.item)
		if e.given {
			c.given = append(c.given, e.item)
		}
	}
	var seen equal.Seen
	for i, item := range c.given {
		first, _ := seen.Add(i, item)
		c.same = append(c.same, first)
	}
	for _, r := range checks() {
		c.rule = r.Rule
		r.check(c)
	}
	// Stable: findings at one place stay in the order of the rules.
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return c.found
}

// A checker collects the findings in a document.
type checker struct {
	o       CheckOptions
	markers markers
	data    jsonstream.Value
	entries []*entry
	all     []jsonstream.Value // the items of all lists, if they are objects
	given   []jsonstream.Value // the items that the next agent receives
	same    []int              // of given: the index of the first equal item

	rule  finding.Rule // the rule that is being checked
	found []finding.Finding
}

func (c *checker) report(at jsonstream.Value, format string, args ...any) {
	c.reportAt(at, at.Position(), format, args...)
}

func (c *checker) reportAt(at jsonstream.Value, position jsonstream.Position, format string, args ...any) {
	f := finding.Finding{
		Rule: c.rule.ID, Layer: c.rule.Layer, Reason: c.rule.Reason, Severity: c.rule.Severity, Message: fmt.Sprintf(format, args...),
	}
	c.found = append(c.found, f.At(f.On(at).Pointer, position))
}
