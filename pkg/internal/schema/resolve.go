package schema

import (
	"net/url"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A resource is a schema with a URL of its own: a document, or a part with $id.
type resource struct {
	url      string
	value    jsonstream.Value
	document *document
}

// A document is a schema document.
type document struct {
	root *resource
	// identified are the resources, and anchors the named schemas, of the places where
	// schemas belong.
	identified map[jsonstream.Value]*resource
	anchors    map[anchor]jsonstream.Value
}

type anchor struct {
	resource *resource
	name     string
}

const metaschemas = "://json-schema.org/"

// document reads what a schema document says about itself.
func (c *compiler) document(address string, d *jsonstream.Document) *resource {
	address, _, _ = strings.Cut(address, "#")
	doc := &document{identified: map[jsonstream.Value]*resource{}, anchors: map[anchor]jsonstream.Value{}}
	doc.root = &resource{address, d.Root(), doc}
	doc.identified[doc.root.value] = doc.root
	c.documents[address] = doc
	c.identify(doc.root)
	if c.err != nil {
		return doc.root
	}
	if draft := d.Root().Get("$schema"); draft.Exists() && !isOurDraft(draft.Text()) {
		c.uncovered("$schema", d.Root(), "another draft than 2020-12")
	}
	c.list(doc.root)
	return doc.root
}

func isOurDraft(schema string) bool {
	schema = strings.TrimSuffix(schema, "#")
	_, schema, _ = strings.Cut(schema, "://")
	return schema == "json-schema.org/draft/2020-12/schema" || schema == "json-schema.org/schema"
}

// identify gives a resource the URL that its $id resolves to.
func (c *compiler) identify(r *resource) {
	id, fragment, _ := strings.Cut(r.value.Get("$id").Text(), "#")
	if fragment != "" {
		c.uncovered("$id", r.value, "a fragment")
	}
	if id == "" {
		return
	}
	resolved, ok := resolveURL(r.url, id)
	if !ok {
		c.uncovered("$id", r.value, "not a URL")
	}
	r.url, _, _ = strings.Cut(resolved, "#")
}

// plainFragment are the bytes of the fragments of most references, which mean themselves.
const plainFragment = "/$_-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// resolveURL resolves a reference; ok is false if that cannot be done.
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

// A place says where schemas are in a keyword's value.
type place uint8

const (
	inItself place = 1 << iota
	inMembers
	inElements
)

// places are the keywords that hold schemas.
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

// list finds the resources and anchors below and at the beginning of a document.
func (c *compiler) list(root *resource) {
	type open struct {
		schema   jsonstream.Value
		resource *resource
	}
	todo := []open{{root.value, root}}
	for len(todo) > 0 && c.err == nil {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at.schema != root.value && at.schema.Get("$id").Text() != "" {
			at.resource = &resource{at.resource.url, at.schema, root.document}
			c.identify(at.resource)
			root.document.identified[at.schema] = at.resource
		}
		for keyword, value := range at.schema.Members() {
			if keyword == "$anchor" || keyword == "$dynamicAnchor" {
				name := anchor{at.resource, value.Text()}
				if taken, ok := root.document.anchors[name]; ok && taken != at.schema {
					c.uncovered(keyword, at.schema, "a name that another schema has")
				}
				root.document.anchors[name] = at.schema
			}
			where := places(keyword)
			if where&inItself != 0 && value.Kind() == jsonstream.Object {
				todo = append(todo, open{value, at.resource})
			}
			if where&inMembers != 0 {
				for _, schema := range value.Members() {
					todo = append(todo, open{schema, at.resource})
				}
			}
			if where&inElements != 0 {
				for _, schema := range value.Elements() {
					todo = append(todo, open{schema, at.resource})
				}
			}
		}
	}
}

// resourceOf returns the innermost resource that a schema is in.
func (d *document) resourceOf(schema jsonstream.Value) *resource {
	if len(d.identified) == 1 {
		return d.root
	}
	for d.identified[schema] == nil {
		schema = schema.Parent()
	}
	return d.identified[schema]
}

// follow returns the schema that a reference in from leads to.
func (c *compiler) follow(from *node, ref string) *node {
	resolved, ok := resolveURL(from.resource.url, ref)
	address, fragment, _ := strings.Cut(resolved, "#")
	if !ok || strings.Contains(address, metaschemas) {
		return c.lost(from)
	}
	target := from.resource.document.find(address)
	if target == nil {
		if target = c.load(address); target == nil {
			return c.lost(from)
		}
	}
	if fragment == "" || fragment == "/" {
		return c.nodeIn(target.document, target.value)
	}
	if !strings.HasPrefix(fragment, "/") {
		name, err := url.PathUnescape(fragment)
		schema := target.document.anchors[anchor{target, name}]
		if err != nil || name != fragment || !schema.Exists() {
			return c.lost(from)
		}
		return c.nodeIn(target.document, schema)
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || strings.Contains(fragment, "%7E") || strings.Contains(fragment, "%7e") {
		return c.lost(from)
	}
	// What a pointer names may be where no schema belongs: then it is none of the
	// document's resources.
	schema := target.value.At(pointer)
	if !schema.Exists() || !target.document.belongs(schema) && mentions(schema, "$id", "$anchor", "$dynamicAnchor") {
		return c.lost(from)
	}
	return c.nodeIn(target.document, schema)
}

func (c *compiler) lost(from *node) *node {
	c.uncovered("$ref", from.value, "leads to no schema at hand")
	return from
}

// find returns the resource of a URL, nil if there is none.
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

func (c *compiler) load(address string) *resource {
	if d := c.documents[address]; d != nil {
		return d.root
	}
	if c.options.Load == nil {
		return nil
	}
	d, err := c.options.Load(address)
	if err != nil || d == nil {
		return nil
	}
	return c.document(address, d)
}

// holds reports whether a value is in the document.
func (d *document) holds(v jsonstream.Value) bool {
	for parent := v.Parent(); parent.Exists(); parent = v.Parent() {
		v = parent
	}
	return v == d.root.value
}

// belongs reports whether a value is where schemas belong.
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

// mentions reports whether a value has a member of one of the names, at any depth.
func mentions(v jsonstream.Value, names ...string) bool {
	for inner := range v.All() {
		for _, name := range names {
			if inner != v && inner.Name() == name {
				return true
			}
		}
	}
	return false
}
