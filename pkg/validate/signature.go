package validate

import (
	"errors"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// checkSignature is the signature check that section 10.2 puts before the schema
// layer. It also returns the ID of the key that verified the message, "" for none.
func checkSignature(m *message.Message, o Options) ([]finding.Finding, string) {
	key, err := sign.Policy{Verifier: o.Verifier, Freshness: o.Freshness}.Accept(m, o.Now())
	fault := (*sign.Error)(nil)
	if !errors.As(err, &fault) {
		return nil, key.ID
	}
	f := finding.Finding{Layer: finding.Signature, Reason: SignatureInvalid, Severity: finding.Error, Rule: signaturePrefix + string(fault.Reason), Message: fault.Problem}
	return []finding.Finding{f.At(fault.Pointer, fault.Position)}, ""
}

// clockSkew is by how much the clocks of sender and receiver may differ where nobody says
// how much.
const clockSkew = time.Minute

// SignatureUnchecked is the rule of the note that a message is signed and that there is
// no [Options].Verifier to check that.
const SignatureUnchecked = signaturePrefix + "unchecked"

// noteUnchecked returns a note for a signed message: its signature was not checked.
func noteUnchecked(m *message.Message) []finding.Finding {
	signature := m.Root().Get("signature")
	if signature.Text() == "" {
		return nil
	}
	f := finding.Finding{Layer: finding.Signature, Severity: finding.Note, Rule: SignatureUnchecked,
		Message: "signed, but nobody has checked the signature: there is no key to check it with; give the one of the sender"}
	return []finding.Finding{f.On(signature)}
}

// signaturePrefix makes a rule's id of a reason of package sign.
const signaturePrefix = string(finding.Signature) + "/signature-"
