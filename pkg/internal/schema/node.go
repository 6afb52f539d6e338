package schema

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A types is a set of JSON types; integers and other numbers are separate types.
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

// typeOf returns the type with a name, 0 if there is none.
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

// A node is a schema in its document, or one derived from enum and const. Absent keywords are nil
// or the zero value.
type node struct {
	id       int
	value    jsonstream.Value
	resource *resource
	parsed   bool

	// The subschemas that apply to the same value (inPlace), or to its members or elements
	// (inside).
	inPlace, inside []*node
	surveyed        bool
	busy            bool // the height is being measured: meeting the node again is a loop
	height          int  // nesting depth of schemas in place; 0 before it is measured

	types types
	// values are the scalars of enum and const: a value must be in each of them.
	values []*values

	// In place.
	reference        *node     // $ref
	dynamic          *dynamic  // $dynamicRef, $recursiveRef
	together         []*node   // $ref, allOf
	any              [][]*node // anyOf; enum with objects or arrays
	one              []*node
	not              []*node // at most one, as in the next three
	yes, then, other []*node // if, then, else
	dependents       []dependent

	// Of objects.
	size        *limits
	required    []string
	properties  []property
	byName      map[string]*node // by name
	patterns    []patternSchema
	additional  []*node // at most one
	nameSchema  []*node // at most one
	leftMembers []*node // unevaluatedProperties: at most one
	isClosed    bool    // it lists members and has no rule for others: see close

	// Of arrays.
	length       *limits
	prefix       []*node
	items        []*node // at most one
	contains     []*node // at most one
	leftElements []*node // unevaluatedItems: at most one
	matches      limits  // number of elements that match contains
	isUnique     bool
	uniqueKeys   []string

	// Of strings and numbers.
	characters *limits
	pattern    *pattern
	format     *format
	bounds     []bound
	multiple   *jsonstream.Decimal
}

// limits are a minimum and a maximum count; there is always a maximum.
type limits struct{ min, max int }

// allows checks one of the two keywords of the limits.
func (l *limits) allows(keyword string, n int) bool {
	if strings.HasPrefix(keyword, "min") {
		return n >= l.min
	}
	return n <= l.max
}

// values are scalars: literals are the types that need no further check.
type values struct {
	literals types
	texts    map[string]bool      // nil if there is none
	numbers  []jsonstream.Decimal // sorted
}

type property struct {
	name string
	node *node
}

type patternSchema struct {
	pattern *pattern
	node    *node
}

// A dependent is a requirement if a member is present.
type dependent struct {
	keyword  string
	name     string
	required []string
	node     *node // nil, or a schema for the object
}

// A dynamic reference leads to the schema with the name in the outermost resource that led to the
// reference.
type dynamic struct {
	first *node  // the target if no other resource has the name
	name  string // of the $dynamicAnchor; "" for $recursiveRef
}

// A bound is a limit for numbers: rejected is the disallowed result of comparing with it; equal
// reports whether equality is allowed.
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

// parse parses the keywords of a node on first use.
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

// A parser parses the keywords of one schema.
type parser struct {
	*compiler
	node    *node
	keyword string
}

func (p *parser) reject(problem string) { p.compiler.reject(p.keyword, p.node.value, problem) }

// has reports whether the schema has a keyword that is defined in its dialect.
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
			n.patterns = append(n.patterns, patternSchema{p.patternOf(expr), p.schema(schema)[0]})
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
		p.uncovered(p.keyword, n.value, "depends on the results of other keywords for the members")
	case "unevaluatedItems":
		n.leftElements = p.schema(v)
		p.uncovered(p.keyword, n.value, "depends on the results of other keywords for the elements")
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

// finish combines related keywords.
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
