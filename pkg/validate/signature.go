package validate

import (
	"errors"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// checkSignature runs the signature check, which section 10.2 puts before the schema layer. It also returns
// the ID of the key that verified the message, "" for none.
func checkSignature(m *message.Message, o Options) ([]finding.Finding, string) {
	key, err := sign.Policy{Verifier: o.Verifier, Freshness: o.Freshness}.Accept(m, o.Now())
	fault := (*sign.Error)(nil)
	if !errors.As(err, &fault) {
		return nil, key.ID
	}
	return []finding.Finding{SignatureFault(fault)}, ""
}

// SignatureFault returns the finding for a signature that is invalid or not trusted.
func SignatureFault(fault *sign.Error) finding.Finding {
	f := finding.Finding{Layer: finding.Signature, Reason: SignatureInvalid, Severity: finding.Error, Rule: signaturePrefix + string(fault.Reason), Message: fault.Problem}
	return f.At(fault.Pointer, fault.Position)
}

// checkSignatures is [checkSignature] for a message, or for the canonical messages that a message of
// another format holds unencoded. For several messages, it returns no key.
func checkSignatures(m *message.Message, f format.Format, o Options) (findings []finding.Finding, key string) {
	handoffs := handoffsIn(m.Root(), f)
	if len(handoffs) == 0 {
		return checkSignature(m, o)
	}
	for _, handoff := range handoffs {
		if len(findings) == maxFindings {
			break
		}
		inner, err := message.Parse(handoff.Raw(), message.Options{Limits: jsonstream.Unlimited()})
		if err != nil {
			continue // impossible: it was parsed as a part of the message
		}
		var faults []finding.Finding
		faults, key = checkSignature(inner, o)
		for _, fault := range faults {
			findings = append(findings, fault.On(handoff.At(fault.Pointer)))
		}
	}
	if len(handoffs) > 1 {
		key = ""
	}
	return findings, key
}

// clockSkew is the default for the maximum difference between the clocks of sender and receiver.
const clockSkew = time.Minute

// SignatureUnchecked is the rule of the note about a signed message without an [Options].Verifier.
const SignatureUnchecked = signaturePrefix + "unchecked"

// noteUnchecked returns a note for a signed message whose signature was not checked.
func noteUnchecked(root jsonstream.Value) []finding.Finding {
	signature := root.Get("signature")
	if signature.Text() == "" {
		return nil
	}
	f := finding.Finding{Layer: finding.Signature, Severity: finding.Note, Rule: SignatureUnchecked,
		Message: "the signature was not verified: there is no key; give the key of the sender"}
	return []finding.Finding{f.On(signature)}
}

// signaturePrefix is the prefix of the rule IDs of package sign's reasons.
const signaturePrefix = string(finding.Signature) + "/signature-"
