package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Cause is one reason why a document is invalid: a rule of the schema, and the value
// that breaks it. A schema that only leads to another, by $ref, allOf, if or a branch, is
// no cause of its own.
type Cause struct {
	// Value is what the rule applies to: with OfName its name, else itself.
	Value  jsonstream.Value
	OfName bool
	// Keyword is the rule's; that of a schema which is just false is the keyword that
	// led there, "" if none did.
	Keyword string
	// Rule is the keyword's value, or the part of it that is broken: the name in
	// required, dependentRequired and dependencies; a schema that is just false is its
	// own rule. It is absent if the schema's text is not available.
	Rule jsonstream.Value
	// Place is the member or element below Value that is at fault, absent if it is Value
	// itself: what additionalProperties forbids, what uniqueItems and uniqueKeys find again.
	Place jsonstream.Value
	// Earlier is the element that Place repeats.
	Earlier jsonstream.Value
	// Undecided is set if the rule is a regular expression that took too many steps on the text.
	Undecided bool
	// Found is how many elements contains holds for, -1 if that is not known.
	Found int
	// Branches are those of anyOf or oneOf, if none of them holds and none is clearly
	// the one that was meant: that one's causes take the place of the choice.
	Branches []Branch

	url   string // of the schema document
	depth int    // of Value
}

// A Branch says why one alternative of a choice does not hold.
type Branch struct {
	// Lacks is the name of the one required member that is all it misses, absent if there is
	// more to it.
	Lacks jsonstream.Value
	// Rejections are the causes by which it rejects the value as such: by its type, as not
	// one of some values, or by such values of its members.
	Rejections []Cause
}

// failures are what is wrong with a value.
type failures struct {
	causes []Cause
	depth  int // of the deepest value at fault, in any branch
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

// choose adds what is wrong where none of some branches holds: the causes of the one that
// was meant, or else the choice itself. Meant is one that takes the value itself and
// the constants in its members, such as a type, and fails furthest inside. None is where
// each lacks one member.
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

// rejections returns the causes by which a branch rejects a value at a depth as such.
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
					inner = nil // one alternative would do
					break
				}
				inner = append(inner, found...)
			}
			all = append(all, inner...)
		}
	}
	return all
}

// lacks returns the name of the required member if all that is wrong with a value at a
// depth is that it lacks one.
func lacks(causes []Cause, depth int) jsonstream.Value {
	if len(causes) == 1 && causes[0].Keyword == "required" && causes[0].depth == depth {
		return causes[0].Rule
	}
	return jsonstream.Value{}
}

// sortCauses orders causes by the places of their values, and those of one value by
// their rules.
func sortCauses(causes []Cause) {
	slices.SortStableFunc(causes, func(a, b Cause) int {
		if order := cmp.Compare(a.Value.Ordinal(), b.Value.Ordinal()); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(a.url, b.url), strings.Compare(a.rule().Pointer(), b.rule().Pointer()))
	})
}

// rule is the value of the keyword itself, where Rule is one of the names in it.
func (c *Cause) rule() jsonstream.Value {
	if c.Keyword == "required" {
		return c.Rule.Parent()
	}
	return c.Rule
}
