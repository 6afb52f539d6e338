package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// findingsOf returns a finding for each cause, worded from the schema and the document.
func findingsOf(causes []schema.Cause) []finding.Finding {
	list := make([]finding.Finding, len(causes))
	for i, c := range causes {
		list[i] = findingOf(c)
	}
	list = withoutEchoes(list)
	sortByPlace(list)
	return list
}

// withoutEchoes removes repeated findings, and findings about an unknown member if another finding reports
// it as a misspelt required one.
func withoutEchoes(findings []finding.Finding) []finding.Finding {
	misspelt := map[int64]bool{}
	for _, f := range findings {
		misspelt[f.Offset] = misspelt[f.Offset] || f.Rule == schemaPrefix+"required"
	}
	seen := map[finding.Finding]bool{}
	return slices.DeleteFunc(findings, func(f finding.Finding) bool {
		echo := seen[f] || isClosing(strings.TrimPrefix(f.Rule, schemaPrefix)) && misspelt[f.Offset]
		seen[f] = true
		return echo
	})
}

// isClosing reports whether a keyword restricts objects to known members.
func isClosing(keyword string) bool {
	return keyword == "additionalProperties" || keyword == "unevaluatedProperties"
}

// findingOf returns the finding for one cause.
func findingOf(c schema.Cause) finding.Finding {
	at := c.Value
	if c.Place.Exists() {
		at = c.Place
	}
	isUnknown := isClosing(c.Keyword) && c.Rule.Kind() == jsonstream.False
	problem := schemaFinding(cmp.Or(c.Keyword, "false"), "")
	switch {
	case c.OfName:
		problem.Message = "the member's name: " + valueProblem(c)
		return problem.OnName(at)
	case isUnknown && c.Place.Exists():
		problem.Message, problem.Meant = unknownProblem(at.Name(), propertyNames(c.Rule.Parent()))
		return problem.OnName(at)
	case c.Keyword == "required" && c.Rule.Kind() == jsonstream.String:
		name := c.Rule.Text()
		problem.Missing = name
		problem.Message = fmt.Sprintf("the required member %q is missing: add it", name)
		if member := misspelt(c.Value, name, c.Rule.Parent().Parent().Get("properties")); member.Exists() {
			problem.Meant = name
			problem.Message = fmt.Sprintf("the required member %q is missing; found %s: did you mean %q?", name, finding.Quote(member.Name()), name)
			return problem.OnName(member)
		}
	case c.Keyword == "uniqueKeys" && c.Place.Exists():
		problem.Message = fmt.Sprintf("%s %s is also used by %s: give each its own", at.Name(), finding.QuoteValue(at), finding.Finding{}.On(c.Earlier).Pointer)
	case c.Keyword == "uniqueItems" && c.Place.Exists():
		problem.Message = fmt.Sprintf("every element must differ from the others: this one equals %s", finding.Finding{}.On(c.Earlier).Pointer)
	case (c.Keyword == "anyOf" || c.Keyword == "oneOf") && c.Rule.Kind() != jsonstream.False:
		problem.Message = choiceProblem(c)
	default:
		problem.Message = valueProblem(c)
	}
	return problem.On(at)
}

// misspelt returns the member of v whose name is closest to a name that v lacks, if one is close and not a
// property itself.
func misspelt(v jsonstream.Value, name string, properties jsonstream.Value) jsonstream.Value {
	looked := 0
	for given, member := range v.Members() {
		if nearest.Is(given, name) && !properties.Get(given).Exists() {
			return member
		}
		if looked++; looked == maxFindings {
			break
		}
	}
	return jsonstream.Value{}
}

func propertyNames(schema jsonstream.Value) []string {
	var names []string
	for name := range schema.Get("properties").Members() {
		names = append(names, name)
	}
	return names
}

// unknownProblem describes an unknown member. meant is the known name it is close to, or "".
func unknownProblem(name string, known []string) (problem, meant string) {
	return fmt.Sprintf("unknown member %s%s", finding.Quote(name), nearest.Suggestion(name, known)), nearest.Name(name, known)
}

// choiceProblem describes a failed anyOf or oneOf by the values its branches accept.
func choiceProblem(c schema.Cause) string {
	if len(c.Branches) == 0 {
		if names := rivals(c); len(names) > 1 {
			return fmt.Sprintf("only one of the members %s is allowed: found all of them; remove the others", strings.Join(names, ", "))
		}
		return fmt.Sprintf("matches more than one alternative, but the schema allows one: found %s", finding.QuoteValue(c.Value))
	}
	var types, missing []string
	var values []jsonstream.Value
	var at jsonstream.Value // the value that the branches constrain
	for _, branch := range c.Branches {
		if branch.Lacks.Exists() {
			missing = append(missing, finding.Quote(branch.Lacks.Text()))
		}
		for _, r := range branch.Rejections {
			switch {
			case r.Keyword == "type":
				types = append(types, typeNames(r.Rule))
			case at.Exists() && at != r.Value:
			case r.Keyword == "const":
				at, values = r.Value, append(values, r.Rule)
			default:
				at = r.Value
				for _, v := range r.Rule.Elements() {
					values = append(values, v)
				}
			}
		}
	}
	switch {
	case len(missing) == len(c.Branches):
		return fmt.Sprintf("one of the members %s is required: add it", strings.Join(missing, ", "))
	case len(types) == len(c.Branches):
		return fmt.Sprintf("expected %s: found %s", strings.Join(slices.Compact(types), " or "), finding.QuoteValue(c.Value))
	case len(values) >= len(c.Branches) && len(types) == 0:
		where := ""
		if at != c.Value {
			where = fmt.Sprintf("the member %s ", finding.Quote(at.Name()))
		}
		return where + mustBeOneOf(slices.All(values), finding.QuoteValue(at), at.Text())
	default:
		return fmt.Sprintf("matches none of the %d alternatives that the schema allows: found %s", len(c.Branches), finding.QuoteValue(c.Value))
	}
}

// rivals returns the members that a oneOf allows only one of, if several are present.
func rivals(c schema.Cause) []string {
	var names []string
	for _, branch := range c.Rule.Elements() {
		required := branch.Get("required")
		for _, name := range required.Elements() {
			if required.Len() == 1 && c.Value.Get(name.Text()).Exists() {
				names = append(names, finding.Quote(name.Text()))
			}
		}
	}
	return names
}
