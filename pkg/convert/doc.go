// Package convert converts messages between the formats of different systems, and back without loss.
//
// A message is read into a representation shared by the systems (the rows of one table, and the turns), and
// written from it. Data without a place in the other format is carried in the result as a residue: the
// difference between the message and its translation when translated back. docs/formats.md has the table,
// and the places of residues.
//
// # Why nothing is lost
//
// For a message X of format G: base(X) is the result of applying the residue in X for format F to the rest
// of X or, without a residue, the translation of X. attach(X) is base(X) with a residue that restores X.
// valid(X) means that X has a residue for F, that attach(base(X)) is X, and that base(X) is not valid
// itself. Then convert(X) is base(X) if X is valid, and otherwise attach(X). Let Y be convert(X).
//
//   - If X is not valid, Y is attach(X). So base(Y) is X, attach(base(Y)) is Y, and
//     base(Y) is not valid: Y is valid, and convert(Y) is base(Y), which is X.
//   - If X is valid, Y is base(X), Y is not valid, and convert(Y) is attach(Y), which
//     is X.
//
// This only requires that translations are functions, and that residues can be removed and restore their
// message, which is checked when a residue is made. It holds for messages that were edited, that are
// invalid, or whose residues are forged. valid terminates, since each step removes a residue; the nesting
// of residues is limited by the depth of the message.
//
// Equality is that of RFC 8785, except that numbers are compared as written. Encoded values in a result
// have the same text for equal messages, so the order of members does not matter.
package convert
