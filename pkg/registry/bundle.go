package registry

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxBundled is the maximum number of documents in a bundle.
const maxBundled = 256

// Bundle returns a schema with all documents that it refers to below $defs, each once and without $id and
// $schema, so that every reference begins with "#". load returns the document with a URL, which has no
// fragment. The rest of the schema keeps its bytes.
//
// Nested schemas with an $id, and $anchor, $dynamicAnchor and $dynamicRef in an embedded document, are
// errors: references to them cannot be written as pointers.
func Bundle(doc *jsonstream.Document, base string, load func(url string) (*jsonstream.Document, error), limits jsonstream.Limits) (*jsonstream.Document, error) {
	id, _, _ := strings.Cut(cmp.Or(doc.Root().Get("$id").Text(), base), "#")
	b := &bundler{load: load, prefixes: map[string]string{id: ""}, names: map[string]bool{}}
	for name := range doc.Root().Get("$defs").Members() {
		b.names[name] = true
	}
	root, err := b.rewrite(doc, id, "")
	if err != nil {
		return nil, err
	}
	if len(b.todo) > 0 && root.At("/$defs") == nil {
		if err := root.Set("/$defs", []byte("{}")); err != nil {
			return nil, err
		}
	}
	for len(b.todo) > 0 {
		address := b.todo[0]
		b.todo = b.todo[1:]
		other, err := load(address)
		if errors.Is(err, ErrUnknown) {
			return nil, fmt.Errorf("refers to %s: %w", address, err)
		}
		if err != nil {
			return nil, err
		}
		part, err := b.rewrite(other, address, b.prefixes[address])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		for _, keyword := range []string{"$id", "$schema"} {
			part.Take(keyword)
		}
		if err := root.Set(b.prefixes[address], part.Bytes()); err != nil {
			return nil, err
		}
	}
	return root.Document(limits)
}

type bundler struct {
	load     func(string) (*jsonstream.Document, error)
	prefixes map[string]string // places of documents in the bundle, by their addresses
	names    map[string]bool   // of the definitions
	todo     []string
}

// rewrite returns a document with its references changed to places in the bundle.
func (b *bundler) rewrite(doc *jsonstream.Document, address, prefix string) (*jsonstream.Draft, error) {
	draft := jsonstream.NewDraft(doc.Root())
	if k := doc.Root().Kind(); k != jsonstream.Object {
		return draft, nil
	}
	err := eachSchema(doc.Root(), func(schema jsonstream.Value) error {
		if schema != doc.Root() && schema.Get("$id").Exists() {
			return fmt.Errorf("%s: a schema inside another has an $id: move it into a file of its own", schema.Pointer())
		}
		for _, keyword := range []string{"$anchor", "$dynamicAnchor", "$dynamicRef"} {
			if prefix != "" && schema.Get(keyword).Exists() {
				return fmt.Errorf("%s: %s cannot be bundled: refer by JSON Pointers", schema.Pointer(), keyword)
			}
		}
		ref := schema.Get("$ref")
		if ref.Kind() != jsonstream.String {
			return nil
		}
		to, err := b.target(address, prefix, ref.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", ref.Pointer(), err)
		}
		if to == ref.Text() {
			return nil
		}
		quoted, err := jsontext.AppendQuote(nil, to)
		if err != nil {
			return err
		}
		return draft.Set(ref.Pointer(), quoted)
	})
	return draft, err
}

// target returns the reference within the bundle for a reference in a document.
func (b *bundler) target(address, prefix, ref string) (string, error) {
	at, fragment, _ := strings.Cut(ref, "#")
	if at != "" {
		base, err := url.Parse(address)
		if err != nil {
			return "", err
		}
		to, err := base.Parse(at)
		if err != nil {
			return "", err
		}
		address = to.String()
	}
	known, ok := b.prefixes[address]
	if !ok {
		if len(b.prefixes) > maxBundled {
			return "", fmt.Errorf("more than %d documents", maxBundled)
		}
		known = "/$defs/" + b.name(address)
		b.prefixes[address] = known
		b.todo = append(b.todo, address)
	}
	if known != "" && fragment != "" && fragment[0] != '/' {
		return "", errors.New("refers to another document by an anchor: refer by a JSON Pointer")
	}
	return "#" + known + fragment, nil
}

// name returns a name for a document among the definitions.
func (b *bundler) name(address string) string {
	base := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-' {
			return c
		}
		return '-'
	}, strings.TrimSuffix(strings.TrimSuffix(path.Base(address), ".json"), ".schema"))
	name := base
	for i := 2; b.names[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	b.names[name] = true
	return name
}

// eachSchema calls f with a schema and those inside it.
func eachSchema(schema jsonstream.Value, f func(jsonstream.Value) error) error {
	if schema.Kind() == jsonstream.Object {
		if err := f(schema); err != nil {
			return err
		}
	}
	for keyword, v := range schema.Members() {
		var inner []jsonstream.Value
		switch keyword {
		case "not", "if", "then", "else", "additionalProperties", "propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems", "contentSchema":
			inner = []jsonstream.Value{v}
		case "items", "allOf", "anyOf", "oneOf", "prefixItems":
			if v.Kind() != jsonstream.Array {
				inner = []jsonstream.Value{v}
			}
			for _, one := range v.Elements() {
				inner = append(inner, one)
			}
		case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas":
			for _, one := range v.Members() {
				inner = append(inner, one)
			}
		}
		for _, one := range inner {
			if err := eachSchema(one, f); err != nil {
				return err
			}
		}
	}
	return nil
}
