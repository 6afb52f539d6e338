package schema

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A resource is a schema with its own URL: a document, or a part with $id.
type resource struct {
	url      string
	value    jsonstream.Value
	document *document
	dialect  *dialect
}

// A document is a schema document.
type document struct {
	text *jsonstream.Document
	root *resource
	// identified are the resources, and anchors the named schemas, at the places of schemas.
	identified map[jsonstream.Value]*resource
	anchors    map[anchor]jsonstream.Value
	dynamic    map[anchor]jsonstream.Value // by $dynamicAnchor and, without a name, $recursiveAnchor
}

type anchor struct {
	resource *resource
	name     string
}

// MaxObjects is the maximum number of objects in the documents of one schema.
const MaxObjects = 1 << 15

// document parses the identifiers of a schema document. fallback is its dialect if it has no
// $schema.
func (c *compiler) document(address string, d *jsonstream.Document, fallback *dialect) *resource {
	address, _, _ = strings.Cut(address, "#")
	doc := &document{text: d, identified: map[jsonstream.Value]*resource{}, anchors: map[anchor]jsonstream.Value{}, dynamic: map[anchor]jsonstream.Value{}}
	doc.root = &resource{url: address, value: d.Root(), document: doc}
	doc.identified[doc.root.value] = doc.root
	c.documents[address] = doc
	if !c.options.Trusted && !c.measure(d) {
		doc.root.dialect = fallback
		return doc.root
	}
	doc.root.dialect = c.dialectOf(d.Root(), fallback)
	if !c.options.Trusted && c.err == nil {
		c.check(doc.root)
	}
	c.identify(doc.root)
	c.list(doc.root.value, doc.root)
	return doc.root
}

// measure reports whether a document is within the compiler's limits.
func (c *compiler) measure(d *jsonstream.Document) bool {
	if err := jsonstream.CheckNumbers(d.Root()); err != nil {
		c.fail(err)
		return false
	}
	for v := range d.Root().All() {
		if v.Kind() == jsonstream.Object {
			c.objects++
		}
	}
	if c.objects > MaxObjects {
		c.reject("", d.Root(), fmt.Sprintf("more than %d objects, including the schemas that it refers to: split the schema, or remove unused parts", MaxObjects))
	}
	return c.err == nil
}

// check validates a document against its metaschemas.
func (c *compiler) check(root *resource) {
	programs, err := c.metaschemas(root.dialect)
	if err != nil {
		c.fail(err)
		return
	}
	for _, p := range programs {
		if causes := p.Explain(root.value, 1); len(causes) > 0 {
			c.fail(&InvalidError{causes[0]})
		}
	}
}

// identify sets the URL of a resource from its $id.
func (c *compiler) identify(r *resource) {
	id, _, _ := strings.Cut(r.idOf(r.value), "#")
	if id == "" {
		return
	}
	resolved, ok := resolveURL(r.url, id)
	if !ok {
		c.reject(r.dialect.idKeyword(), r.value, "not a URL: found "+id)
	}
	r.url, _, _ = strings.Cut(resolved, "#")
}

// idOf returns the $id of a schema in the resource, "" if it has none.
func (r *resource) idOf(schema jsonstream.Value) string {
	if r.dialect.refExcludes() && schema.Get("$ref").Exists() {
		return ""
	}
	return schema.Get(r.dialect.idKeyword()).Text()
}

