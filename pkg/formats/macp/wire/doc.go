// Package wire converts transcripts of MACP sessions between JSON and length-delimited protobuf
// envelopes.
//
// A stream is a sequence of envelopes, each preceded by its length as a varint. In JSON it is one
// transcript per session, in the order in which the sessions begin. [Decode] writes field names in
// snake_case and in the order of the field numbers. Fields with their default value, which the wire
// omits, are written as "", 0, false or []; only timestamp_unix_ms, roots, extensions,
// max_suspend_ms and supersedes are omitted if the wire has none, or 0. Bytes are base64.
//
// # Unknown fields
//
// Unknown fields, and fields with a wire type other than the schema's, are kept in the member
// unknown_fields of their object: the base64 of their bytes, tags included, in wire order. [Encode]
// writes them after the known fields. A payload of an unknown message type is an object with only
// unknown_fields, whatever its bytes. A payload that cannot be decoded as its message type is an
// object with undecoded, the base64 of its bytes, and undecoded_problem, the reason.
//
// So a round trip preserves the bytes if they are canonical: fields in the order of their numbers,
// defaults omitted, varints of minimal length, unknown fields last, sessions one after the other.
// Otherwise it preserves their meaning. If a field is repeated, the last value wins, and nested
// messages are merged, as protobuf requires.
//
// # Losses
//
// JSON members without a field are lost; Encode reports each of them as a [Loss], and also a
// missing outcome_positive, which the wire reads as false. A timestamp (RFC 3339) becomes
// timestamp_unix_ms. The members protocol_version, mode and session_id of a transcript are derived
// from its first envelope.
package wire
