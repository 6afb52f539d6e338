// Package message defines the canonical handoff message of EAAPL-MAG006 (section 5.2), and reads and writes
// it as JSON.
//
// A [Message] keeps the bytes it was read from. An unchanged message is written with the same bytes, and a
// change of one member leaves the bytes of all others alone: unknown members, member order and the text of
// numbers are never lost. [Fields] is the same message as Go values, which encoding/json reads and writes.
//
// This package defines the names and Go types of the members. Package schemas has the JSON Schema, and
// package validate checks values. A Message can hold any well-formed JSON document, even an invalid
// message.
//
// # Compatibility
//
// Messages are written in schema version [SchemaVersion]. Members that a later minor version adds are kept
// in the Unknown field of the value they belong to.
package message
