package sw4rm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Policy determines which agents may hand over to which others, for which capabilities.
// The default is to deny, so the zero value denies everything. A Policy is immutable and
// safe for concurrent use.
type Policy struct{ allow, deny []permission }

// A permission is a rule of a policy. A name is an agent or a capability, or a prefix
// followed by "*".
type permission struct {
	from, to     []string
	capabilities []string // nil for any
}

// ReadPolicy reads {"allow": [], "deny": []}, both optional, with rules of the form {"from":
// NAMES, "to": NAMES, "capabilities": NAMES}, where NAMES is a name or an array of names.
// Only capabilities is optional. Other members are errors, so that a misspelled member
// cannot loosen the policy.
func ReadPolicy(doc *jsonstream.Document) (*Policy, []finding.Finding) {
	f := &finder{}
	root := doc.Root()
	if root.Kind() != jsonstream.Object {
		f.fail("", root, "", "not a policy: expected an object with allow and deny, found "+finding.QuoteValue(root))
		return nil, f.inOrder()
	}
	f.only(root, "allow", "deny")
	p := &Policy{allow: f.permissions(root.Get("allow")), deny: f.permissions(root.Get("deny"))}
	if f.problems != nil {
		return nil, f.inOrder()
	}
	return p, nil
}

// only reports the members of an object with other names.
func (f *finder) only(object jsonstream.Value, names ...string) {
	for name, v := range object.Members() {
		if !slices.Contains(names, name) {
			f.fail("", v, "", fmt.Sprintf("a policy has no member %s: use %s", finding.Quote(name), strings.Join(names, ", ")))
		}
	}
}

func (f *finder) permissions(list jsonstream.Value) []permission {
	if list.Exists() && list.Kind() != jsonstream.Array {
		f.fail("", list, "", "expected an array of rules, found "+finding.QuoteValue(list))
	}
	var all []permission
	for _, v := range list.Elements() {
		if v.Kind() != jsonstream.Object {
			f.fail("", v, "", "expected a rule, an object with from, to and capabilities, found "+finding.QuoteValue(v))
			continue
		}
		f.only(v, "from", "to", "capabilities")
		all = append(all, permission{f.patterns(v, "from", true), f.patterns(v, "to", true), f.patterns(v, "capabilities", false)})
	}
	return all
}

// patterns reads a name or an array of names.
func (f *finder) patterns(rule jsonstream.Value, name string, required bool) []string {
	v := rule.Get(name)
	if !v.Exists() && required {
		f.fail("", rule, name, `missing required member: add it, as a name, an array of names, or "*"`)
	}
	values := []jsonstream.Value{v}
	if v.Kind() == jsonstream.Array {
		values = nil
		for _, element := range v.Elements() {
			values = append(values, element)
		}
	}
	names := []string{}
	for _, each := range values {
		if !each.Exists() {
			return nil
		}
		text := each.Text()
		if each.Kind() != jsonstream.String || text == "" || strings.Contains(strings.TrimSuffix(text, "*"), "*") {
			f.fail("", each, "", `expected a name, which may end in "*", found `+finding.QuoteValue(each))
		}
		names = append(names, text)
	}
	return names
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return pattern == name || open && strings.HasPrefix(name, prefix)
	})
}

func (p permission) covers(from, to string) bool { return matches(p.from, from) && matches(p.to, to) }

func (p permission) includes(capability string) bool {
	return p.capabilities == nil || matches(p.capabilities, capability)
}

// Denial returns the reason why the agent to may not take over the request, or "" if it may.
// A rule must allow the two agents, and each required capability must be included in a rule
// that allows them. Deny rules take precedence.
func (p *Policy) Denial(r *Request, to string) string {
	between := func(rules []permission) []permission {
		return slices.DeleteFunc(slices.Clone(rules), func(rule permission) bool { return !rule.covers(r.From, to) })
	}
	allow, deny := between(p.allow), between(p.deny)
	pair := fmt.Sprintf("%s may not hand to %s", r.From, to)
	if len(allow) == 0 || slices.ContainsFunc(deny, func(rule permission) bool { return rule.capabilities == nil }) {
		return "Denied by policy: " + pair
	}
	for _, name := range r.Capabilities {
		included := func(rule permission) bool { return rule.includes(name) }
		if !slices.ContainsFunc(allow, included) || slices.ContainsFunc(deny, included) {
			return fmt.Sprintf("Denied by policy: %s for %s", pair, name)
		}
	}
	return ""
}
