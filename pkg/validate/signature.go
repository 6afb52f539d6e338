package validate

import (
	"errors"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// checkSignature is the signature check that section 10.2 puts before the schema
// layer.
func checkSignature(m *message.Message, verifier *sign.Verifier) []Finding {
	_, err := verifier.Verify(m)
	fault := (*sign.Error)(nil)
	if !errors.As(err, &fault) {
		return nil
	}
	f := Finding{Layer: Signature, Reason: SignatureInvalid, Severity: Error, Keyword: signaturePrefix + string(fault.Reason), Message: fault.Problem}
	return []Finding{f.at(fault.Pointer, fault.Position)}
}

// signaturePrefix makes a rule's id of a reason of package sign.
const signaturePrefix = "signature-"
