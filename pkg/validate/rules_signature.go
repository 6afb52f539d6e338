package validate

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/sign"
)

// signatureRules has a rule for every reason of package sign, and one for a signature that is not checked.
// The examples are signed with the key 0123456789abcdefghijklmnopqrstuv, whose ID is k1.
var signatureRules = []finding.Rule{
	{
		ID:      signaturePrefix + string(sign.Missing),
		Summary: "The message has no signature.",
		Why:     "Anyone with access to the queue can forge a message. A receiver with a key never accepts an unsigned message: otherwise an attacker could remove the signature and change the message.",
		Bad:     `{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.Malformed),
		Summary: "The signature is neither hmac-sha256: and 64 lower-case hexadecimal digits, nor ed25519: and 86 characters of base64url.",
		Why:     "Such a signature cannot be verified. Base64, padding and upper-case digits are usual mistakes of a signer (docs/signing.md).",
		Bad:     signatureExample("hmac-sha256:5D5D139563C95B5967B9BD9A8C9B233A9DEDB45072794CD232DC1B74832607D0"),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.UnsupportedAlgorithm),
		Summary: "The algorithm of the signature is neither HMAC-SHA-256 nor Ed25519, or differs from the algorithm of the receiver's key.",
		Why:     "The message must not choose its algorithm: an attacker would choose one that is easy to forge, such as an HMAC whose secret is a public key.",
		Bad:     signatureExample("hmac-md5:9e107d9d372bb6826bd81d3542a419d6"),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.UnknownKeyID),
		Summary: "The message names a key that the receiver does not have.",
		Why:     "Either keys were rotated without the receiver, or the message is from another sender.",
		Bad:     strings.Replace(signatureExample(""), `"k1"`, `"k9"`, 1),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.NotCanonicalizable),
		Summary: "A number in the message has another value in canonical form (RFC 8785).",
		Why:     "Canonical numbers are doubles: 9007199254740993 and 9007199254740992 have the same signature, so one could replace the other. Write such a number as a string.",
		Bad:     `{"currentState": {"riskFlags": [], "serial": 9007199254740993}, "signature": "` + validSignature + `"}`,
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.Mismatch),
		Summary: "The signature is not valid for this content.",
		Why:     "The message was changed after it was signed, or signed with another key.",
		Bad:     signatureExample("hmac-sha256:5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0"),
		Good:    signatureExample(""),
	},
	{
		ID:       signaturePrefix + string(sign.Untrusted),
		Summary:  "The signature is valid, but its key may not sign for the sender.",
		Why:      "Otherwise, every agent with a key could sign for all others. The trust of the receiver profile binds keys to agents: either fromAgent.agentId is not the signer, or a binding is missing.",
		Bad:      signatureExample(""),
		Good:     `{"fromAgent": {"agentId": "scorer-1", "agentVersion": "2.1.0", "executionId": "3a48715a-7859-4569-a579-9626ec2430d8"}, "signatureKeyId": "k1", "signature": "hmac-sha256:ec5746efe0f4924f5736e655b0377c251ace4d48584dbaadb6918dfdaa5c8ce2"}`,
		Receiver: `{"trust": [{"keyId": "k1", "agents": ["scorer-*"]}]}`,
	},
	{
		ID:       signaturePrefix + string(sign.KeyPeriod),
		Summary:  "The signature is valid, but its key is not valid at the message's time, or now.",
		Why:      "A replaced key may have been stolen since, and a thief can backdate a message. Sign with the current key, or extend the period in the trust of the receiver profile while messages are in flight.",
		Bad:      signatureExample(""),
		Good:     `{"timestamp": "2026-06-12T09:30:00.5Z", "signatureKeyId": "k1", "signature": "hmac-sha256:a0d225cff25b0692799aa6df56a1bde62eace9a5b450f89c527e45d95180077c"}`,
		Receiver: `{"trust": [{"keyId": "k1", "agents": ["*"], "notBefore": "2026-06-12T09:30:00.5Z"}]}`,
	},
	{
		ID:       signaturePrefix + string(sign.NoTimestamp),
		Summary:  "The receiver limits the age of messages, but the message's timestamp is not a time.",
		Why:      "A valid message can be an old one that was sent again. Its age is known only from a signed timestamp.",
		Bad:      `{"timestamp": "yesterday", "signatureKeyId": "k1", "signature": "hmac-sha256:b71529dda9fdc83ee4344af0bb5be9935cd2b5b4180235cbc4a1cc52951b9198"}`,
		Good:     signatureExample(""),
		Receiver: `{"maxAge": "24h"}`,
	},
	{
		ID:       signaturePrefix + string(sign.Expired),
		Summary:  "The message is older than the receiver permits.",
		Why:      "A valid message can be an old one that was sent again. Ask the sender for a new message, or raise the receiver's maxAge while messages wait in a queue.",
		Bad:      signatureExample(""),
		Good:     `{"timestamp": "2026-06-12T09:30:00.5Z", "signatureKeyId": "k1", "signature": "hmac-sha256:a0d225cff25b0692799aa6df56a1bde62eace9a5b450f89c527e45d95180077c"}`,
		Receiver: `{"maxAge": "14h28m59.7s"}`,
	},
	{
		ID:       signaturePrefix + string(sign.NotYetValid),
		Summary:  "The message's timestamp is in the future by the receiver's clock.",
		Why:      "One of the clocks is wrong; until it is corrected, the age of messages is unknown.",
		Bad:      `{"timestamp": "2026-06-14T00:00:00Z", "signatureKeyId": "k1", "signature": "hmac-sha256:aa3a43f475d118b2311b6e8560a68324b529a33fb1021881e1cc522280ebfe61"}`,
		Good:     signatureExample(""),
		Receiver: `{"maxAge": "24h"}`,
	},
	{
		ID:       SignatureUnchecked,
		Severity: finding.Note,
		Summary:  "The message is signed, but there is no key to verify it.",
		Why:      "An unverified signature proves nothing: the message may be changed or forged. Give the key of the sender, or let another program verify the message.",
		Bad:      signatureExample(""),
		Good:     `{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
	},
}

// validSignature is the signature of the example message with signatureKeyId k1.
const validSignature = "hmac-sha256:5f68d2e4ebcb52b68cfad3bba91f5ad12f3b323a5884ef2d643daea46112a0f5"

// signatureExample returns the example message with a signature; "" means the valid one.
func signatureExample(signature string) string {
	if signature == "" {
		signature = validSignature
	}
	return `{"signatureKeyId": "k1", "signature": "` + signature + `"}`
}
