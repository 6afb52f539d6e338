package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Cause is a reason why a document is invalid: a rule of the schema and the value that breaks it.
// A schema that only leads to another one, by $ref, allOf, if or a branch, is not a cause itself.
type Cause struct {
	// Value is the value that breaks the rule. With OfName, its name breaks the rule.
	Value  jsonstream.Value
	OfName bool
	// Keyword is the keyword of the rule. For the schema false it is the keyword that led there, ""
	// if there is none.
	Keyword string
	// Rule is the value of the keyword, or the violated part of it: the name in required,
	// dependentRequired and dependencies. The schema false is its own rule. Rule is absent if the
	// schema's text is not available.
	Rule jsonstream.Value
	// Place is the member or element of Value that breaks the rule, absent if it is Value itself: a
	// member forbidden by additionalProperties, a duplicate found by uniqueItems or uniqueKeys.
	Place jsonstream.Value
	// Earlier is the element that Place repeats.
	Earlier jsonstream.Value
	// Undecided is set if the rule is a regular expression that needs too many steps on the text.
	Undecided bool
	// Found is the number of elements that match contains, -1 if unknown.
	Found int
	// Branches are the branches of anyOf or oneOf, if none holds and none was clearly intended; the
	// causes of an intended branch take the place of the choice.
	Branches []Branch

	url   string // of the schema document
	depth int    // of Value
}

// A Branch has the reasons why one branch of a choice does not hold.
type Branch struct {
	// Lacks is the name of a required member if its absence is the only reason, otherwise absent.
	Lacks jsonstream.Value
	// Rejections are the causes about the type of the value, or about constants for it or for its
	// members.
	Rejections []Cause
}

// failures are the reasons why a value is invalid.
type failures struct {
	causes []Cause
	depth  int // of the deepest invalid value, in any branch
}

func (f *failures) add(c Cause) {
	f.causes = append(f.causes, c)
	f.depth = max(f.depth, c.depth)
}

func (f *failures) addAll(other failures) {
	f.depth = max(f.depth, other.depth)
	if f.causes == nil {
		f.causes = slices.Clip(other.causes)
		return
	}
	f.causes = append(f.causes, other.causes...)
}

// choose adds the reasons why no branch of a choice is valid: those of the intended branch, or else
// the choice itself. The intended branch is one that accepts the value's type and the constants in
// its members, such as a type, and fails deepest inside. If every branch lacks only one member,
// none is intended.
func (f *failures) choose(choice Cause, branches []failures) {
	meant, lacking := -1, 0
	choice.Branches = make([]Branch, len(branches))
	for i, b := range branches {
		f.depth = max(f.depth, b.depth)
		found := Branch{lacks(b.causes, choice.depth), rejections(b.causes, choice.depth)}
		choice.Branches[i] = found
		if len(found.Rejections) > 0 {
			continue
		}
		if found.Lacks.Exists() {
			lacking++
		}
		if meant < 0 || b.depth > branches[meant].depth {
			meant = i
		}
	}
	if meant < 0 || lacking == len(branches) && lacking > 1 {
		f.add(choice)
		return
	}
	f.addAll(branches[meant])
}

// rejections returns the causes that reject a value at a depth by type or constant.
func rejections(causes []Cause, depth int) []Cause {
	var all []Cause
	for _, c := range causes {
		inside := c.depth - depth
		switch {
		case c.Keyword == "const" && inside <= 1, c.Keyword == "enum" && inside <= 1, c.Keyword == "type" && inside == 0:
			all = append(all, c)
		case c.Branches != nil:
			var inner []Cause
			for _, b := range c.Branches {
				found := rejections(b.Rejections, depth)
				if len(found) == 0 {
					inner = nil // one branch would be enough
					break
				}
				inner = append(inner, found...)
			}
			all = append(all, inner...)
		}
	}
	return all
}

// lacks returns the name of the required member if its absence is the only cause for a value at a
// depth.
func lacks(causes []Cause, depth int) jsonstream.Value {
	if len(causes) == 1 && causes[0].Keyword == "required" && causes[0].depth == depth {
		return causes[0].Rule
	}
	return jsonstream.Value{}
}

// sortCauses sorts causes by the positions of their values and then by their rules.
func sortCauses(causes []Cause) {
	slices.SortStableFunc(causes, func(a, b Cause) int {
		if order := cmp.Compare(a.Value.Ordinal(), b.Value.Ordinal()); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(a.url, b.url), strings.Compare(a.rule().Pointer(), b.rule().Pointer()))
	})
}

// rule returns the value of the keyword itself, even if Rule is a name in it.
func (c *Cause) rule() jsonstream.Value {
	if c.Keyword == "required" {
		return c.Rule.Parent()
	}
	return c.Rule
}
