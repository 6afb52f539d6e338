package validate

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/sign"
)

// signatureRules has a rule for every reason of package sign, and one for a signature that
// is not checked. The examples are signed with the key 0123456789abcdefghijklmnopqrstuv,
// which has the ID k1.
var signatureRules = []finding.Rule{
	{
		ID:      signaturePrefix + string(sign.Missing),
		Summary: "The message has no signature.",
		Why:     "Whoever can reach the queue can make up a message. A receiver that has a key never takes an unsigned one: otherwise taking the signature off would be enough to change it.",
		Bad:     `{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.Malformed),
		Summary: "The signature does not have the form hmac-sha256: and 64 lower-case hexadecimal digits.",
		Why:     "It cannot be checked. Base64 and upper-case digits are usual mistakes of a signer (docs/signing.md).",
		Bad:     signatureExample("hmac-sha256:5D5D139563C95B5967B9BD9A8C9B233A9DEDB45072794CD232DC1B74832607D0"),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.UnsupportedAlgorithm),
		Summary: "The signature was made with another algorithm than HMAC-SHA-256.",
		Why:     "The message does not choose how it is checked: an attacker would choose what is easy to forge.",
		Bad:     signatureExample("hmac-md5:9e107d9d372bb6826bd81d3542a419d6"),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.UnknownKeyID),
		Summary: "The message names a key that the receiver does not have.",
		Why:     "Either keys were rotated and the receiver was not informed, or the message comes from somebody else.",
		Bad:     strings.Replace(signatureExample(""), `"k1"`, `"k9"`, 1),
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.NotCanonicalizable),
		Summary: "A number in the message has another value in canonical form (RFC 8785).",
		Why:     "Canonical numbers are doubles: 9007199254740993 and 9007199254740992 are signed alike, so that one could replace the other under a valid signature. Write such a number as a string.",
		Bad:     `{"currentState": {"riskFlags": [], "serial": 9007199254740993}, "signature": "` + validSignature + `"}`,
		Good:    signatureExample(""),
	},
	{
		ID:      signaturePrefix + string(sign.Mismatch),
		Summary: "The signature does not hold for this content.",
		Why:     "The message was changed after it was signed, or signed with another key. handoff verify can look for the cause.",
		Bad:     signatureExample("hmac-sha256:5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0"),
		Good:    signatureExample(""),
	},
	{
		ID:       SignatureUnchecked,
		Severity: finding.Note,
		Summary:  "The message is signed, and there is no key to check it with.",
		Why:      "A signature that nobody has checked says nothing: whoever changed the message has changed it too, or made it up. Give the key of the sender, or let another program verify the message.",
		Bad:      signatureExample(""),
		Good:     `{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
	},
}

// validSignature is that of the example message with signatureKeyId k1.
const validSignature = "hmac-sha256:5f68d2e4ebcb52b68cfad3bba91f5ad12f3b323a5884ef2d643daea46112a0f5"

// signatureExample returns the example message with a signature; "" means the valid one.
func signatureExample(signature string) string {
	if signature == "" {
		signature = validSignature
	}
	return `{"signatureKeyId": "k1", "signature": "` + signature + `"}`
}