// plainFragment has the bytes of most fragments, which need no decoding.
const plainFragment = "/$_-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// resolveURL resolves a reference; ok is false if that is not possible.
func resolveURL(base, ref string) (resolved string, ok bool) {
	if strings.HasPrefix(ref, "#") && strings.Trim(ref[1:], plainFragment) == "" {
		return base + ref, true
	}
	u, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	if u.IsAbs() {
		return ref, true
	}
	if strings.HasPrefix(base, "urn:") {
		return base + ref, strings.HasPrefix(ref, "#")
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	return b.ResolveReference(u).String(), true
}

// A place is the place of schemas in a keyword's value.
type place uint8

const (
	inItself place = 1 << iota
	inMembers
	inElements
)

// places returns the place of schemas in a keyword.
func places(keyword string) place {
	switch keyword {
	case "not", "if", "then", "else", "additionalProperties", "additionalItems", "propertyNames", "contains",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema":
		return inItself
	case "items":
		return inItself | inElements
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return inElements
	case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies":
		return inMembers
	default:
		return 0
	}
}

// list records the resources and anchors of a schema and its subschemas.
func (c *compiler) list(schema jsonstream.Value, within *resource) {
	type open struct {
		schema   jsonstream.Value
		resource *resource
	}
	todo := []open{{schema, within}}
	for len(todo) > 0 && c.err == nil {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d := at.resource.document
		id := at.resource.idOf(at.schema)
		if id != "" && !strings.HasPrefix(id, "#") && d.identified[at.schema] == nil {
			at.resource = &resource{at.resource.url, at.schema, d, c.dialectOf(at.schema, at.resource.dialect)}
			c.identify(at.resource)
			d.identified[at.schema] = at.resource
		}
		if _, name, _ := strings.Cut(id, "#"); at.resource.dialect.version <= 7 {
			c.name(at.resource, at.resource.dialect.idKeyword(), name, at.schema)
		}
		for keyword, value := range at.schema.Members() {
			if !at.resource.dialect.has(keyword) {
				continue
			}
			if keyword == "$anchor" || keyword == "$dynamicAnchor" {
				c.name(at.resource, keyword, value.Text(), at.schema)
			}
			if keyword == "$recursiveAnchor" && value.Kind() == jsonstream.True {
				d.dynamic[anchor{at.resource, ""}] = at.resource.value
			}
			for _, inner := range schemasIn(keyword, value) {
				todo = append(todo, open{inner, at.resource})
			}
		}
	}
}

// name records a schema's fragment.
func (c *compiler) name(r *resource, keyword, fragment string, schema jsonstream.Value) {
	if fragment == "" || strings.HasPrefix(fragment, "/") {
		return
	}
	name := anchor{r, fragment}
	if taken, ok := r.document.anchors[name]; ok && taken != schema {
		c.reject(keyword, schema, "another schema has the name "+fragment+": give each its own")
	}
	r.document.anchors[name] = schema
	if keyword == "$dynamicAnchor" {
		r.document.dynamic[name] = schema
	}
}

// schemasIn returns the schemas in a keyword's value.
func schemasIn(keyword string, value jsonstream.Value) []jsonstream.Value {
	where := places(keyword)
	var list []jsonstream.Value
	if where&inItself != 0 && value.Kind() == jsonstream.Object {
		list = append(list, value)
	}
	if where&inMembers != 0 {
		for _, schema := range value.Members() {
			list = append(list, schema)
		}
	}
	if where&inElements != 0 {
		for _, schema := range value.Elements() {
			list = append(list, schema)
		}
	}
	return list
}

// resourceOf returns the innermost resource that contains a schema.
func (d *document) resourceOf(schema jsonstream.Value) *resource {
	if len(d.identified) == 1 {
		return d.root
	}
	for d.identified[schema] == nil {
		schema = schema.Parent()
	}
	return d.identified[schema]
}

// follow returns the target of a reference in from. If there is none, it returns from.
func (c *compiler) follow(from *node, keyword, ref string) *node {
	resolved, ok := resolveURL(from.resource.url, ref)
	address, fragment, _ := strings.Cut(resolved, "#")
	if !ok {
		c.reject(keyword, from.value, "not a URL: found "+ref)
		return from
	}
	target := c.find(from.resource.document, address)
	if target == nil {
		text, err := c.read(address)
		if err != nil {
			c.fail(fmt.Errorf("%s: %s: %s: %w", c.locate(from.value), keyword, address, err))
			return from
		}
		target = c.document(address, text, from.resource.dialect)
	}
	fragment, err := url.PathUnescape(fragment)
	schema := target.value
	switch {
	case fragment == "" && err == nil:
	case strings.HasPrefix(fragment, "/"):
		schema = target.value.At(fragment)
	default:
		schema = target.document.anchors[anchor{target, fragment}]
	}
	if !schema.Exists() {
		c.reject(keyword, from.value, "leads to no schema: found "+ref)
		return from
	}
	d := target.document
	if !d.belongs(schema) && d.identified[schema] == nil {
		c.list(schema, d.resourceOf(schema))
	}
	return c.nodeIn(d, schema)
}

// find returns the resource with a URL, nil if no document has it. It searches the referring
// document first.
func (c *compiler) find(from *document, address string) *resource {
	if r := from.find(address); r != nil {
		return r
	}
	if d := c.documents[address]; d != nil {
		return d.root
	}
	for _, name := range slices.Sorted(maps.Keys(c.documents)) {
		if r := c.documents[name].find(address); r != nil {
			return r
		}
	}
	return nil
}

// find returns the resource with a URL, nil if there is none.
func (d *document) find(address string) *resource {
	if d.root.url == address {
		return d.root
	}
	var found *resource
	for _, r := range d.identified {
		if r.url == address && (found == nil || r.value.Position().Offset < found.value.Position().Offset) {
			found = r
		}
	}
	return found
}

// read returns the document at a URL.
func (c *compiler) read(address string) (*jsonstream.Document, error) {
	if d := c.documents[address]; d != nil {
		return d.text, nil
	}
	if text, err := standardSchema(address); err == nil {
		return text, nil
	}
	if c.options.Load == nil {
		return nil, errors.New("references to other schemas are not followed here")
	}
	return c.options.Load(address)
}

// holds reports whether a value is in the document.
func (d *document) holds(v jsonstream.Value) bool {
	for parent := v.Parent(); parent.Exists(); parent = v.Parent() {
		v = parent
	}
	return v == d.root.value
}

// belongs reports whether a value is at the place of a schema.
func (d *document) belongs(schema jsonstream.Value) bool {
	for schema != d.root.value {
		parent := schema.Parent()
		if places(schema.Name())&inItself == 0 || schema.RawName() == nil {
			where := inMembers
			if schema.RawName() == nil {
				where = inElements
			}
			if places(parent.Name())&where == 0 || parent.RawName() == nil {
				return false
			}
			parent = parent.Parent()
		}
		schema = parent
	}
	return true
}
