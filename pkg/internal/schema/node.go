package schema

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A types is a set of JSON types, of which the integers and the other numbers are two.
type types uint8

const (
	isNull types = 1 << iota
	isFalse
	isTrue
	isString
	isInt
	isFraction
	isObject
	isArray
	isBoolean = isFalse | isTrue
	isNumber  = isInt | isFraction
	anyType   = isNull | isBoolean | isString | isNumber | isObject | isArray
)

// typeOf returns the type of a name, 0 if it is none.
func typeOf(name string) types {
	switch name {
	case "null":
		return isNull
	case "boolean":
		return isBoolean
	case "string":
		return isString
	case "integer":
		return isInt
	case "number":
		return isNumber
	case "object":
		return isObject
	case "array":
		return isArray
	default:
		return 0
	}
}

// A node is a schema as its document has it, or what follows from enum and const. What
// is not there is nil, or the zero value.
type node struct {
	id       int
	value    jsonstream.Value
	resource *resource
	parsed   bool

	// The schemas in it that apply to the same value, and those that apply to what the
	// value holds.
	inPlace, inside []*node
	surveyed        bool
	busy            bool // its height is being measured: to meet it again is a loop
	height          int  // the schemas in place, one in the other; 0 before it is measured

	types types
	// values are the scalars of enum and const: a value must be in each.
	values []*values

	// In place.
	reference        *node     // $ref
	dynamic          *dynamic  // $dynamicRef, $recursiveRef
	together         []*node   // $ref, allOf
	any              [][]*node // anyOf, enum with objects or arrays in it
	one              []*node
	not              []*node // at most one, as the three that follow
	yes, then, other []*node // if, then, else
	dependents       []dependent

	// Of objects.
	size        *limits
	required    []string
	properties  []property
	byName      map[string]*node // the same
	patterns    []patterned
	additional  []*node // at most one
	nameSchema  []*node // at most one
	leftMembers []*node // unevaluatedProperties: at most one
	isClosed    bool    // it names members and says nothing about others: see close

	// Of arrays.
	length       *limits
	prefix       []*node
	items        []*node // at most one
	contains     []*node // at most one
	leftElements []*node // unevaluatedItems: at most one
	matches      limits  // how many elements contain it
	isUnique     bool
	uniqueKeys   []string

	// Of strings and numbers.
	characters *limits
	pattern    *pattern
	format     *format
	bounds     []bound
	multiple   *jsonstream.Decimal
}

// limits are a minimum and a maximum of a count; there is always a maximum.
type limits struct{ min, max int }

// allows decides by one of the two keywords that have set the limits.
func (l *limits) allows(keyword string, n int) bool {
	if strings.HasPrefix(keyword, "min") {
		return n >= l.min
	}
	return n <= l.max
}

// values are scalars: literals are the types with nothing more to look at.
type values struct {
	literals types
	texts    map[string]bool      // nil if there is none
	numbers  []jsonstream.Decimal // in order
}

type property struct {
	name string
	node *node
}

type patterned struct {
	pattern *pattern
	node    *node
}

// A dependent says what must hold where a member is there.
type dependent struct {
	keyword  string
	name     string
	required []string
	node     *node // nil, or a schema for the object
}

// A dynamic reference leads to the schema that has the name in the outermost of the resources
// that led to it.
type dynamic struct {
	first *node  // leads there where no other resource has the name
	name  string // of the $dynamicAnchor; "" for $recursiveRef
}

// A bound is a limit for numbers: rejected is the result of comparing with it that is not
// allowed, other than being equal, if equal is not.
type bound struct {
	keyword    string
	rule       jsonstream.Value
	limit      jsonstream.Decimal
	rejected   int
	allowEqual bool
}

func (b *bound) holds(number []byte) bool {
	d := jsonstream.ParseDecimal(number)
	order := d.Compare(&b.limit)
	return order != b.rejected && (order != 0 || b.allowEqual)
}

// nodeIn returns the node of a schema in a document.
func (c *compiler) nodeIn(d *document, schema jsonstream.Value) *node {
	n := c.nodes[schema]
	if n == nil {
		n = c.newNode(schema, d.resourceOf(schema))
		c.nodes[schema] = n
	}
	return n
}

func (c *compiler) newNode(schema jsonstream.Value, r *resource) *node {
	c.count++
	return &node{id: c.count, value: schema, resource: r, types: anyType}
}

// parse reads the keywords of a node when they are first needed.
func (c *compiler) parse(n *node) {
	if n.parsed {
		return
	}
	n.parsed = true
	switch n.value.Kind() {
	case jsonstream.True:
	case jsonstream.False:
		n.types = 0
	case jsonstream.Object:
		p := &parser{compiler: c, node: n}
		for keyword, value := range n.value.Members() {
			if p.keyword = keyword; n.has(keyword) {
				p.read(value)
			}
		}
		p.finish()
	default:
		c.reject("", n.value, "a schema that is neither an object nor true nor false")
	}
}

// A parser reads the keywords of one schema.
type parser struct {
	*compiler
	node    *node
	keyword string
}

func (p *parser) reject(problem string) { p.compiler.reject(p.keyword, p.node.value, problem) }

// has reports whether a keyword of the schema has a meaning in its dialect.
func (n *node) has(keyword string) bool {
	d := n.resource.dialect
	return d.has(keyword) && (keyword == "$ref" || !d.refExcludes() || !n.value.Get("$ref").Exists())
}

