// Package jsonstream reads strict JSON from a stream, one document at a time, and records the place of
// every value.
//
// A [Splitter] cuts a stream (one document, JSON Lines or concatenated documents) into [Raw] documents;
// [Parse] checks a Raw and returns a [Document]. A [Value] of a document has its exact bytes, its JSON
// Pointer (RFC 6901), and its line and column in the original text. Nothing is re-encoded: member order,
// unknown members and the text of numbers stay as in the input. A [Draft] changes values and leaves all
// other bytes as they are.
//
// Strict means RFC 8259 with the I-JSON restrictions of RFC 7493 that protect a reader: valid UTF-8, no
// lone surrogates, no duplicate member names, nothing after the document. [Limits] bound the size and depth
// of a document.
package jsonstream
