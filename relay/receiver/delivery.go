package receiver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/eaapl/handoff/pkg/chunked"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A Delivery is a message that was brought, and what was found in it.
type Delivery struct {
	Raw    []byte // as it came
	Result validate.Result
	// Transport is what it came by, "" if nothing is known; LatencyMicros how long that
	// took, in microseconds.
	Transport     string
	LatencyMicros int64
	// ReplyTo is where the sender waits for the answer, as the transport has it; "" for nowhere.
	// As long as the message is under way, it is kept, so that [Left] has it: if it is valid
	// UTF-8 without zero bytes, and 4096 bytes at most.
	ReplyTo string
	// DispatchedAt is when the sender sent it, and Attempt its number of that, from 1; zero if
	// nobody says. One that was sent before its task was rolled back is rejected: its sender has
	// been told, and may have sent it again or elsewhere.
	DispatchedAt time.Time
	Attempt      int

	record       audit.Record
	frame        []byte
	parentDigest string         // of the message by which the sender got the task, "" if it does not say
	part         *personal.Part // nil if nothing is personal
	tried        audit.Hash     // of the record by which the last try has accepted it
	rejected     Answer         // of the last try; zero if that did not reject it
	abandoned    bool           // see [Streamed]
}

// isStale reports whether a message was sent before its task was rolled back, and its sender has
// made no other attempt. A sender that numbers its attempts is believed although its clock may be
// ahead; where it begins to number anew, its store was lost or pruned long ago.
func (d *Delivery) isStale(before *past) bool {
	if before.accepted != nil || before.rolledBack == nil || d.DispatchedAt.IsZero() {
		return false
	}
	until := before.rolledBack.RecordedAt
	if d.Attempt > 0 {
		until = until.Add(audit.MaxSkew)
	}
	return d.Attempt <= cmp.Or(before.lost.Details.SenderAttempt, before.lost.Attempt) && d.DispatchedAt.Before(until)
}

// Examine looks at a message. damage is why its bytes could not be had as one document, or
// nil. The error is that of the scanner or of ctx: then the message is neither accepted nor
// rejected.
func (r *Receiver) Examine(ctx context.Context, raw jsonstream.Raw, damage *jsonstream.SyntaxError) (*Delivery, error) {
	return r.examine(raw, damage, func(m *message.Message) (validate.Result, error) { return r.validator.Validate(ctx, m) })
}

// examine looks at a message that is checked by check, if its bytes are JSON.
func (r *Receiver) examine(raw jsonstream.Raw, damage *jsonstream.SyntaxError, check func(*message.Message) (validate.Result, error)) (*Delivery, error) {
	d := &Delivery{Raw: raw.Bytes}
	d.record.MessageBytes = int64(len(raw.Bytes))
	d.record.Receiver = r.options.As
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
		if d.Result, err = check(m); err != nil {
			return nil, err
		}
		d.describe(m)
	}
	r.keep(d, m)
	return d, nil
}

// ExamineUnusable returns what is recorded of something that is no message, and of which nobody can make
// anything: that it is rejected, and why. All of it counts as personal data.
func (r *Receiver) ExamineUnusable(raw []byte, why string) *Delivery {
	return r.examineUnusable(raw, nil, why)
}

// ExamineUnshown returns what is recorded of a valid message that nobody can be given, and why. Its personal
// data is that of its subject, as if it had been accepted. Its id stays free: the sender may send it again.
func (r *Receiver) ExamineUnshown(raw []byte, why string) *Delivery {
	m, err := message.Parse(raw, message.Options{Limits: r.options.Limits})
	if err != nil {
		m = nil // then all of it is personal
	}
	return r.examineUnusable(raw, m, why)
}

func (r *Receiver) examineUnusable(raw []byte, m *message.Message, why string) *Delivery {
	d := &Delivery{Raw: raw, Result: validate.Result{Reason: validate.SchemaInvalid, Details: why, Findings: []finding.Finding{{
		Layer: finding.Schema, Reason: validate.SchemaInvalid, Severity: finding.Error, Rule: "transport/unusable", Message: why,
	}}}}
	d.record.MessageBytes, d.record.MessageDigest, d.record.Receiver = int64(len(raw)), sha256.Sum256(raw), r.options.As
	d.noteFindings()
	r.keep(d, m)
	return d
}

// keep prepares what is kept beside the record. m is nil if the bytes are no message. Of a chunk, all is
// personal.
func (r *Receiver) keep(d *Delivery, m *message.Message) {
	text := d.Raw
	if r.options.Personal != nil {
		if m != nil {
			if _, ok := chunked.HeadOf(m.Root()); ok { // a policy names places in messages, and no part of one
				m = nil
			}
		}
		if d.part = r.options.Personal.Separate(d.Raw, m, d.record.Details.Findings != nil); d.part != nil {
			text = d.part.Text
			d.part.Withhold(&d.record.Details)
			d.record.MessageBytes = int64(len(text))
		}
	}
	d.frame = audit.AppendFrame(nil, text)
	d.record.FrameDigest = sha256.Sum256(d.frame)
}

// describe fills the record with what a message says of itself.
func (d *Delivery) describe(m *message.Message) {
	root, r := m.Root(), &d.record
	r.HandoffID = boundedName(m.HandoffID())
	r.TaskID = name(root.Get("taskId"))
	r.ParentHandoffID = name(root.Get("parentHandoffId"))
	r.Sender = name(root.Get("fromAgent").Get("agentId"))
	if r.Receiver == "" {
		r.Receiver = name(root.Get("toAgent").Get("agentType"))
	}
	cost := root.Get("costTracking")
	r.CostSpentUSD = amount(cost.Get("costSpentSoFarUSD"))
	r.CostRemainingUSD = amount(cost.Get("costBudgetRemainingUSD"))
	r.PromptTokens = count(cost.Get("tokenSpent").Get("prompt"))
	r.CompletionTokens = count(cost.Get("tokenSpent").Get("completion"))
	if t, err := message.ParseTraceparent(root.Get("traceparent").Text()); err == nil {
		r.TraceID = hex.EncodeToString(t.TraceID[:])
	}
	r.Details.Compressed = root.Get("conversationHistorySummary").Text() != ""
	for i, receiver := range root.Get("receiverList").Elements() {
		if i == maxReceivers {
			break
		}
		if name := name(message.ReceiverType(receiver)); name != "" {
			r.Details.Receivers = append(r.Details.Receivers, name)
		}
	}
	r.MessageDigest = digest(m)
	r.KeyID = d.Result.SignedBy
	d.parentDigest = m.ParentDigest().Text()
	d.noteFindings()
}

// maxReceivers is how many of a receiverList a record keeps.
const maxReceivers = 1000

// name returns an id, or the name of an agent.
func name(v jsonstream.Value) string { return boundedName(v.Text()) }

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
func clip(text string) string { return boundedText(text, maxText) }
