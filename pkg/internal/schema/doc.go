// Package schema validates JSON documents against a JSON Schema in one pass, without allocations
// for valid documents, and explains why a document is invalid.
//
// A schema is compiled to a [Program], and a [Run] of the program validates documents.
// [Program.Explain] applies the same schemas one by one and returns each [Cause]: the value, the
// violated keyword, and its place in the schema. The package does not produce text for people.
//
// It supports drafts 4, 6, 7, 2019-09 and 2020-12 of JSON Schema, with formats asserted. The tests
// compare every verdict and every cause with github.com/santhosh-tekuri/jsonschema/v5.
//
// # How a run works
//
// All schemas for one value are evaluated together. Schemas that must hold together, by $ref and
// allOf, form a cell, which fails as soon as any of them does. The branches of anyOf, oneOf, not,
// if and dependentSchemas are cells of their own, and the cells of one value form a state. For each
// member name, a state has the state of the member's value, and the cells that fail with the cells
// of that state. So each value needs one lookup of its state and one bit per cell.
package schema
