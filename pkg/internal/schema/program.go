package schema

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options say what a schema's vocabulary has in addition to the standard one. The zero value is
// the standard vocabulary with its formats asserted, and a schema of one document.
type Options struct {
	// Formats are rules for texts by name, in addition to and over those of jsonschema/v5, except
	// for uuid and the times, which are those of package rfc3339. They must be safe for
	// concurrent use.
	Formats map[string]func(text string) bool
	// Load returns the schema document that a URL without a fragment names. If it is nil
	// or returns an error, a reference to another document is not covered.
	Load func(url string) (*jsonstream.Document, error)
}

// An UncoveredError reports that a schema has something that programs do not say.
type UncoveredError struct {
	Keyword  string // "" if it is the size of the schema
	Location string // the schema that has the keyword: a URL with a JSON Pointer
	Problem  string
}

func (e *UncoveredError) Error() string {
	if e.Keyword == "" {
		return fmt.Sprintf("%s: %s", e.Location, e.Problem)
	}
	return fmt.Sprintf("%s: %s: %s", e.Location, e.Keyword, e.Problem)
}

// A Program checks documents against one schema. It is immutable and safe for concurrent
// use.
type Program struct {
	root    *link
	schema  *node // that of the document
	nodes   map[jsonstream.Value]*node
	formats int // how many need a memory
}

// Compile makes the program of a schema, which url names where its $id does not. Besides
// the standard keywords of draft 2020-12 it knows uniqueKeys: the texts at these JSON
// Pointers differ between the elements of the array. It does not check that the schema
// is a valid one; keywords that it does not know say nothing. The program keeps parts of
// the schema's bytes, which must not change.
//
// The error is an [*UncoveredError]. Not covered are: another draft, $vocabulary,
// $dynamicRef, $recursiveRef, unevaluatedItems, unevaluatedProperties, references into
// the metaschemas and to where no schema belongs, a $ref that leads to itself, numbers
// that [jsonstream.SafeNumber] rejects, more than 256 schemas for one value, and schemas
// whose program would be very large.
func Compile(url string, schema *jsonstream.Document, o Options) (*Program, error) {
	c := newCompiler(o)
	root := c.document(url, schema)
	p := &Program{}
	if c.err == nil {
		schema := c.nodeIn(root.document, root.value)
		p.schema, p.nodes = schema, c.nodes
		c.survey(schema)
		c.close(schema)
		p.root = c.states(schema)
	}
	if c.err != nil {
		return nil, c.err
	}
	p.formats = c.memories
	return p, nil
}
