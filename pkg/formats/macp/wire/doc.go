// Package wire turns transcripts of MACP sessions from JSON into length-delimited
// protobuf envelopes, and back.
//
// A stream is one envelope after the other, each after its length as a varint. In JSON it
// is one transcript for each session, in the order in which the sessions begin. [Decode]
// writes field names in snake_case and in the order of their numbers, and a field with its
// default, which the wire leaves out, as "", 0, false or []; only timestamp_unix_ms, roots,
// extensions, max_suspend_ms and supersedes are left out where the wire has none, or 0.
// Bytes are base64.
//
// # What the schema does not know
//
// Fields that have no name here, or another wire type than the schema gives them, are kept
// in the member unknown_fields of the object that they belong to: the base64 of their
// bytes, tags included, in the order of the wire. [Encode] writes them after the fields
// that it knows. A payload of an unknown message type is an object with only
// unknown_fields, whatever its bytes are. A payload that cannot be decoded as its message type says
// is an object with undecoded, the base64 of its bytes, and undecoded_problem, which says why.
//
// So the bytes come back as they were if they are canonical: fields in the order of their
// numbers, defaults left out, varints no longer than they need to be, unknown fields last,
// sessions one after the other. Otherwise what they mean comes back. If a field is
// repeated, the last value counts, and nested messages are merged, as protobuf requires.
//
// # What the wire does not know
//
// JSON members that no field carries are lost; Encode reports each of them as a [Loss], and
// also a missing outcome_positive, which the wire reads as false. A timestamp (RFC 3339)
// becomes timestamp_unix_ms. The members protocol_version, mode and session_id of a
// transcript are made from its first envelope.
package wire
