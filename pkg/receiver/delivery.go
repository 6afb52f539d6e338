package receiver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/personal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Delivery is a message that was brought, and what was found in it.
type Delivery struct {
	Raw    []byte // as it came
	Result validate.Result
	// Transport is what it came by, "" if nothing is known; LatencyMicros how long that
	// took, in microseconds.
	Transport     string
	LatencyMicros int64

	record       audit.Record
	frame        []byte
	parentDigest string         // of the message by which the sender got the task, "" if it does not say
	part         *personal.Part // nil if nothing is personal
}

// Examine looks at a message. damage is why its bytes could not be had as one document, or
// nil. The error is that of the scanner or of ctx: then the message is neither accepted nor
// rejected.
func (r *Receiver) Examine(ctx context.Context, raw jsonstream.Raw, damage *jsonstream.SyntaxError) (*Delivery, error) {
	d := &Delivery{Raw: raw.Bytes}
	d.record.MessageBytes = int64(len(raw.Bytes))
	parser := r.parsers.Get().(*message.Parser)
	defer r.parsers.Put(parser)
	var m *message.Message
	if damage == nil {
		var err error
		if m, err = parser.Parse(raw, message.Options{Limits: r.options.Limits}); err != nil {
			errors.As(err, &damage) // it is never anything else
		}
	}
	if damage != nil {
		d.Result = validate.Malformed(damage)
		d.record.MessageDigest = sha256.Sum256(raw.Bytes)
	} else {
		var err error
		if d.Result, err = r.validator.Validate(ctx, m); err != nil {
			return nil, err
		}
		d.describe(m)
	}
	text := raw.Bytes
	if r.options.Personal != nil {
		if d.part = r.options.Personal.Separate(raw.Bytes, m); d.part != nil {
			text = d.part.Text
			d.part.Withhold(&d.record.Details)
			d.record.MessageBytes = int64(len(text))
		}
	}
	d.frame = r.frames.Append(nil, text)
	d.record.FrameDigest = sha256.Sum256(d.frame)
	return d, nil
}

// describe fills the record with what a message says of itself.
func (d *Delivery) describe(m *message.Message) {
	root, r := m.Root(), &d.record
	r.HandoffID = m.HandoffID()
	r.TaskID = root.Get("taskId").Text()
	r.ParentHandoffID = root.Get("parentHandoffId").Text()
	r.Sender = root.Get("fromAgent").Get("agentId").Text()
	r.Receiver = root.Get("toAgent").Get("agentType").Text()
	cost := root.Get("costTracking")
	r.CostSpentUSD = amount(cost.Get("costSpentSoFarUSD"))
	r.CostRemainingUSD = amount(cost.Get("costBudgetRemainingUSD"))
	r.PromptTokens = count(cost.Get("tokenSpent").Get("prompt"))
	r.CompletionTokens = count(cost.Get("tokenSpent").Get("completion"))
	if t, err := message.ParseTraceparent(root.Get("traceparent").Text()); err == nil {
		r.TraceID = hex.EncodeToString(t.TraceID[:])
	}
	r.Details.Compressed = root.Get("conversationHistorySummary").Text() != ""
	for _, receiver := range root.Get("receiverList").Elements() {
		if receiver.Kind() == jsonstream.Object {
			receiver = receiver.Get("agentType")
		}
		if name := receiver.Text(); name != "" {
			r.Details.Receivers = append(r.Details.Receivers, name)
		}
	}
	r.MessageDigest = digest(m)
	r.KeyID = d.Result.SignedBy
	d.parentDigest = m.ParentDigest().Text()
	d.noteFindings()
}

// maxAmount is the longest amount that is kept, in bytes: a number may have a million digits.
const maxAmount = 64

func amount(v jsonstream.Value) string {
	if v.Kind() != jsonstream.Number || len(v.Raw()) > maxAmount {
		return ""
	}
	return string(v.Raw())
}

func count(v jsonstream.Value) int64 {
	if v.Kind() != jsonstream.Number {
		return 0
	}
	decimal := jsonstream.ParseDecimal(v.Raw())
	n, _ := decimal.Count()
	return int64(n)
}

// digest returns the SHA-256 of a message's canonical form (RFC 8785), or of its bytes if it
// has none, since one of its numbers is none of JSON's doubles.
func digest(m *message.Message) audit.Hash {
	d, err := m.Digest()
	if err != nil {
		return sha256.Sum256(bytes.TrimSpace(m.Raw()))
	}
	return audit.Hash(d)
}

// maxFindings is how many findings a record keeps, and maxText how much of their texts, in
// bytes: a record is read by people, and its message is beside it.
const (
	maxFindings = 16
	maxText     = 300
)

func (d *Delivery) noteFindings() {
	details := &d.record.Details
	for _, f := range d.Result.Findings {
		if f.Severity != finding.Error && d.Result.Valid && f.Severity != finding.Warning {
			continue
		}
		if len(details.Findings) == maxFindings {
			details.MoreFindings++
			continue
		}
		details.Findings = append(details.Findings, audit.Finding{Rule: f.Rule, Severity: f.Severity, Pointer: clip(f.Pointer), Message: clip(f.Message)})
	}
}

// clip returns the beginning of a text.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
