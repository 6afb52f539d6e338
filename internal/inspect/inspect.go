// Package inspect summarises a handoff message of any format for a person: sender and receiver,
// tasks, costs, and the sizes of its parts.
//
// It does not validate: package validate does. Any well-formed JSON document has facts; the
// facts of a member that is missing or of the wrong type are empty.
package inspect

import (
	"bytes"
	"cmp"
	"encoding/hex"
	stdjson "encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Facts are the facts of one message. No slice is nil. Texts are unchanged: as long and as
// hostile as in the message.
//
// The fields correspond to the members of canonical messages, and hold the equivalent members
// of other formats: sender and receiver, identifiers, description, conversation and tools. The
// rest is in the member of its format.
type Facts struct {
	Format format.Format `json:"format"` // "" for a document in none

	SchemaVersion   string     `json:"schemaVersion"`
	HandoffID       string     `json:"handoffId"`
	TaskID          string     `json:"taskId"`
	ParentHandoffID string     `json:"parentHandoffId"` // "" for none
	First           bool       `json:"first"`           // the first handoff of its task: parentHandoffId is null
	From            Sender     `json:"fromAgent"`
	To              Receiver   `json:"toAgent"`
	Receivers       []Receiver `json:"receiverList"`
	Timestamp       string     `json:"timestamp"`
	TraceID         string     `json:"traceId"` // "" unless traceparent is valid
	Signed          bool       `json:"signed"`  // whether there is a signature, valid or not
	SignatureKeyID  string     `json:"signatureKeyId"`

	TaskDescription string    `json:"taskDescription"`
	Completed       []Subtask `json:"completedSubtasks"`
	Remaining       []Subtask `json:"remainingSubtasks"`
	Constraints     []string  `json:"constraints"`

	Budget Budget `json:"budget"`
	Tokens Tokens `json:"tokens"`

	Bytes        int      `json:"bytes"`               // as read
	CompactBytes int      `json:"compactBytes"`        // without white space between tokens
	SizeTokens   int      `json:"sizeTokens,omitzero"` // of the whole message, after [Facts.CountTokens]
	Members      []Member `json:"members"`             // of the message, largest first

	SummaryCharacters int    `json:"summaryCharacters"` // of conversationHistorySummary
	VerbatimTurns     int    `json:"verbatimTurns"`
	Roles             []Role `json:"roles"` // of the verbatim turns, in order of appearance
	Tools             []Tool `json:"tools"` // in order of their first calls

	Extensions []string `json:"extensions"` // namespaces

	Context *Context `json:"context,omitzero"` // nil where the message carries none, or is its own
	// Detected describes the detection of the format; nil if a member names it, or it was
	// given.
	Detected *Detected `json:"detected,omitzero"`
	// Profile has the data that only messages of the format have, nil for canonical ones. In
	// JSON its Details are in a member with the name of the format's system.
	Profile *format.Profile `json:"-"`
}

// MarshalJSON encodes the facts as one object.
func (f Facts) MarshalJSON() ([]byte, error) {
	type members Facts
	var details map[string]any
	if f.Profile != nil && f.Profile.Details != nil {
		details = map[string]any{formats.Named(f.Format).System: f.Profile.Details}
	}
	return json.Marshal(struct {
		members
		Details map[string]any `json:",embed"`
	}{members(f), details}, json.Deterministic(true))
}

// Detected is the evidence for a detected format.
type Detected struct {
	Members []string `json:"members"` // that indicate it, by their names
	// Turn is the JSON Pointer of the first turn that fits no other format, "" if there is none.
	Turn string `json:"turn"`
	// Also are the other formats that the turns fit.
	Also []format.Format `json:"also"`
}

// A Sender is the agent that hands over.
type Sender struct {
	ID          string `json:"agentId"`
	Version     string `json:"agentVersion"`
	ExecutionID string `json:"executionId"`
}

// A Receiver is a kind of agent to take over.
type Receiver struct {
	Type    string `json:"agentType"`
	Version string `json:"agentVersion"` // the required range, "" for any
}

// A Subtask is a part of the task.
type Subtask struct {
	ID          string `json:"subtaskId"`
	Description string `json:"description"`
	CompletedAt string `json:"completedAt,omitempty"`
	// Evidence has the verdicts on the claims of a completed subtask.
	Evidence []Verdict `json:"evidence,omitempty"`
}

// A Verdict is the sender's verdict on a claim.
type Verdict struct {
	Claim   string `json:"claim"` // its subject, such as "tests"
	Path    string `json:"path,omitempty"`
	Verdict string `json:"verdict"` // "shown", "contradicted" or "not-shown"
}

// A Budget is the relay of section 9. Numbers have the text of the message, or are nil if
// absent.
type Budget struct {
	SpentUSD     stdjson.RawMessage `json:"spentUSD"`
	RemainingUSD stdjson.RawMessage `json:"remainingUSD"`
	// SpentShare is spent / (spent + remaining), from 0 to 1, rounded to four digits; 1 also if
	// more than the budget is spent. It is nil if one of the two is missing or beyond
	// [jsonstream.SafeNumber].
	SpentShare *float64 `json:"spentShare"`
}

// Tokens counts the tokens of the whole task so far.
type Tokens struct {
	Prompt     stdjson.RawMessage `json:"prompt"` // as the message has it, nil for none
	Completion stdjson.RawMessage `json:"completion"`
	Total      *int64             `json:"total"` // nil unless both are counts
}

// A Member is a member of the message itself.
type Member struct {
	Name   string  `json:"name"`
	Bytes  int     `json:"bytes"`           // of its name, the colon and its compact value
	Share  float64 `json:"share"`           // of Facts.CompactBytes
	Tokens int     `json:"tokens,omitzero"` // of its value, after [Facts.CountTokens]
}

// A Role is a role of the verbatim turns.
type Role struct {
	Role   string `json:"role"` // "" for turns without one
	Turns  int    `json:"turns"`
	Bytes  int    `json:"bytes"`           // of the compact turns
	Tokens int    `json:"tokens,omitzero"` // after [Facts.CountTokens]
}

// A Tool is a tool that was called.
type Tool struct {
	Tool         string `json:"tool"` // "" for calls that do not name one
	Calls        int    `json:"calls"`
	OutputTokens int64  `json:"outputTokens"` // of the calls that say so
}

// Of returns the facts of m, a message of the given format, or of an unknown one if that is "".
// limits bound its carried content.
func Of(m *message.Message, of format.Format, limits jsonstream.Limits) Facts {
	if of != format.EAAPL && of != "" {
		return ofFormat(m, of, limits)
	}
	root := m.Root()
	text := func(name string) string { return root.Get(name).Text() }
	f := Facts{
		Format:            of,
		SchemaVersion:     text("schemaVersion"),
		HandoffID:         text("handoffId"),
		TaskID:            text("taskId"),
		ParentHandoffID:   text("parentHandoffId"),
		First:             root.Get("parentHandoffId").Kind() == jsonstream.Null,
		To:                receiver(root.Get("toAgent")),
		Receivers:         []Receiver{},
		Timestamp:         text("timestamp"),
		Signed:            text("signature") != "",
		SignatureKeyID:    text("signatureKeyId"),
		TaskDescription:   text("taskDescription"),
		Completed:         subtasks(root.Get("completedSubtasks")),
		Remaining:         subtasks(root.Get("remainingSubtasks")),
		Constraints:       []string{},
		Budget:            budget(root.Get("costTracking")),
		Tokens:            tokens(root.Get("costTracking").Get("tokenSpent")),
		Bytes:             len(m.Raw()),
		SummaryCharacters: utf8.RuneCountInString(text("conversationHistorySummary")),
		Tools:             tools(root.Get("toolCallHistory")),
		Extensions:        []string{},
	}
	from := root.Get("fromAgent")
	f.From = Sender{from.Get("agentId").Text(), from.Get("agentVersion").Text(), from.Get("executionId").Text()}
	for _, r := range root.Get("receiverList").Elements() {
		f.Receivers = append(f.Receivers, receiver(r))
	}
	if t, err := message.ParseTraceparent(text("traceparent")); err == nil {
		f.TraceID = hex.EncodeToString(t.TraceID[:])
	}
	for _, c := range root.Get("constraints").Elements() {
		if c.Kind() == jsonstream.String {
			f.Constraints = append(f.Constraints, c.Text())
		}
	}
	for namespace := range root.Get("extensions").Members() {
		f.Extensions = append(f.Extensions, namespace)
	}
	sizes, whole := newSizer(root)
	f.CompactBytes, f.Members = whole, members(root, sizes, whole)
	turns := elements(root.Get("conversationHistoryVerbatim"))
	f.VerbatimTurns, f.Roles = len(turns), roles(turns, sizes, roleOf)
	return f
}

func elements(list jsonstream.Value) []jsonstream.Value {
	var all []jsonstream.Value
	for _, v := range list.Elements() {
		all = append(all, v)
	}
	return all
}

func receiver(v jsonstream.Value) Receiver {
	return Receiver{message.ReceiverType(v).Text(), v.Get("agentVersion").Text()}
}

func subtasks(list jsonstream.Value) []Subtask {
	all := []Subtask{}
	for _, s := range list.Elements() {
		one := Subtask{ID: s.Get("subtaskId").Text(), Description: s.Get("description").Text(), CompletedAt: s.Get("completedAt").Text()}
		for _, e := range s.Get("evidence").Elements() {
			one.Evidence = append(one.Evidence, Verdict{e.Get("claim").Text(), e.Get("path").Text(), e.Get("verdict").Text()})
		}
		all = append(all, one)
	}
	return all
}

// A sizer measures values of one document without the white space between their tokens.
type sizer struct {
	isCompact bool // there is no white space to leave out
	scratch   []byte
}

// newSizer returns the sizer for a root and the values below it, and the size of the root.
func newSizer(root jsonstream.Value) (*sizer, int) {
	s := &sizer{}
	size := s.size(root)
	s.isCompact = size == len(root.Raw())
	return s, size
}

func (s *sizer) size(v jsonstream.Value) int {
	if s.isCompact {
		return len(v.Raw())
	}
	s.scratch = jsonstream.AppendCompact(s.scratch[:0], v.Raw())
	return len(s.scratch)
}

func members(root jsonstream.Value, s *sizer, whole int) []Member {
	all := []Member{}
	for name, v := range root.Members() {
		n := quotedSize(v.RawName(), name) + len(":") + s.size(v)
		all = append(all, Member{Name: name, Bytes: n, Share: float64(n) / float64(whole)})
	}
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// quotedSize returns the length of a name with quotes and the minimum of escapes.
func quotedSize(raw []byte, name string) int {
	if bytes.IndexByte(raw, '\\') < 0 {
		return len(raw)
	}
	quoted, _ := jsontext.AppendQuote(nil, name)
	return len(quoted)
}

// A tally counts by name, in order of first appearance.
type tally[T any] struct {
	all []T
	at  map[string]int
}

func newTally[T any]() tally[T] { return tally[T]{[]T{}, map[string]int{}} }

// of returns the entry for a name, initially first.
func (t *tally[T]) of(name string, first T) *T {
	i, seen := t.at[name]
	if !seen {
		i = len(t.all)
		t.at[name] = i
		t.all = append(t.all, first)
	}
	return &t.all[i]
}

// roles counts the turns of each role; name returns the role of a turn.
func roles(turns []jsonstream.Value, s *sizer, name func(turn jsonstream.Value) string) []Role {
	t := newTally[Role]()
	for _, turn := range turns {
		role := name(turn)
		r := t.of(role, Role{Role: role})
		r.Turns++
		r.Bytes += s.size(turn)
	}
	return t.all
}

func roleOf(turn jsonstream.Value) string { return turn.Get("role").Text() }

func tools(calls jsonstream.Value) []Tool {
	t := newTally[Tool]()
	for _, call := range calls.Elements() {
		name := call.Get("tool").Text()
		tool := t.of(name, Tool{Tool: name})
		tool.Calls++
		if n, ok := count(call.Get("outputTokens")); ok {
			tool.OutputTokens += n
		}
	}
	return t.all
}
