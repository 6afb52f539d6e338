// Package jsonstream reads strict JSON from a stream, one document at a time, and knows
// where every value is in the text.
//
// A [Splitter] cuts a stream (one document, JSON Lines or concatenated documents) into
// [Raw] documents; [Parse] checks one of them and gives a [Document], in which a [Value]
// has its exact bytes, its JSON Pointer (RFC 6901) and its line and column in the
// original text. Nothing is re-encoded: member order, unknown members and the text of
// numbers are those of the input. A [Draft] changes values and leaves all other bytes as
// they are.
//
// Strict means RFC 8259 with the I-JSON restrictions of RFC 7493 that protect a
// reader: valid UTF-8, no lone surrogates, no duplicate member names, nothing
// after the document. [Limits] bound what one document may cost.
package jsonstream
