package build

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Options complete a state.
type Options struct {
	// From is the agent that hands over; without an AgentID, the state's fromAgent. Its
	// ExecutionID counts only if the state has none; if neither has one, a new one is made.
	From message.FromAgent
	// To is the kind of agent to take over; without an AgentType, the state's toAgent.
	To message.ToAgent
	// Also has further kinds of agents that each get the message: a fan-out (section 14.2),
	// whose receiverList names To and Also. A state that has its own receiverList is then an
	// [*InputError].
	Also []message.ToAgent
	// Parent is the message by which From got the task, unchanged; nil for the first handoff of
	// a task. Its [message.Digest] is recorded in extensions.parentDigest.
	Parent *message.Message
	// Constraints are added to the constraints of the parent and the state.
	Constraints []string
	// Traceparent is the W3C traceparent of the span that hands over, such as TRACEPARENT in
	// the environment. It is ignored if it is invalid, or belongs to a different trace from
	// the parent's.
	Traceparent string
	// AllowExhausted builds the message even if nothing remains of the budget.
	AllowExhausted bool
	// Provenance adds the origins of the message's values to the extensions
	// (extensions.provenance, pointers and origins): scanners are stricter there.
	Provenance bool
	// Set is applied last, in order and without a check: an override of the budget does not
	// count for AllowExhausted.
	Set []Override
	// Now is the message's timestamp, written in UTC with milliseconds; the
	// zero Time means time.Now().
	Now time.Time
	// Random supplies the IDs, in this order: handoffId, taskId and executionId if new (16
	// bytes each), trace-id if new (16), span (8). Nil means crypto/rand.
	Random io.Reader
}

// An Override replaces or adds one value of the message.
type Override struct {
	Pointer string // JSON Pointer, as in [jsonstream.Draft.Set]
	Value   []byte // a JSON text
}

// Message returns the message for a state, as compact JSON in the member order of section 5.2.
//
// The state must have passed its schema; [Checked] is for any state. Message copies most of a
// state unchecked and unchanged, so the message of any other state must be validated. The
// error is an [*InputError] for an unusable input, such as an invalid parent or a state that
// is not filled in ([Skeleton]), and an [*ExhaustedError] if nothing remains of the budget.
// Other errors are about the options. Only the first error is returned; [Checked] returns all.
// Message is safe for concurrent use if o.Random is.
func Message(state *jsonstream.Document, o Options) (*message.Message, error) {
	b := newBuilder(state, o)
	text := b.message()
	if b.errs != nil {
		return nil, b.errs[0]
	}
	m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
	if err == nil {
		m, err = withEvidence(m)
	}
	if err != nil || len(o.Set) == 0 {
		return m, err
	}
	if text, err = override(m, o.Set); err != nil {
		return nil, err
	}
	return message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
}

// withEvidence returns the message with the evidence of its claims.
func withEvidence(m *message.Message) (*message.Message, error) {
	text, err := claims.AddEvidence(m.Document())
	if err != nil || bytes.Equal(text, m.Raw()) {
		return m, err
	}
	return message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
}

// A builder makes the members of a message. Its output after an error is discarded.
type builder struct {
	o      Options
	state  input
	parent input // without a root for the first handoff
	errs   []error
}

func newBuilder(state *jsonstream.Document, o Options) *builder {
	b := &builder{o: o}
	b.state, b.parent = input{State, state.Root(), b.note}, input{name: Parent, note: b.note}
	b.state.expect("", b.state.root, jsonstream.Object)
	b.filledIn()
	if o.Parent != nil {
		b.parent.root = o.Parent.Root()
		b.parent.expect("", b.parent.root, jsonstream.Object)
	}
	if b.o.Random == nil {
		b.o.Random = rand.Reader
	}
	if b.o.Now.IsZero() {
		b.o.Now = time.Now()
	}
	return b
}

// note records an error, unless it is nil.
func (b *builder) note(err error) {
	if err != nil {
		b.errs = append(b.errs, err)
	}
}

// message returns the text of the message before the overrides, nil if the state or the parent
// has errors.
func (b *builder) message() []byte {
	members := []struct {
		name string
		make func() []byte // nil leaves the member out
	}{
		{"schemaVersion", b.quoted(message.SchemaVersion)},
		{"handoffId", b.newID},
		{"taskId", b.taskID},
		{"parentHandoffId", b.parentHandoffID},
		{"fromAgent", b.fromAgent},
		{"toAgent", b.toAgent},
		{"receiverList", b.receiverList},
		{"timestamp", b.quoted(b.o.Now.UTC().Format("2006-01-02T15:04:05.000Z"))},
		{"taskDescription", b.taskDescription},
		{"completedSubtasks", b.completedSubtasks},
		{"remainingSubtasks", b.remainingSubtasks},
		{"currentState", b.copied("currentState", `{}`)},
		{"relevantContext", b.copied("relevantContext", `[]`)},
		{"constraints", b.constraints},
		{"costTracking", b.costTracking},
		{"conversationHistorySummary", b.copied("conversationHistorySummary", `""`)},
		{"conversationHistoryVerbatim", b.copied("conversationHistoryVerbatim", `[]`)},
		{"toolCallHistory", b.toolCallHistory},
		{"traceparent", b.traceparent},
		{"personalDataPayload", b.copied("personalDataPayload", "")},
		{"extensions", b.extensions},
	}
	text := []byte{'{'}
	for _, m := range members {
		if value := m.make(); value != nil {
			text = appendMember(text, m.name, value)
		}
	}
	if b.errs != nil {
		return nil
	}
	return jsonstream.AppendCompact(nil, append(text, '}'))
}

