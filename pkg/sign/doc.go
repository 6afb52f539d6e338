// Package sign signs handoff messages and verifies them (section 10.2 of EAAPL-MAG006).
//
// A signature is the member
//
//	"signature": "hmac-sha256:" + lower-case hex of HMAC-SHA-256(key, text)
//	"signature": "ed25519:" + base64url without padding of Ed25519(private key, text)
//
// where text is the canonical form (RFC 8785) of the message without that member. Everything
// else is covered: members that no specification names, and signatureKeyId, which may name the
// key. White space, the order of members and the spelling of strings and numbers are not.
//
// RFC 8785 makes every number a double, so two different numbers can have the same canonical
// form. A message with a number whose canonical form has another value is neither signed nor
// verified: otherwise it could be changed under its signature.
//
// Anyone who can verify an HMAC can also make one. An Ed25519 signature (RFC 8032) is made with
// a private key and verified with a public one. A [Verifier] holds keys of both kinds, tries
// each only with signatures of its own kind, and returns the one that verified the message.
// With a [Trust] it also checks that this key may sign for the sender at that time.
//
// No error and no formatted value of this package contains a key, or the correct signature of a
// message.
package sign
