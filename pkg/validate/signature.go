package validate

import (
	"errors"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// checkSignature is the signature check that section 10.2 puts before the schema
// layer.
func checkSignature(m *message.Message, verifier *sign.Verifier) []finding.Finding {
	_, err := verifier.Verify(m)
	fault := (*sign.Error)(nil)
	if !errors.As(err, &fault) {
		return nil
	}
	f := finding.Finding{Layer: finding.Signature, Reason: SignatureInvalid, Severity: finding.Error, Rule: signaturePrefix + string(fault.Reason), Message: fault.Problem}
	return []finding.Finding{f.At(fault.Pointer, fault.Position)}
}

// signaturePrefix makes a rule's id of a reason of package sign.
const signaturePrefix = string(finding.Signature) + "/signature-"
