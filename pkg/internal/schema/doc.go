// Package schema checks JSON documents against a JSON Schema: in one walk over the values,
// and without allocating for a document that is valid. Of one that is invalid it says why.
//
// A schema is compiled to a [Program], and a [Run] of the program decides whether a document
// is valid. [Program.Explain] applies the same schemas one by one, and returns each [Cause]:
// the value, the keyword that it breaks, and that keyword's place in the schema. Nothing of it
// is in words.
//
// Drafts 4, 6, 7, 2019-09 and 2020-12 of JSON Schema are read, with formats asserted. The tests
// compare every verdict and every cause with github.com/santhosh-tekuri/jsonschema/v5.
//
// # How a run works
//
// All schemas that apply to one value are looked at together. Those that must hold
// together, by $ref and allOf, are one cell, which fails as soon as any of them does.
// The branches of anyOf, oneOf, not, if and dependentSchemas are cells of their own, and
// the cells of one value are a state. A state knows for each member's name which state
// the member's value is checked with, and which cells fail with the cells of that state.
// So a state is found once per value, and a bit per cell is all there is to keep.
package schema
