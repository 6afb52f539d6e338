package schema

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options say what a schema's vocabulary has in addition to the standard one. The zero value is
// the standard vocabulary with its formats asserted, and a schema of one document.
type Options struct {
	// Formats are rules for texts by name, in addition to and over the standard ones, except
	// for uuid and the times, which are those of package rfc3339. They must be safe for
	// concurrent use.
	Formats map[string]func(text string) bool
	// Load returns the schema document that a URL without a fragment names, unless it is one of
	// json-schema.org's. If it is nil, a reference to another document is an error.
	Load func(url string) (*jsonstream.Document, error)
	// Trusted schemas are not checked by their metaschemas.
	Trusted bool
}

// A KeywordError reports a keyword of a schema that has no usable meaning, or, from
// [Program.Streams], one that a run cannot apply while a document is read.
type KeywordError struct {
	Keyword  string // "" if it is the size of the schema
	Location string // the schema that has the keyword: a URL with a JSON Pointer
	Problem  string
}

func (e *KeywordError) Error() string {
	if e.Keyword == "" {
		return fmt.Sprintf("%s: %s", e.Location, e.Problem)
	}
	return fmt.Sprintf("%s: %s: %s", e.Location, e.Keyword, e.Problem)
}

// An InvalidError reports a document that is no schema by its metaschema.
type InvalidError struct{ Cause Cause }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("not a JSON Schema: %s: breaks the rule %q of the metaschema", e.Cause.Value.Pointer(), e.Cause.Keyword)
}

// A Program checks documents against one schema. It is immutable and safe for concurrent
// use.
type Program struct {
	root      *link
	schema    *node // that of the document
	nodes     map[jsonstream.Value]*node
	documents map[string]*document
	formats   int   // how many need a memory
	slow      error // why there are no states
	dynamic   bool  // a reference depends on the schemas that led to it
}

// Compile makes the program of a schema, which url names where its $id does not. It reads the
// drafts 4, 6, 7, 2019-09 and 2020-12, and metaschemas with $vocabulary. A document without $schema
// has the draft of the one that refers to it, the first has 2020-12. In addition to the standard keywords it knows uniqueKeys: the
// texts at these JSON Pointers differ between the elements of the array. Other unknown keywords
// are ignored. The program keeps parts of the schema's bytes, which must not change.
//
// The error is an [*InvalidError] for a schema that its metaschema rejects, a
// [*jsonstream.NumberError] for a number that [jsonstream.SafeNumber] rejects, a [*KeywordError]
// for a reference to nowhere or to itself, an unknown draft or vocabulary, or more than
// [MaxObjects] objects, or that of o.Load.
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

// Streams returns nil if a [Run] checks documents in one walk. Otherwise it returns a
// [*KeywordError] with the reason why each schema is applied by itself, as [Program.Explain] does.
// The reasons are unevaluatedItems, unevaluatedProperties, $dynamicRef, $recursiveRef, more than
// 256 schemas for one value, and the size of the program.
func (p *Program) Streams() error { return p.slow }

// Document returns a document that the program was compiled from, nil if there is none with the
// URL.
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