// appendMember appends a member to an object that is still open.
func appendMember(object []byte, name string, value []byte) []byte {
	object, _ = jsontext.AppendQuote(jsonstream.AppendComma(object), name)
	object = append(object, ':')
	return append(object, value...)
}

// quote returns a JSON string.
func (b *builder) quote(s string) []byte { return b.noted(jsontext.AppendQuote(nil, s)) }

func (b *builder) quoted(s string) func() []byte { return func() []byte { return b.quote(s) } }

// noted returns text and records err.
func (b *builder) noted(text []byte, err error) []byte {
	b.note(err)
	return text
}

// copied returns the text of the state's member, or none if it is absent.
func (b *builder) copied(name, none string) func() []byte {
	return func() []byte {
		if v := b.state.root.Get(name); v.Exists() || none == "" {
			return v.Raw()
		}
		return []byte(none)
	}
}

func (b *builder) newUUID() string {
	id, err := uuid.NewRandomFromReader(b.o.Random)
	if err != nil {
		b.note(fmt.Errorf("making an id: %w", err))
	}
	return id.String()
}

func (b *builder) newID() []byte { return b.quote(b.newUUID()) }

// fromAgent returns the agent of the options, or else the state's. Its executionId comes
// from the state or the options, or is new.
func (b *builder) fromAgent() []byte {
	from, own := b.o.From, b.state.root.Get("fromAgent")
	run := b.state.get("executionId", jsonstream.String).Text()
	if from.AgentID == "" && own.Exists() {
		b.state.expect("/fromAgent", own, jsonstream.Object)
		run = cmp.Or(run, own.Get("executionId").Text(), from.ExecutionID)
		agent := []byte{'{'}
		for name, v := range own.Members() {
			if name != "executionId" {
				agent = appendMember(agent, name, v.Raw())
			}
		}
		return append(appendMember(agent, "executionId", b.quote(b.idOr(run))), '}')
	}
	from.ExecutionID = b.idOr(cmp.Or(run, from.ExecutionID))
	b.checkText("sending agent", from.AgentID, from.AgentVersion, from.ExecutionID)
	return b.noted(json.Marshal(from))
}

// idOr returns id, or a new ID if it is "".
func (b *builder) idOr(id string) string {
	if id == "" {
		return b.newUUID()
	}
	return id
}

func (b *builder) toAgent() []byte {
	own := b.state.root.Get("toAgent")
	if b.o.To.AgentType == "" && own.Exists() {
		return own.Raw()
	}
	for _, to := range append([]message.ToAgent{b.o.To}, b.o.Also...) {
		b.checkText("target agent", to.AgentType, to.AgentVersion)
	}
	return b.noted(json.Marshal(b.o.To))
}

// receiverList returns the state's member or, if the options have several receivers, a list of
// them. toAgent has checked them.
func (b *builder) receiverList() []byte {
	own := b.state.root.Get("receiverList")
	if len(b.o.Also) == 0 {
		return own.Raw()
	}
	if own.Exists() {
		b.state.fail("/receiverList", "the state lists receivers, and several are given as well: name all of them in one of the two")
	}
	return b.noted(json.Marshal(append([]message.ToAgent{b.o.To}, b.o.Also...)))
}

// checkText rejects texts that arguments and environments can hold and JSON cannot.
func (b *builder) checkText(what string, texts ...string) {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			b.note(fmt.Errorf("%s: %q is not valid UTF-8: write it in UTF-8", what, s))
		}
	}
}

// override returns the compact text of a message with values set.
func override(m *message.Message, list []Override) ([]byte, error) {
	draft := jsonstream.NewDraft(m.Root())
	for _, o := range list {
		err := draft.Set(o.Pointer, o.Value)
		if bad := (*jsonstream.SyntaxError)(nil); errors.As(err, &bad) {
			// Not wrapped: its position would be taken for one in the state.
			return nil, fmt.Errorf("set %s: %v; the value is JSON, where strings are in double quotes", o.Pointer, err)
		}
		if err != nil {
			return nil, fmt.Errorf("set %w", err)
		}
	}
	return jsonstream.AppendCompact(nil, draft.Bytes()), nil
}
