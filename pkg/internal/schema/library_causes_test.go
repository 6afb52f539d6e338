package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The library builds the pointer of every value that a schema reaches: the cost of a long name
// above many values must not be their product.
const (
	minPaths     = 64 << 20
	pathsPerByte = 16
)

// Explain is [Program.Explain] with the library. The error reports that the causes are unknown, and
// the reason.
func (l *Library) Explain(v jsonstream.Value, limit int) ([]Cause, error) {
	paths, maxPaths := 0, max(minPaths, pathsPerByte*len(v.Raw()))
	for inner := range v.All() {
		if paths += inner.PointerSize(); paths > maxPaths {
			return nil, fmt.Errorf("the places of all values, written as JSON Pointers, take more than %d MiB: shorten the member names or nest less", maxPaths>>20)
		}
	}
	values := json.NewDecoder(bytes.NewReader(v.Raw()))
	values.UseNumber()
	var value any
	if err := values.Decode(&value); err != nil {
		return nil, err
	}
	err := guard(func() error { return l.schema.Validate(value) })
	if err == nil {
		return nil, nil
	}
	tree := (*jsonschema.ValidationError)(nil)
	if !errors.As(err, &tree) {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "jsonschema: "))
	}
	var f failures
	r := reading{l, v, depthOf(v), &f, limit, map[jsonstream.Value]map[string]jsonstream.Value{}}
	r.collect(&f, tree)
	sortCauses(f.causes)
	return f.causes[:min(len(f.causes), limit)], nil
}

// A reading converts the library's tree of errors to causes, with the places in the errors.
type reading struct {
	*Library
	root  jsonstream.Value
	depth int       // of the root
	all   *failures // of the root
	limit int       // of the causes in all
	// children are the children of the visited objects and arrays, by their tokens.
	children map[jsonstream.Value]map[string]jsonstream.Value
}

func (r *reading) collect(f *failures, e *jsonschema.ValidationError) {
	keyword, ofName := keywordOf(e)
	isChoice := (keyword == "anyOf" || keyword == "oneOf") && strings.HasSuffix(e.KeywordLocation, "/"+keyword)
	switch {
	case len(e.Causes) == 0 || keyword == "minContains":
		r.expand(f, e, r.cause(e, keyword, ofName))
	case isChoice:
		branches := make([]failures, len(e.Causes))
		for i, inner := range e.Causes {
			r.collect(&branches[i], inner)
		}
		f.choose(r.cause(e, keyword, ofName), branches)
	default:
		for _, inner := range e.Causes {
			r.collect(f, inner)
		}
	}
	if f == r.all && len(f.causes) > 4*r.limit { // sorted first, because members come in random order
		sortCauses(f.causes)
		f.causes = f.causes[:r.limit]
	}
}

// keywordOf returns the failed keyword or, for a schema that is just false, the keyword that
// applied it; and whether it failed for the name of a member.
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
			i++ // a member's name, even if it looks like a keyword
		}
	}
	return keyword, ofName
}

func (r *reading) cause(e *jsonschema.ValidationError, keyword string, ofName bool) Cause {
	v, depth := r.at(e.InstanceLocation)
	url, _, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	return Cause{Value: v, OfName: ofName, Keyword: keyword, Rule: r.locate(e.AbsoluteKeywordLocation), Found: -1, url: url, depth: r.depth + depth}
}

// expand adds a cause for each fault in one error of the library.
func (r *reading) expand(f *failures, e *jsonschema.ValidationError, c Cause) {
	before := len(f.causes)
	switch v, schema := c.Value, c.Rule.Parent(); c.Keyword {
	case "required":
		for _, name := range c.Rule.Elements() {
			if !v.Get(name.Text()).Exists() {
				each := c
				each.Rule = name
				f.add(each)
			}
		}
	case "additionalProperties":
		if c.Rule.Kind() != jsonstream.False {
			break
		}
		var patterns []*pattern
		for expr := range schema.Get("patternProperties").Members() {
			patterns = append(patterns, &pattern{expr: expr})
		}
		properties := map[string]bool{}
		for name := range schema.Get("properties").Members() {
			properties[name] = true
		}
		for name, member := range v.Members() {
			matches := func(p *pattern) bool { matched, _ := p.match([]byte(name)); return matched }
			if !properties[name] && !slices.ContainsFunc(patterns, matches) {
				each := c
				each.Place = member
				f.add(each)
			}
		}
	case "uniqueItems":
		c.Earlier, c.Place = firstRepeated(v)
	case "uniqueKeys":
		for _, pointer := range c.Rule.Elements() {
			tokens, _ := jsonstream.SplitPointer(pointer.Text())
			repeatedKeys(map[string]jsonstream.Value{}, v, tokens[0], func(earlier, key jsonstream.Value) bool {
				each := c
				each.Earlier, each.Place = earlier, key
				f.add(each)
				return true
			})
		}
	case "minContains":
		c.Found = v.Len() - len(e.Causes)
		if !c.Rule.Exists() {
			c.Keyword, c.Rule = "contains", r.locate(strings.TrimSuffix(e.AbsoluteKeywordLocation, "minContains")+"contains")
		}
	}
	if len(f.causes) == before { // an invalid document must not look valid
		f.add(c)
	}
}

// at returns the value at a location, which the library escapes like a URL, and its depth below the
// root. The library omits empty names: the value is then the one that contains the intended value.
func (r *reading) at(location string) (v jsonstream.Value, depth int) {
	v = r.root
	pointer, err := url.PathUnescape(location)
	tokens, ok := jsonstream.SplitPointer(pointer)
	if err != nil || !ok {
		return v, 0
	}
	for _, token := range tokens {
		inner := r.child(v, token)
		if !inner.Exists() {
			break
		}
		v = inner
	}
	return v, len(tokens)
}

// child indexes an object or array once: an index per error would cost the square of a hostile
// document.
func (r *reading) child(v jsonstream.Value, token string) jsonstream.Value {
	held := r.children[v]
	if held == nil {
		held = map[string]jsonstream.Value{}
		for name, member := range v.Members() {
			held[name] = member
		}
		for i, element := range v.Elements() {
			held[strconv.Itoa(i)] = element
		}
		r.children[v] = held
	}
	return held[token]
}

// locate returns the place of a keyword in the schema's text by its absolute location, or an absent
// value.
func (l *Library) locate(absolute string) jsonstream.Value {
	base, fragment, _ := strings.Cut(absolute, "#")
	doc := l.documents[base]
	pointer, err := url.PathUnescape(fragment)
	if doc == nil || err != nil {
		return jsonstream.Value{}
	}
	return doc.Root().At(pointer)
}
