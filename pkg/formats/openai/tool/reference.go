package tool

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An expansion is the copy of a schema in place of a reference to it.
type expansion struct {
	target jsonstream.Value
	outer  *expansion // that contains the reference, nil for none
	depth  int        // the number of nested expansions
}

// expand returns the expansion of a reference.
func (c *conversion) expand(ref keyword) (*expansion, error) {
	target, ok := c.places.resolve(c.root, ref.value.Text())
	if !ok {
		return nil, unresolved(ref.value)
	}
	if c.crosses(ref.value.Text()) {
		return nil, problem(ref.value, "the reference leads into a schema with its own $id: found %s; remove the $id", finding.QuoteValue(ref.value))
	}
	e := &expansion{target: target, outer: ref.from, depth: 1}
	for outer := ref.from; outer != nil; outer = outer.outer {
		if outer.target == target {
			return nil, problem(ref.value, "the reference leads back to itself, so it cannot be expanded: write %s without other keywords next to it", finding.QuoteValue(ref.value))
		}
		e.depth++
	}
	if e.depth > MaxLevels {
		return nil, problem(ref.value, "references are nested deeper than %d levels", MaxLevels)
	}
	if c.expanded += len(target.Raw()); c.expanded > maxExpanded {
		return nil, problem(ref.value, "the references expand to more than %d bytes", maxExpanded)
	}
	return e, nil
}

func unresolved(ref jsonstream.Value) error {
	if !strings.HasPrefix(ref.Text(), "#") {
		return problem(ref, `the reference leads out of the schema: found %s; put the schema under $defs, and refer to it as "#/$defs/NAME"`, finding.QuoteValue(ref))
	}
	return problem(ref, `the reference leads to no schema: found %s; put the schema under $defs, and refer to it as "#/$defs/NAME"`, finding.QuoteValue(ref))
}

// checkReferences reports the first reference without a target in the strict schema.
// References to places outside $defs may have lost their target.
func (c *conversion) checkReferences(strict []byte) error {
	if len(c.kept) == 0 {
		return nil
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(strict), jsonstream.Unlimited())
	if err != nil {
		return err
	}
	checked, there := map[string]bool{}, places{}
	for _, ref := range c.kept {
		text := ref.Text()
		if checked[text] {
			continue
		}
		checked[text] = true
		if _, ok := there.resolve(doc.Root(), text); !ok {
			return unresolved(ref)
		}
	}
	return nil
}

// places caches the members of objects and elements of arrays by reference token, since a
// schema can have many references.
type places map[jsonstream.Value]map[string]jsonstream.Value

// resolve returns the schema for a reference: "#" or a JSON Pointer as the fragment of a URI
// (RFC 6901, section 6).
func (p places) resolve(root jsonstream.Value, ref string) (jsonstream.Value, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return jsonstream.Value{}, false
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return jsonstream.Value{}, false
	}
	tokens, ok := jsonstream.SplitPointer(pointer)
	if !ok {
		return jsonstream.Value{}, false
	}
	v := root
	for _, token := range tokens {
		v = p.below(v)[token]
	}
	return v, v.Kind() == jsonstream.Object
}

// below returns the members of an object or elements of an array.
func (p places) below(v jsonstream.Value) map[string]jsonstream.Value {
	if held, ok := p[v]; ok {
		return held
	}
	held := make(map[string]jsonstream.Value, v.Len())
	for name, member := range v.Members() {
		held[name] = member
	}
	for i, element := range v.Elements() {
		held[strconv.Itoa(i)] = element
	}
	p[v] = held
	return held
}

// isForeign reports whether a reference is below a schema with an $id, other than the root:
// its target is then not relative to the root.
func (c *conversion) isForeign(ref jsonstream.Value) bool {
	if c.foreign == nil {
		c.foreign = map[jsonstream.Value]bool{}
		c.findForeign(c.root, false)
	}
	return c.foreign[ref]
}

func (c *conversion) findForeign(v jsonstream.Value, inside bool) {
	inside = inside || v != c.root && hasID(v)
	for name, member := range v.Members() {
		if inside && name == "$ref" {
			c.foreign[member] = true
		}
		c.findForeign(member, inside)
	}
	for _, element := range v.Elements() {
		c.findForeign(element, inside)
	}
}

// hasID reports whether a schema is a resource of its own.
func hasID(schema jsonstream.Value) bool { return schema.Get("$id").Kind() == jsonstream.String }

// crosses reports whether a resolved reference leads to or through a schema with an $id below
// the root.
func (c *conversion) crosses(ref string) bool {
	pointer, _ := url.PathUnescape(ref[1:]) // cannot fail: resolve has decoded it
	tokens, _ := jsonstream.SplitPointer(pointer)
	v := c.root
	for _, token := range tokens {
		if v = c.places.below(v)[token]; hasID(v) {
			return true
		}
	}
	return false
}
