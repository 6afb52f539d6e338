package sw4rm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A finder collects findings.
type finder struct {
	problems []finding.Finding
	counts   map[string]int // by rule
	// The string with the snapshot while its base64 content is checked, and absent
	// otherwise.
	snapshot jsonstream.Value
}

const (
	// maxPerRule is the maximum number of places reported per rule.
	maxPerRule = 100
)

// enter records that subsequent values are in a snapshot.
func (f *finder) enter(snapshot jsonstream.Value, encoded bool) {
	if encoded {
		f.snapshot = snapshot
	}
}

// fail adds an error about v, or about a missing member of v.
func (f *finder) fail(rule string, v jsonstream.Value, member, message string) {
	f.add(finding.Error, rule, v, member, message)
}

// warn adds a warning about v.
func (f *finder) warn(rule string, v jsonstream.Value, message string) {
	f.add(finding.Warning, rule, v, "", message)
}

func (f *finder) add(severity finding.Severity, rule string, v jsonstream.Value, member, message string) {
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	if f.counts[rule]++; f.counts[rule] > maxPerRule {
		return
	}
	p := finding.Finding{Rule: rule, Layer: finding.Protocol, Reason: finding.Reason(InvalidArgument), Severity: severity, Message: message}.On(v)
	if member != "" && p.Pointer == v.Pointer() {
		p.Pointer = jsonstream.AppendPointer(p.Pointer, member)
	}
	if f.snapshot.Exists() {
		p = p.Inside(f.snapshot)
	}
	f.problems = append(f.problems, p)
}

// inOrder returns the findings in text order.
func (f *finder) inOrder() []finding.Finding {
	slices.SortStableFunc(f.problems, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return f.problems
}

// contextMembers checks for the members that deserialize_context requires.
func (f *finder) contextMembers(root jsonstream.Value) {
	for _, m := range contextMembers {
		v := root.Get(m.name)
		switch {
		case !v.Exists():
			f.fail("sw4rm/context-member", root, m.name, "missing required field of a HandoffContext: add it, at least as "+m.empty)
		case v.Kind() != m.kind:
			f.fail("sw4rm/context-type", v, "", fmt.Sprintf("expected %s, found %s", finding.KindName(m.kind), finding.QuoteValue(v)))
		}
	}
}

// text returns a string member. An optional member may be null.
func (f *finder) text(object jsonstream.Value, name string, required bool) string {
	v := object.Get(name)
	switch {
	case v.Kind() == jsonstream.String:
	case !v.Exists() && required:
		f.fail("", object, name, "missing required member: add it, as a string")
	case required || v.Exists() && v.Kind() != jsonstream.Null:
		f.fail("", v, "", "expected a string, found "+finding.QuoteValue(v))
	}
	return v.Text()
}

// names returns the distinct strings of an array.
func (f *finder) names(object jsonstream.Value, name string, required bool) []string {
	list := object.Get(name)
	switch {
	case list.Kind() == jsonstream.Array:
	case !list.Exists() && required:
		f.fail("", object, name, "missing required member: add it, as an array of strings")
	case list.Exists():
		f.fail("", list, "", "expected an array of strings, found "+finding.QuoteValue(list))
	}
	seen := map[string]bool{}
	var names []string
	for _, v := range list.Elements() {
		if v.Kind() != jsonstream.String {
			f.fail("", v, "", "expected a string, found "+finding.QuoteValue(v))
		} else if text := v.Text(); !seen[text] {
			seen[text] = true
			names = append(names, text)
		}
	}
	return names
}
