package receiver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A Delivery is a received message with the results of its examination.
type Delivery struct {
	Raw    []byte // as received
	Result validate.Result
	// Transport is the transport's name, "" if unknown; LatencyMicros is the time in transit, in
	// microseconds.
	Transport     string
	LatencyMicros int64
	// ReplyTo is the transport's address for answers to the sender; "" for none. It is stored while the
	// message is in flight, for [Left], if it is valid UTF-8 without zero bytes and at most 4096 bytes long.
	ReplyTo string
	// DispatchedAt is the time of sending, and Attempt the sender's number of the attempt, from 1; zero if
	// unknown. A message that was sent before its task was rolled back is rejected: its sender knows of the
	// rollback, and may have sent the message again or elsewhere.
	DispatchedAt time.Time
	Attempt      int

	record       audit.Record
	frame        []byte
	parentDigest string         // digest of the message that gave the task to the sender, "" if unknown
	part         *personal.Part // nil without personal data
	tried        audit.Hash     // record of the acceptance by the last try
	rejected     Answer         // the last try's answer; zero if it was not a rejection
	abandoned    bool           // see [Streamed]
}

// isStale reports whether a message was sent before its task was rolled back, and is not from a later attempt
// of its sender. A sender's numbers of attempts are trusted even if its clock is ahead; if the numbers begin
// again, its store was lost or pruned long ago.
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

// Examine examines a message. damage is the reason why its bytes are not one document, or nil. The error is
// that of the scanner or of ctx: then the message is neither accepted nor rejected.
func (r *Receiver) Examine(ctx context.Context, raw jsonstream.Raw, damage *jsonstream.SyntaxError) (*Delivery, error) {
	return r.examine(raw, damage, func(m *message.Message) (validate.Result, error) { return r.validator.Validate(ctx, m) })
}

// examine examines a message, which check checks if its bytes are JSON.
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
			errors.As(err, &damage) // always a SyntaxError
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

// ExamineUnusable returns the delivery for bytes that are not a usable message, to be rejected with an
// explanation. All of it is treated as personal data.
func (r *Receiver) ExamineUnusable(raw []byte, why string) *Delivery {
	return r.examineUnusable(raw, nil, why)
}

// ExamineUnshown returns the delivery for a valid message that cannot be handed over, with an explanation.
// Its personal data belongs to its subject, as if it had been accepted. Its id stays free: the sender may
// send it again.
func (r *Receiver) ExamineUnshown(raw []byte, why string) *Delivery {
	m, err := message.Parse(raw, message.Options{Limits: r.options.Limits})
	if err != nil {
		m = nil // then all of it is personal data
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

// keep prepares the stored form of the message. m is nil if the bytes are not a message. All of a chunk is
// personal data.
func (r *Receiver) keep(d *Delivery, m *message.Message) {
	text := d.Raw
	if r.options.Personal != nil {
		if m != nil {
			if _, ok := chunked.HeadOf(m.Root()); ok { // a policy has pointers into whole messages, not into chunks
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

// describe sets the record's members from the message.
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

// maxReceivers is the maximum length of a receiverList in a record.
const maxReceivers = 1000

// name returns an id, or the name of an agent.
func name(v jsonstream.Value) string { return boundedName(v.Text()) }

// maxAmount is the maximum length of a stored amount, in bytes: a number may have a million digits.
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

// digest returns the SHA-256 of a message's canonical form (RFC 8785). If it has none, because a number is
// not an IEEE double, its bytes are digested.
func digest(m *message.Message) audit.Hash {
	d, err := m.Digest()
	if err != nil {
		return sha256.Sum256(bytes.TrimSpace(m.Raw()))
	}
	return audit.Hash(d)
}

// maxFindings is the maximum number of findings in a record, and maxText the maximum length of their texts,
// in bytes: people read records, and the message is stored beside it.
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
