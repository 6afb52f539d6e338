// Package agentcard checks AgentCards of A2A 1.0 (the Agent2Agent protocol), signs them and
// verifies their signatures (sections 4.4.1 and 8.4 of its specification).
//
// A signature is an element of the card's member signatures: a JSON Web Signature (RFC 7515)
// of which the payload is not there, since it is the card itself. [Payload] makes it: the
// presence rules of section 8.4.1 first, and then the canonical form of RFC 8785. Members that
// A2A 1.0 does not name are part of it, so that nobody can add or change them.
//
// The algorithms are ES256 (ECDSA with P-256 and SHA-256) and EdDSA (Ed25519). Keys come from the
// caller alone. What a signature says of keys beyond a kid that selects one of those (jku, jwk,
// x5u, x5c) is reported, and neither used nor fetched.
//
// RFC 8785 makes every number a double, so that two numbers of different value can have one
// canonical form. As in package sign, a card with a number whose canonical form has another
// value is neither signed nor verified.
package agentcard
