package schema

import (
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An explainer finds the reasons why a document is invalid, schema by schema. It is slower than a [Run].
type explainer struct {
	program *Program
	limit   int // maximum number of causes of one value
	steps   int // number of schemas applied so far
	// known are the answers that took long. Branches that share schemas repeat the same questions,
	// twice as often at each level of the document.
	known  map[question]failures
	kept   int // number of causes in known
	scopes map[scope]*scope
	// undecided are causes of patterns without an answer. If a schema must not hold, the causes in it
	// are hidden, and must not make it hold.
	undecided []Cause
}

// undecide adds the cause of a pattern that took too many steps.
func (e *explainer) undecide(f *failures, c Cause) {
	c.Undecided = true
	f.add(c)
	if len(e.undecided) < e.limit {
		e.undecided = append(e.undecided, c)
	}
}

// A question asks why a value is invalid under a schema.
type question struct {
	schema *node
	value  jsonstream.Value
	scope  *scope
}

// A scope is the list of resources that led to a schema, without duplicates. It is kept only for
// schemas with dynamic references.
type scope struct {
	outer    *scope
	resource *resource
}

// enter returns the scope of a resource inside outer. Scopes are unique for the same resources, so
// that questions can be compared.
func (e *explainer) enter(outer *scope, r *resource) *scope {
	for s := outer; s != nil; s = s.outer {
		if s.resource == r {
			return outer
		}
	}
	inner := scope{outer, r}
	if e.scopes[inner] == nil {
		e.scopes[inner] = &inner
	}
	return e.scopes[inner]
}

// follow returns the target of a dynamic reference in a scope.
func (e *explainer) follow(d *dynamic, s *scope) *node {
	target := d.first
	for ; s != nil; s = s.outer {
		if schema, ok := s.resource.document.dynamic[anchor{s.resource, d.name}]; ok {
			target = e.program.nodes[schema]
		}
	}
	return target
}

const (
	longAnswer = 64      // minimum steps of a cached answer
	maxKept    = 1 << 16 // maximum number of causes cached
)

// Explain returns the reasons why a document is invalid, at most limit, in the order of the values'
// positions; none if it is valid. A document whose only doubt is an undecided pattern is not valid: its
// causes have Undecided set. The document must have no number that [jsonstream.SafeNumber] rejects.
func (p *Program) Explain(v jsonstream.Value, limit int) []Cause {
	e := explainer{program: p, limit: limit, known: map[question]failures{}, scopes: map[scope]*scope{}}
	var f failures
	e.check(&f, p.schema, target{value: v, depth: depthOf(v)}, "")
	if f.causes == nil {
		f.causes = e.undecided
	}
	sortCauses(f.causes)
	return f.causes[:min(len(f.causes), limit)]
}

func depthOf(v jsonstream.Value) int {
	depth := 0
	for v = v.Parent(); v.Exists(); v = v.Parent() {
		depth++
	}
	return depth
}

// A target is a value that a schema applies to, or the name of a member.
type target struct {
	value  jsonstream.Value
	isName bool
	depth  int
	scope  *scope
}

func (s target) kind() jsonstream.Kind {
	if s.isName {
		return jsonstream.String
	}
	return s.value.Kind()
}

func (s target) text() string {
	if s.isName {
		return s.value.Name()
	}
	return s.value.Text()
}

// raw returns the text of a string with its quotes.
func (s target) raw() []byte {
	if s.isName {
		return s.value.RawName()
	}
	return s.value.Raw()
}

func (s target) below(v jsonstream.Value) target { return target{v, false, s.depth + 1, s.scope} }

// types returns the types of the target.
func (s target) types() types {
	if kind := s.kind(); kind != jsonstream.Number {
		return typesOfKind[kindIndex(kind)]
	}
	if jsonstream.IsInteger(s.value.Raw()) {
		return isInt
	}
	return isFraction
}

func (s target) equals(v jsonstream.Value) bool {
	if s.isName {
		return v.Kind() == jsonstream.String && v.Text() == s.text()
	}
	return equal.Values(s.value, v)
}

// cause returns the cause for a target that violates a rule of a schema.
func (n *node) cause(s target, keyword string, rule jsonstream.Value) Cause {
	return Cause{Value: s.value, OfName: s.isName, Keyword: keyword, Rule: rule, url: n.resource.document.root.url, depth: s.depth}
}

// check adds the reasons why a target is invalid under a schema. via is the keyword that led to it.
func (e *explainer) check(f *failures, n *node, s target, via string) {
	if len(f.causes) >= e.limit {
		return
	}
	if e.program.dynamic {
		s.scope = e.enter(s.scope, n.resource)
	}
	q := question{n, s.value, s.scope}
	if answer, ok := e.known[q]; ok && !s.isName {
		f.addAll(answer)
		return
	}
	before := e.steps
	e.steps++
	var own failures
	e.apply(&own, n, s, via)
	if e.steps-before >= longAnswer && !s.isName {
		if e.kept += len(own.causes); e.kept > maxKept {
			clear(e.known)
			e.kept = len(own.causes)
		}
		e.known[q] = own
	}
	f.addAll(own)
}

func (e *explainer) apply(f *failures, n *node, s target, via string) {
	switch {
	case n.value.Kind() == jsonstream.False:
		f.add(n.cause(s, via, n.value))
		return
	case n.types&s.types() == 0:
		f.add(n.cause(s, "type", n.value.Get("type"))) // the other keywords are for other types
		return
	}
	for keyword, rule := range n.value.Members() {
		if n.has(keyword) && !n.holds(keyword, rule, s) {
			f.add(n.cause(s, keyword, rule))
		}
	}
	switch s.kind() {
	case jsonstream.String:
		if n.pattern != nil {
			c := n.cause(s, "pattern", n.value.Get("pattern"))
			switch matched, ok := n.pattern.match([]byte(s.text())); {
			case !ok:
				e.undecide(f, c)
			case !matched:
				f.add(c)
			}
		}
	case jsonstream.Number:
		for i := range n.bounds {
			if b := &n.bounds[i]; !b.holds(s.value.Raw()) {
				f.add(n.cause(s, b.keyword, b.rule))
			}
		}
	case jsonstream.Object:
		e.object(f, n, s)
	case jsonstream.Array:
		e.array(f, n, s)
	}
	e.inPlace(f, n, s)
	if n.leftMembers != nil || n.leftElements != nil {
		e.left(f, n, s)
	}
}

// holds evaluates a keyword that depends only on the target.
func (n *node) holds(keyword string, rule jsonstream.Value, s target) bool {
	switch keyword {
	case "const":
		return s.equals(rule)
	case "enum":
		for _, allowed := range rule.Elements() {
			if s.equals(allowed) {
				return true
			}
		}
		return false
	}
	switch s.kind() {
	case jsonstream.String:
		return n.holdsForText(keyword, s.text())
	case jsonstream.Number:
		d := jsonstream.ParseDecimal(s.value.Raw())
		return keyword != "multipleOf" || d.IsMultipleOf(n.multiple)
	case jsonstream.Object:
		return keyword != "minProperties" && keyword != "maxProperties" || n.size.allows(keyword, s.value.Len())
	case jsonstream.Array:
		return keyword != "minItems" && keyword != "maxItems" || n.length.allows(keyword, s.value.Len())
	default:
		return true
	}
}

func (n *node) holdsForText(keyword, text string) bool {
	switch keyword {
	case "minLength", "maxLength":
		return n.characters.allows(keyword, utf8.RuneCountInString(text))
	case "format":
		return n.format == nil || n.format.has(text)
	default:
		return true
	}
}

// object checks the members.
func (e *explainer) object(f *failures, n *node, s target) {
	for keyword, rule := range n.value.Members() {
		switch {
		case !n.has(keyword):
		case keyword == "required":
			n.missing(f, s, keyword, rule)
		case keyword == "dependentRequired" || keyword == "dependencies":
			for name, names := range rule.Members() {
				if names.Kind() == jsonstream.Array && s.value.Get(name).Exists() {
					n.missing(f, s, keyword, names)
				}
			}
		}
	}
	if n.properties == nil && n.patterns == nil && n.additional == nil && n.nameSchema == nil {
		return
	}
	for name, member := range s.value.Members() {
		named := n.byName[name]
		if named != nil {
			e.check(f, named, s.below(member), "properties")
		}
		for _, p := range n.patterns {
			matched, ok := p.pattern.match([]byte(name))
			if matched {
				named = p.node
				e.check(f, named, s.below(member), "patternProperties")
			}
			if !ok {
				c := n.cause(s, "patternProperties", p.node.value)
				c.Place = member
				e.undecide(f, c)
			}
		}
		if named == nil && n.additional != nil {
			e.other(f, n, s, "additionalProperties", n.additional[0], member)
		}
		for _, schema := range n.nameSchema {
			e.check(f, schema, target{member, true, s.depth + 1, s.scope}, "propertyNames")
		}
		if len(f.causes) >= e.limit {
			return
		}
	}
}

func (n *node) missing(f *failures, s target, keyword string, names jsonstream.Value) {
	for _, name := range names.Elements() {
		if !s.value.Get(name.Text()).Exists() {
			f.add(n.cause(s, keyword, name))
		}
	}
}

// other checks a member not covered by other keywords.
func (e *explainer) other(f *failures, n *node, s target, keyword string, schema *node, member jsonstream.Value) {
	if schema.value.Kind() != jsonstream.False {
		e.check(f, schema, s.below(member), keyword)
		return
	}
	c := n.cause(s, keyword, schema.value)
	c.Place = member
	f.add(c)
}

// array checks the elements.
func (e *explainer) array(f *failures, n *node, s target) {
	if n.isUnique {
		if earlier, again := firstRepeated(s.value); again.Exists() {
			c := n.cause(s, "uniqueItems", n.value.Get("uniqueItems"))
			c.Place, c.Earlier = again, earlier
			f.add(c)
		}
	}
	for _, name := range n.uniqueKeys {
		repeatedKeys(map[string]jsonstream.Value{}, s.value, name, func(earlier, key jsonstream.Value) bool {
			c := n.cause(s, "uniqueKeys", n.value.Get("uniqueKeys"))
			c.Place, c.Earlier = key, earlier
			f.add(c)
			return len(f.causes) < e.limit
		})
	}
	if n.prefix != nil || n.items != nil {
		inPrefix, after := n.itemKeywords()
		for i, element := range s.value.Elements() {
			switch {
			case len(f.causes) >= e.limit:
				return
			case i < len(n.prefix):
				e.check(f, n.prefix[i], s.below(element), inPrefix)
			case n.items != nil:
				e.check(f, n.items[0], s.below(element), after)
			}
		}
	}
	if n.contains != nil {
		e.contains(f, n, s)
	}
}

// itemKeywords returns the keywords for the first elements and for the elements after them.
func (n *node) itemKeywords() (inPrefix, after string) {
	if n.value.Get("items").Kind() == jsonstream.Array {
		return "items", "additionalItems"
	}
	return "prefixItems", "items"
}

func (e *explainer) contains(f *failures, n *node, s target) {
	found := 0
	for _, element := range s.value.Elements() {
		if !e.fails(n.contains[0], s.below(element)) {
			found++
		}
	}
	report := func(keyword string) {
		c := n.cause(s, keyword, n.value.Get(keyword))
		c.Found = found
		f.add(c)
	}
	switch {
	case found >= n.matches.min:
	case n.has("minContains") && n.value.Get("minContains").Exists():
		report("minContains")
	default:
		report("contains")
	}
	if found > n.matches.max {
		report("maxContains")
	}
}

// fails reports whether a schema does not hold.
func (e *explainer) fails(n *node, s target) bool {
	var f failures
	e.check(&f, n, s, "")
	return len(f.causes) > 0
}

// inPlace checks the subschemas that apply to the target itself.
func (e *explainer) inPlace(f *failures, n *node, s target) {
	for _, other := range n.together {
		via := "allOf"
		if other == n.reference {
			via = "$ref"
		}
		e.check(f, other, s, via)
	}
	if n.dynamic != nil {
		e.check(f, e.follow(n.dynamic, s.scope), s, "$dynamicRef")
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := n.value.Get(keyword); branches.Exists() && n.has(keyword) {
			e.choice(f, n, s, keyword, branches)
		}
	}
	for _, not := range n.not {
		if !e.fails(not, s) {
			f.add(n.cause(s, "not", not.value))
		}
	}
	for _, condition := range n.yes {
		via, branch := "then", n.then
		if (n.then != nil || n.other != nil) && e.fails(condition, s) {
			via, branch = "else", n.other
		}
		for _, schema := range branch {
			e.check(f, schema, s, via)
		}
	}
	for _, d := range n.dependents {
		if d.node != nil && s.kind() == jsonstream.Object && s.value.Get(d.name).Exists() {
			e.check(f, d.node, s, d.keyword)
		}
	}
}

// choice checks the branches of anyOf or oneOf.
func (e *explainer) choice(f *failures, n *node, s target, keyword string, branches jsonstream.Value) {
	held := 0
	var failed []failures
	for _, schema := range branches.Elements() {
		var b failures
		if e.check(&b, e.program.nodes[schema], s, keyword); len(b.causes) == 0 {
			held++
		}
		failed = append(failed, b)
	}
	switch {
	case held == 0:
		f.choose(n.cause(s, keyword, branches), failed)
	case held > 1 && keyword == "oneOf":
		f.add(n.cause(s, keyword, branches))
	}
}
