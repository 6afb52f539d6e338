package validate

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// wording turns the library's tree of errors into findings: one plain sentence
// per cause, worded from the schema and the document themselves.
type wording struct {
	schema   *Schema
	root     jsonstream.Value
	children map[jsonstream.Value]children // of the objects and arrays looked into
	findings []finding.Finding
}

// children are what an object or array holds: looking through it once per cause
// would cost the square of a hostile document.
type children struct {
	members  map[string]jsonstream.Value
	elements []jsonstream.Value
}

// A cause is one error of the library that has no further cause.
type cause struct {
	err     *jsonschema.ValidationError
	v       jsonstream.Value // at fault
	keyword string           // that failed
	ofName  bool             // it failed for the name of v
	offset  int64            // of v
}

// explain words a tree of errors. It gives one finding at least.
func (w *wording) explain(tree *jsonschema.ValidationError) []finding.Finding {
	causes := w.causes(nil, tree)
	// The library goes through objects in random order.
	slices.SortFunc(causes, func(a, b cause) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset),
			strings.Compare(a.err.AbsoluteKeywordLocation, b.err.AbsoluteKeywordLocation),
			strings.Compare(a.err.Message, b.err.Message))
	})
	for _, c := range causes {
		w.leaf(c)
		if len(w.findings) >= mostFindings {
			w.findings = w.findings[:mostFindings]
			break
		}
	}
	w.findings = withoutEchoes(w.findings)
	sortByPlace(w.findings)
	return w.findings
}

// withoutEchoes removes the findings about unknown members that another finding
// explains as misspelt required ones, and those that say the same again.
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

// isClosing reports whether a keyword closes objects to unknown members.
func isClosing(keyword string) bool {
	return keyword == "additionalProperties" || keyword == "unevaluatedProperties"
}

func (w *wording) add(v jsonstream.Value, keyword, problem string) {
	w.findings = append(w.findings, schemaFinding(keyword, problem).On(v))
}

// causes appends the causes of e.
func (w *wording) causes(causes []cause, e *jsonschema.ValidationError) []cause {
	keyword, ofName := keywordOf(e)
	if isChoice(e) && len(e.Causes) > 0 {
		if meant := meantBranch(e); meant != nil {
			return w.causes(causes, meant)
		}
	} else if len(e.Causes) > 0 && keyword != "minContains" {
		for _, inner := range e.Causes {
			causes = w.causes(causes, inner)
		}
		return causes
	}
	v := w.at(e.InstanceLocation)
	return append(causes, cause{e, v, keyword, ofName, v.Position().Offset})
}

// at returns the value at a location, which the library escapes like a URL. Where
// a member has the name "" the library leaves it out: then it is the value
// around the one that was meant.
func (w *wording) at(location string) jsonstream.Value {
	pointer, err := url.PathUnescape(location)
	tokens, ok := jsonstream.SplitPointer(pointer)
	if err != nil || !ok {
		return w.root
	}
	v := w.root
	for _, token := range tokens {
		inner := w.child(v, token)
		if !inner.Exists() {
			break
		}
		v = inner
	}
	return v
}

func (w *wording) child(v jsonstream.Value, token string) jsonstream.Value {
	if w.children == nil {
		w.children = map[jsonstream.Value]children{}
	}
	held := w.children[v]
	if v.Kind() == jsonstream.Object {
		if held.members == nil {
			held.members = make(map[string]jsonstream.Value, v.Len())
			for name, member := range v.Members() {
				held.members[name] = member
			}
			w.children[v] = held
		}
		return held.members[token]
	}
	i, err := strconv.Atoi(token)
	if err != nil {
		return jsonstream.Value{}
	}
	if i >= len(held.elements) {
		held.elements = firstElements(v, max(i+1, 2*len(held.elements), longArray))
		w.children[v] = held
	}
	if i < len(held.elements) {
		return held.elements[i]
	}
	return jsonstream.Value{}
}

func firstElements(v jsonstream.Value, most int) []jsonstream.Value {
	var first []jsonstream.Value
	for i, element := range v.Elements() {
		if i == most {
			break
		}
		first = append(first, element)
	}
	return first
}

// keywordOf returns the keyword that failed, for a schema that is just false the
// keyword that led to it, and whether it failed for the name of a member.
func keywordOf(e *jsonschema.ValidationError) (keyword string, ofName bool) {
	tokens := strings.Split(e.KeywordLocation, "/")[1:]
	for i := 0; i < len(tokens); i++ {
		if tokens[i] != "" && strings.Trim(tokens[i], "0123456789") == "" {
			continue // an index
		}
		keyword = tokens[i]
		ofName = ofName || keyword == "propertyNames"
		switch keyword {
		case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies":
			i++ // a member's name, whatever it looks like
		}
	}
	return keyword, ofName
}

