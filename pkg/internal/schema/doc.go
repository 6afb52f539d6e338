// Package schema checks JSON documents against a JSON Schema while they are
// read: in one pass over the tokens, without a tree of the document, and without
// allocating for one that is valid.
//
// A schema is compiled to a [Program], and a [Run] of the program follows the reader
// of a document. It says yes, no, or that it cannot tell. It does not say what is wrong:
// that is left to github.com/santhosh-tekuri/jsonschema/v5, with which every yes and
// every no agrees, draft 2020-12 with formats asserted.
//
// # How it works
//
// All schemas that apply to one value are looked at together. Those that must hold
// together, by $ref and allOf, are one cell, which fails as soon as any of them does.
// The branches of anyOf, oneOf, not, if and dependentSchemas are cells of their own, and
// the cells of one value are a state. A state knows for each member's name which state
// the member's value is checked with, and which cells fail with the cells of that state.
// So a state is found once per value, and a bit per cell is all there is to keep.
package schema
