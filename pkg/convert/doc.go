// Package convert turns messages of one system into those of another, and back
// without a loss.
//
// A message is read into what the systems share (the rows of one table, and the turns)
// and written from that. What the other format has no place for is carried in the result
// as a residue: the difference between the message and what its translation gives when it
// is translated back. docs/formats.md has the table, and the places of residues.
//
// # Why nothing is lost
//
// For a message X of format G, base(X) is what the residue in X for format F makes of
// the rest of X or, without one, the translation of X; attach(X) is base(X) with a residue
// from which X comes back; and valid(X) means that X has a residue for F, that
// attach(base(X)) is X, and that base(X) is not valid itself. Then convert(X) is base(X)
// if X is valid, and otherwise attach(X). Let Y be convert(X).
//
//   - If X is not valid, Y is attach(X). So base(Y) is X, attach(base(Y)) is Y, and
//     base(Y) is not valid: Y is valid, and convert(Y) is base(Y), which is X.
//   - If X is valid, Y is base(X), Y is not valid, and convert(Y) is attach(Y), which
//     is X.
//
// This asks of the translations no more than that they are functions, and of residues
// that they can be taken out again and make of a translation what they were made for,
// which is checked when one is made. It holds for messages that were edited, that are
// broken, and whose residues are forged. valid ends, since each step takes out a residue;
// how many are within each other is bounded by the depth of the message.
//
// Equal means equal as RFC 8785 has it, but with numbers as they are written. Everything
// that is encoded in a result is the same text for equal messages, so that the order of
// members does not matter.
package convert