// leaf explains one cause.
func (w *wording) leaf(c cause) {
	rule := w.schema.locate(c.err.AbsoluteKeywordLocation) // the keyword's value
	schema := rule.Parent()
	before := len(w.findings)
	switch {
	case c.ofName:
		f := schemaFinding(c.keyword, "the member's name: "+problem(c, rule, schema))
		w.findings = append(w.findings, f.OnName(c.v))
	case isChoice(c.err):
		w.add(c.v, c.keyword, w.noBranch(c))
	case c.keyword == "required":
		w.missing(c.v, rule, schema)
	case c.keyword == "additionalProperties" && rule.Kind() == jsonstream.False:
		w.unknown(c.v, schema)
	case rule.Kind() == jsonstream.False && isClosing(c.keyword):
		f := schemaFinding(c.keyword, unknownProblem(c.v.Name(), propertyNames(schema)))
		w.findings = append(w.findings, f.OnName(c.v))
	case c.keyword == "uniqueKeys":
		w.repeated(c.v, rule)
	case c.keyword == "uniqueItems":
		w.equal(c)
	case c.keyword == "minContains" && !rule.Exists():
		w.add(c.v, "contains", "must have an element that matches the schema's contains: found none")
	default:
		w.add(c.v, cmp.Or(c.keyword, "false"), problem(c, rule, schema))
	}
	if len(w.findings) == before {
		w.add(c.v, c.keyword, brokenRule(c)) // an invalid document must not look valid
	}
}

// brokenRule is the last resort for words: those of the library can hold
// anything from the document.
func brokenRule(c cause) string {
	return fmt.Sprintf("breaks the rule %q of the schema: found %s", c.keyword, finding.QuoteValue(c.v))
}

// equal names the first two elements that are equal.
func (w *wording) equal(c cause) {
	var first, second int
	if _, err := fmt.Sscanf(c.err.Message, "items at index %d and %d", &first, &second); err != nil {
		return
	}
	a, b := w.child(c.v, strconv.Itoa(first)), w.child(c.v, strconv.Itoa(second))
	w.add(b, c.keyword, equalProblem(a))
}

// missing names the required members that v lacks; a member that is a misspelt
// one of them is what the finding is about.
func (w *wording) missing(v, required, schema jsonstream.Value) {
	properties := schema.Get("properties")
	for _, element := range required.Elements() {
		name := element.Text()
		if v.Get(name).Exists() {
			continue
		}
		if member := misspelt(v, name, properties); member.Exists() {
			f := schemaFinding("required", fmt.Sprintf("the required member %q is missing; found %s: did you mean %q?", name, finding.Quote(member.Name()), name))
			w.findings = append(w.findings, f.OnName(member))
			continue
		}
		w.add(v, "required", fmt.Sprintf("the required member %q is missing: add it", name))
	}
}

// misspelt returns the member of v that is closest to a name that v lacks, if
// one is close and is no name of its own.
func misspelt(v jsonstream.Value, name string, properties jsonstream.Value) jsonstream.Value {
	looked := 0
	for given, member := range v.Members() {
		if closeTo(given, name) && !properties.Get(given).Exists() {
			return member
		}
		if looked++; looked == mostFindings {
			break
		}
	}
	return jsonstream.Value{}
}

// unknown names the members of v that a closed object does not allow.
func (w *wording) unknown(v, schema jsonstream.Value) {
	known := propertyNames(schema)
	var patterns []*regexp.Regexp
	for pattern := range schema.Get("patternProperties").Members() {
		if re, err := regexp.Compile(pattern); err == nil { // else the schema did not compile
			patterns = append(patterns, re)
		}
	}
	for name, member := range v.Members() {
		if slices.Contains(known, name) || slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) }) {
			continue
		}
		f := schemaFinding("additionalProperties", unknownProblem(name, known))
		if w.findings = append(w.findings, f.OnName(member)); len(w.findings) >= mostFindings {
			return
		}
	}
}

func propertyNames(schema jsonstream.Value) []string {
	var names []string
	for name := range schema.Get("properties").Members() {
		names = append(names, name)
	}
	return names
}

func unknownProblem(name string, known []string) string {
	return fmt.Sprintf("unknown member %s%s", finding.Quote(name), didYouMean(name, known))
}

// repeated names the elements whose key an earlier element has already.
func (w *wording) repeated(v, keys jsonstream.Value) {
	for _, pointer := range keys.Elements() {
		first := map[string]jsonstream.Value{}
		for _, element := range v.Elements() {
			key := element.At(pointer.Text())
			if key.Kind() != jsonstream.String || len(w.findings) >= mostFindings {
				continue
			}
			earlier, again := first[key.Text()]
			if !again {
				first[key.Text()] = element
				continue
			}
			w.add(key, "uniqueKeys", fmt.Sprintf("%s %s is already that of %s: give each its own", key.Name(), finding.QuoteValue(key), finding.Finding{}.On(earlier).Pointer))
		}
	}
}

// repeatedText names the first text in an array that an earlier element is too.
func (w *wording) repeatedText(v jsonstream.Value) {
	first := map[string]jsonstream.Value{}
	for _, element := range v.Elements() {
		if element.Kind() != jsonstream.String {
			continue
		}
		if earlier, again := first[element.Text()]; again {
			w.add(element, "uniqueItems", equalProblem(earlier))
			return
		}
		first[element.Text()] = element
	}
}

func equalProblem(earlier jsonstream.Value) string {
	return fmt.Sprintf("every element must differ from the others: this one equals %s", finding.Finding{}.On(earlier).Pointer)
}
