// Package message defines the canonical handoff message of EAAPL-MAG006
// (section 5.2), and reads and writes it as JSON.
//
// A [Message] keeps the bytes it was read from. Writing an unchanged message
// gives those bytes back, and changing one member leaves the bytes of all
// others alone: unknown members, member order and the text of numbers are never
// lost. [Fields] is the same message as Go values, which encoding/json writes and reads
// as that message.
//
// This package knows the names and Go types of the members; which values are
// allowed is the business of the JSON Schema in package schemas and of package
// validate. So a Message can hold any well-formed JSON document, a broken
// message too.
//
// # Compatibility
//
// Messages are written in schema version [SchemaVersion]. Members that a later
// minor version adds are kept in the Unknown field of the value that has them.
package message