func (p *parser) read(v jsonstream.Value) {
	switch p.keyword {
	case "uniqueKeys":
		p.uniqueKeys(v)
	case "type", "enum", "const":
		p.readValues(v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		p.readNumber(v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		p.readLimit(v)
	case "pattern":
		p.node.pattern = p.patternOf(p.text(v))
	case "format":
		p.node.format = p.formatOf(p.text(v))
	case "uniqueItems":
		p.node.isUnique = v.Kind() == jsonstream.True
	case "required":
		p.node.required = p.texts(v)
	case "dependentRequired", "dependentSchemas", "dependencies":
		p.readDependents(v)
	default:
		p.readSchemas(v)
	}
}

func (p *parser) readSchemas(v jsonstream.Value) {
	n := p.node
	switch p.keyword {
	case "$ref":
		n.reference = p.follow(n, p.keyword, p.text(v))
		n.together = append(n.together, n.reference)
		n.inPlace = append(n.inPlace, n.reference)
	case "allOf":
		n.together = append(n.together, p.schemas(v)...)
	case "anyOf":
		n.any = append(n.any, p.schemas(v))
	case "oneOf":
		n.one = p.schemas(v)
	case "not":
		n.not = p.schema(v)
	case "if":
		n.yes = p.schema(v)
	case "then":
		n.then = p.schema(v)
	case "else":
		n.other = p.schema(v)
	case "properties":
		for name, schema := range v.Members() {
			n.addProperty(name, p.schema(schema)[0])
		}
	case "patternProperties":
		for expr, schema := range v.Members() {
			n.patterns = append(n.patterns, patterned{p.patternOf(expr), p.schema(schema)[0]})
		}
	case "additionalProperties":
		n.additional = p.schema(v)
	case "propertyNames":
		n.nameSchema = p.schema(v)
	case "prefixItems":
		n.prefix = p.schemas(v)
	case "items":
		if v.Kind() == jsonstream.Array {
			n.prefix = p.schemas(v)
		} else {
			n.items = p.schema(v)
		}
	case "additionalItems":
		if n.value.Get("items").Kind() == jsonstream.Array {
			n.items = p.schema(v)
		}
	case "unevaluatedProperties":
		n.leftMembers = p.schema(v)
		p.uncovered(p.keyword, n.value, "depends on what other keywords say of the members")
	case "unevaluatedItems":
		n.leftElements = p.schema(v)
		p.uncovered(p.keyword, n.value, "depends on what other keywords say of the elements")
	case "$dynamicRef", "$recursiveRef":
		p.readDynamic(v)
	case "contains":
		n.contains = p.schema(v)
	}
}

func (p *parser) readDynamic(v jsonstream.Value) {
	n := p.node
	first := p.follow(n, p.keyword, p.text(v))
	n.inPlace = append(n.inPlace, first)
	_, name, _ := strings.Cut(v.Text(), "#")
	if first.resource.document.dynamic[anchor{first.resource, name}] != first.value {
		n.together = append(n.together, first)
		return
	}
	n.dynamic = &dynamic{first, name}
	p.uncovered(p.keyword, n.value, "depends on the schemas that led to it")
}

func (n *node) addProperty(name string, schema *node) {
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	n.byName[name] = schema
	n.properties = append(n.properties, property{name, schema})
}

// finish puts together what several keywords say.
func (p *parser) finish() {
	n := p.node
	if n.yes == nil {
		n.then, n.other = nil, nil
	}
	if n.contains != nil && !(n.has("minContains") && n.value.Get("minContains").Exists()) {
		n.matches.min = 1
	}
	if n.contains != nil && !(n.has("maxContains") && n.value.Get("maxContains").Exists()) {
		n.matches.max = maxCount
	}
}

func (p *parser) schema(v jsonstream.Value) []*node {
	n := p.nodeIn(p.node.resource.document, v)
	switch p.keyword {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		p.node.inPlace = append(p.node.inPlace, n)
	default:
		p.node.inside = append(p.node.inside, n)
	}
	return []*node{n}
}

func (p *parser) schemas(v jsonstream.Value) []*node {
	if v.Len() == 0 {
		p.reject("not an array of schemas")
	}
	var nodes []*node
	for _, schema := range v.Elements() {
		nodes = append(nodes, p.schema(schema)...)
	}
	return nodes
}

func (p *parser) text(v jsonstream.Value) string {
	if v.Kind() != jsonstream.String {
		p.reject("not a string")
	}
	return v.Text()
}

func (p *parser) texts(v jsonstream.Value) []string {
	if v.Kind() != jsonstream.Array {
		p.reject("not an array")
	}
	var texts []string
	for _, element := range v.Elements() {
		texts = append(texts, p.text(element))
	}
	return texts
}

func (p *parser) readDependents(v jsonstream.Value) {
	for name, rule := range v.Members() {
		d := dependent{keyword: p.keyword, name: name}
		if rule.Kind() == jsonstream.Array {
			d.required = p.texts(rule)
		} else {
			d.node = p.schema(rule)[0]
		}
		p.node.dependents = append(p.node.dependents, d)
	}
}

func (p *parser) uniqueKeys(v jsonstream.Value) {
	if v.Kind() != jsonstream.Array {
		p.reject("must be an array of JSON Pointers")
	}
	for _, element := range v.Elements() {
		tokens, ok := jsonstream.SplitPointer(element.Text())
		if !ok || len(tokens) != 1 {
			p.reject("not a JSON Pointer to a member: found " + string(element.Raw()))
			return
		}
		p.node.uniqueKeys = append(p.node.uniqueKeys, tokens[0])
	}
}
