// Package agentcard checks AgentCards of A2A 1.0 (the Agent2Agent protocol), signs them and verifies their
// signatures (sections 4.4.1 and 8.4 of its specification).
//
// A signature is an element of the card's member signatures: a JSON Web Signature (RFC 7515) with a detached
// payload, the card itself. [Payload] makes it, by the presence rules of section 8.4.1 and then in the
// canonical form of RFC 8785. It includes members that A2A 1.0 does not define, so that they cannot be added
// or changed either.
//
// The algorithms are ES256 (ECDSA with P-256 and SHA-256) and EdDSA (Ed25519). Keys come only from the
// caller. The kid of a signature selects one of them; its other references to keys (jku, jwk, x5u, x5c) are
// reported, but neither used nor fetched.
//
// RFC 8785 makes every number a double, so two different numbers can have the same canonical form. As in
// package sign, a card with a number whose canonical form has another value is neither signed nor verified.
package agentcard
