package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// isChoice reports whether e is the failure of an anyOf or oneOf itself, not of
// one of its branches.
func isChoice(e *jsonschema.ValidationError) bool {
	keyword, _ := keywordOf(e)
	return (keyword == "anyOf" || keyword == "oneOf") && strings.HasSuffix(e.KeywordLocation, "/"+keyword)
}

// meantBranch returns the branch of an anyOf or oneOf that was meant: one that
// accepts the value itself and the constants in its members, such as a type,
// and fails furthest inside. It is nil where none stands out as meant.
func meantBranch(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	var meant *jsonschema.ValidationError
	best := -1
	lacking := 0
	for _, branch := range e.Causes {
		if len(refusals(branch, e.InstanceLocation)) > 0 {
			continue
		}
		if _, ok := lacks(branch, e.InstanceLocation); ok {
			lacking++
		}
		if d := depth(branch); d > best {
			meant, best = branch, d
		}
	}
	if lacking == len(e.Causes) && lacking > 1 {
		return nil
	}
	return meant
}

// noBranch names what the branches would have taken, none of which was meant.
func (w *wording) noBranch(c cause) string {
	branches := c.err.Causes
	if len(branches) == 0 {
		if names := w.rivals(c); len(names) > 1 {
			return fmt.Sprintf("only one of the members %s may be there: found all of them; remove the others", strings.Join(names, ", "))
		}
		return fmt.Sprintf("matches more than one of the alternatives of which the schema allows one: found %s", finding.QuoteValue(c.v))
	}
	var types, missing []string
	var values []jsonstream.Value
	place := "" // of the constants that the branches ask for
	for _, branch := range branches {
		if e, ok := lacks(branch, c.err.InstanceLocation); ok {
			for _, name := range w.schema.locate(e.AbsoluteKeywordLocation).Elements() {
				if !c.v.Get(name.Text()).Exists() {
					missing = append(missing, finding.Quote(name.Text()))
				}
			}
		}
		for _, r := range refusals(branch, c.err.InstanceLocation) {
			rule := w.schema.locate(r.AbsoluteKeywordLocation)
			switch keyword, _ := keywordOf(r); {
			case keyword == "type":
				types = append(types, typeNames(rule))
			case place == "" || place == r.InstanceLocation:
				place = r.InstanceLocation
				if keyword == "const" {
					values = append(values, rule)
					break
				}
				for _, v := range rule.Elements() {
					values = append(values, v)
				}
			}
		}
	}
	switch {
	case len(missing) == len(branches):
		return fmt.Sprintf("one of the members %s is required: add it", strings.Join(missing, ", "))
	case len(types) == len(branches):
		return fmt.Sprintf("expected %s: found %s", strings.Join(slices.Compact(types), " or "), finding.QuoteValue(c.v))
	case len(values) >= len(branches) && len(types) == 0:
		at := w.at(place)
		where := ""
		if at != c.v {
			where = fmt.Sprintf("the member %s ", finding.Quote(at.Name()))
		}
		return where + mustBeOneOf(slices.All(values), finding.QuoteValue(at), at.Text())
	default:
		return fmt.Sprintf("matches none of the %d alternatives that the schema allows: found %s", len(branches), finding.QuoteValue(c.v))
	}
}

// rivals are the members of which a oneOf wants one, and which all are there.
func (w *wording) rivals(c cause) []string {
	var names []string
	for _, branch := range w.schema.locate(c.err.AbsoluteKeywordLocation).Elements() {
		required := branch.Get("required")
		for _, name := range required.Elements() {
			if required.Len() == 1 && c.v.Get(name.Text()).Exists() {
				names = append(names, finding.Quote(name.Text()))
			}
		}
	}
	return names
}

// refusals returns the errors by which a branch refuses the value at location
// as such: by its type or as not one of the values allowed, or by the constants
// that its members do not have.
func refusals(e *jsonschema.ValidationError, location string) []*jsonschema.ValidationError {
	inside := strings.Count(strings.TrimPrefix(e.InstanceLocation, location), "/")
	if inside > 1 {
		return nil
	}
	if len(e.Causes) == 0 {
		keyword, _ := keywordOf(e)
		if keyword == "const" || keyword == "enum" || keyword == "type" && inside == 0 {
			return []*jsonschema.ValidationError{e}
		}
		return nil
	}
	var all []*jsonschema.ValidationError
	for _, inner := range e.Causes {
		found := refusals(inner, location)
		if len(found) == 0 && isChoice(e) {
			return nil // one alternative would do
		}
		all = append(all, found...)
	}
	return all
}

// lacks reports whether all that a branch misses is one required member of the
// value at location.
func lacks(e *jsonschema.ValidationError, location string) (*jsonschema.ValidationError, bool) {
	for len(e.Causes) == 1 {
		e = e.Causes[0]
	}
	keyword, _ := keywordOf(e)
	return e, len(e.Causes) == 0 && keyword == "required" && e.InstanceLocation == location && !strings.Contains(e.Message, "', '")
}

func depth(e *jsonschema.ValidationError) int {
	d := strings.Count(e.InstanceLocation, "/")
	for _, inner := range e.Causes {
		d = max(d, depth(inner))
	}
	return d
}
