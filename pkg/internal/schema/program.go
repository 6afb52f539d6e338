package schema

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options extend the standard vocabulary. The zero value means the standard vocabulary with
// asserted formats, and a schema of one document.
type Options struct {
	// Formats are additional formats by name. They override the standard ones, except uuid and the
	// times, for which package rfc3339 is used. They must be safe for concurrent use.
	Formats map[string]func(text string) bool
	// Load returns the schema document at a URL without a fragment. It is not called for the
	// documents of json-schema.org. If it is nil, a reference to another document is an error.
	Load func(url string) (*jsonstream.Document, error)
	// Trusted schemas are not checked by their metaschemas.
	Trusted bool
}

// A KeywordError reports an unusable keyword of a schema or, from [Program.Streams], a keyword that
// a run cannot apply in one pass.
type KeywordError struct {
	Keyword  string // "" for the size of the schema
	Location string // the schema with the keyword: a URL with a JSON Pointer
	Problem  string
}

func (e *KeywordError) Error() string {
	if e.Keyword == "" {
		return fmt.Sprintf("%s: %s", e.Location, e.Problem)
	}
	return fmt.Sprintf("%s: %s: %s", e.Location, e.Keyword, e.Problem)
}

// An InvalidError reports a schema that its metaschema rejects.
type InvalidError struct{ Cause Cause }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("not a JSON Schema: %s: breaks the rule %q of the metaschema", e.Cause.Value.Pointer(), e.Cause.Keyword)
}

// A Program checks documents against one schema. It is immutable and safe for concurrent
// use.
type Program struct {
	root      *link
	schema    *node // the document's
	nodes     map[jsonstream.Value]*node
	documents map[string]*document
	formats   int   // number of formats with a memory
	slow      error // the reason why there are no states
	dynamic   bool  // a reference depends on the schemas that led to it
}

// Compile compiles a schema; url is its URL unless $id overrides it. It supports drafts 4, 6, 7,
// 2019-09 and 2020-12, and metaschemas with $vocabulary. A document without $schema has the draft
// of the document that refers to it. The first document has draft 2020-12 by default.
//
// In addition to the standard keywords, Compile supports uniqueKeys: the texts at these JSON
// Pointers must differ between the elements of the array. Other unknown keywords are ignored. The
// program retains parts of the schema's bytes, which must not change.
//
// The error is an [*InvalidError] for a schema that its metaschema rejects, a
// [*jsonstream.NumberError] for a number that [jsonstream.SafeNumber] rejects, the error of o.Load,
// or a [*KeywordError] for an unresolvable or circular reference, an unknown draft or vocabulary,
// or more than [MaxObjects] objects.
func Compile(url string, schema *jsonstream.Document, o Options) (*Program, error) {
	c := newCompiler(o)
	root := c.document(url, schema, latest())
	if c.err != nil {
		return nil, c.err
	}
	p := &Program{schema: c.nodeIn(root.document, root.value), nodes: c.nodes, documents: c.documents}
	p.dynamic = c.survey(p.schema)
	if c.err != nil {
		return nil, c.err
	}
	if c.slow == nil {
		c.close(p.schema)
		p.root = c.states(p.schema)
	}
	p.slow, p.formats = c.slow, c.memories
	return p, nil
}

// Streams returns nil if a [Run] validates documents in one pass. Otherwise each schema is applied
// separately, as in [Program.Explain], and Streams returns a [*KeywordError] with the reason:
// unevaluatedItems, unevaluatedProperties, $dynamicRef, $recursiveRef, more than 256 schemas for
// one value, or the size of the program.
func (p *Program) Streams() error { return p.slow }

// Document returns the schema document with a URL, nil if the program was not compiled from it.
func (p *Program) Document(url string) *jsonstream.Document {
	if d := p.documents[url]; d != nil {
		return d.text
	}
	for _, d := range p.documents {
		if d.root.url == url {
			return d.text
		}
	}
	return nil
}
