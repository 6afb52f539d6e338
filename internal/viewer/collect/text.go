package collect

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Text is a message as shown on a page. The zero value is a missing message.
type Text struct {
	bytes     []byte
	masked    bool                 // credentials are replaced by asterisks
	malformed string               // the reason why it is not strict JSON, "" if it is
	doc       *jsonstream.Document // nil if it is malformed
}

// Text returns a message, with asterisks for credentials unless they are to be shown.
func (o *Options) Text(message []byte) *Text {
	doc, err := parse(jsonstream.NewRaw(message), o.Limits)
	t := &Text{doc: doc}
	t.bytes, t.masked = o.mask(message, doc, "")
	switch {
	case err != nil:
		t.malformed = err.Error()
	case t.masked:
		t.doc, _ = parse(jsonstream.NewRaw(t.bytes), o.Limits) // masking keeps valid JSON valid
	}
	return t
}

// show sets the message of details.
func (t *Text) show(d *viewer.Details) {
	d.Masked, d.Malformed = t.masked, t.malformed
	if utf8.Valid(t.bytes) {
		d.Message = string(t.bytes)
	} else {
		d.Message, d.Base64 = base64.StdEncoding.EncodeToString(t.bytes), true
	}
}

// Signature returns the unverified signature of a canonical message, nil if the message is
// malformed.
func (t *Text) Signature() *viewer.Signature {
	if t.doc == nil {
		return nil
	}
	root := t.doc.Root()
	algorithm, _, _ := strings.Cut(root.Get("signature").Text(), ":")
	return &viewer.Signature{Algorithm: algorithm, KeyID: root.Get("signatureKeyId").Text(), Verdict: "it was not verified: no key was given"}
}

// judge sets the result of verifying a signature, based on the findings of its message.
func judge(s *viewer.Signature, findings []finding.Finding) {
	holds := true
	s.Verdict, s.Holds = "it is valid under a given key", &holds
	for _, f := range findings {
		if f.Layer == finding.Signature && f.Severity == finding.Error {
			holds, s.Verdict = false, f.Message
			break
		}
	}
}
