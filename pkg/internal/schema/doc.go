// Package schema checks JSON documents against a JSON Schema: in one walk over the values,
// and without allocating for a document that is valid. Of one that is invalid it says why.
//
// A schema is compiled to a [Program], and a [Run] of the program decides whether a document
// is valid. [Program.Explain] applies the same schemas one by one, and returns each [Cause]:
// the value, the keyword that it breaks, and that keyword's place in the schema. Nothing of it
// is in words.
//
// A [Library] does the same with github.com/santhosh-tekuri/jsonschema/v5: for schemas that
// a program does not cover, and in the tests for all others. Every yes and no, and every cause,
// is the same: that of draft 2020-12 with formats asserted.
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
