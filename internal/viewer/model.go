// Package viewer writes a page about tasks and their handoffs: one HTML file that needs no network
// and no other file.
//
// The page begins with the [Index], which holds all data of its lists, trees and timelines. The
// [Details] of the handoffs follow in order, in compressed blocks that the page reads when a handoff
// is opened; a page that is served may request them instead.
//
// The types in this file define the JSON that the scripts in assets read. Texts are untrusted: the
// page sets them as text, never as markup.
package viewer

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
)

// An Index is the content of a page before a handoff is opened.
type Index struct {
	Title   string `json:"title"`
	Version string `json:"version"` // of the program
	// Rules are the rules that findings name, each once.
	Rules []Rule `json:"rules"`
	// Tasks are in display order; each has the Handoffs from First on.
	Tasks    []Task    `json:"tasks"`
	Handoffs []Handoff `json:"handoffs"`
	// Unread describes the sources, or parts of them, that could not be read: one line each.
	Unread []string `json:"unread,omitzero"`
}

// A Rule is a rule that findings name.
type Rule struct {
	ID      string `json:"id"`
	Summary string `json:"summary"` // one sentence
	Why     string `json:"why"`     // why it matters, and what to do
}

// A Task is the handoffs of one task.
type Task struct {
	ID    string `json:"id"` // "" for messages without a task
	First int    `json:"first"`
	Count int    `json:"count"`
	// Total is the amount spent, and RemainingUSD the rest of the budget, decimal; "" if unknown.
	Total        Cost   `json:"total"`
	RemainingUSD string `json:"remainingUSD,omitzero"`
	// Doubt is the reason why the total may differ from the amount spent, "" for none.
	Doubt    string    `json:"doubt,omitzero"`
	Spenders []Spender `json:"spenders"` // the largest first
	Errors   int       `json:"errors"`   // findings of that severity
	Warnings int       `json:"warnings"`
	// Command shows the same in a terminal.
	Command string `json:"command"`
}

// A Cost is an amount of money and of tokens.
type Cost struct {
	USD        string `json:"usd"` // decimal
	Prompt     int64  `json:"prompt"`
	Completion int64  `json:"completion"`
}

// A Spender is the spending of one agent on a task.
type Spender struct {
	Agent    string `json:"agent"`
	Handoffs int    `json:"handoffs"`
	Cost     Cost   `json:"cost"`
}

// A Handoff is one message and its status.
type Handoff struct {
	ID string `json:"id"` // "" if the message has none
	// Parent is the index of the previous handoff in [Index.Handoffs], -1 for none; a parent comes
	// before its children. Depth is the number of its ancestors.
	Parent int `json:"parent"`
	Depth  int `json:"depth"`

	Format      format.Format `json:"format"`
	From        string        `json:"from"`
	FromVersion string        `json:"fromVersion,omitzero"`
	To          string        `json:"to"`
	ToVersion   string        `json:"toVersion,omitzero"` // a range
	Receivers   []string      `json:"receivers,omitzero"` // of a fan-out
	Title       string        `json:"title,omitzero"`     // the beginning of the task's description

	Time string `json:"time"` // RFC 3339 with the sender's offset, or as the message has it
	// At is the time in milliseconds since 1970, for the timeline; nil if Time is not a time.
	At *int64 `json:"at,omitzero"`

	// Status is its last status in the audit log (section 8 of EAAPL-MAG006); "" if only the message
	// is known.
	Status string  `json:"status,omitzero"`
	Reason string  `json:"reason,omitzero"` // of the rejection
	Events []Event `json:"events,omitzero"` // all its events, in order

	Step         Cost   `json:"step"` // the amount spent since the parent's message
	RemainingUSD string `json:"remainingUSD,omitzero"`

	Errors   int   `json:"errors,omitzero"`
	Warnings int   `json:"warnings,omitzero"`
	Rules    []int `json:"rules,omitzero"` // indices of the rules of its findings in [Index.Rules], each once
	// Lost are the findings about the boundary above it, as text: content that was lost, changed or
	// miscounted between the sender's message and this one.
	Lost []Lost `json:"lost,omitzero"`

	Signed bool `json:"signed,omitzero"`
	Bytes  int  `json:"bytes"` // of the received message; 0 if it is no longer stored
}

// An Event is something that happened to a handoff.
type Event struct {
	Name    string `json:"name"` // such as "ACCEPTED"
	At      int64  `json:"at"`   // milliseconds since 1970
	Attempt int    `json:"attempt,omitzero"`
	Agent   string `json:"agent,omitzero"`  // the receiver of the copy, if there are several
	Reason  string `json:"reason,omitzero"` // of a rejection
	Ran     int64  `json:"ran,omitzero"`    // run time of the agent that ended, in milliseconds
}

// A Lost is a finding about the boundary between two messages.
type Lost struct {
	Rule     int              `json:"rule"` // index of [Index.Rules]
	Severity finding.Severity `json:"severity"`
	Message  string           `json:"message"`
}

// Details are the content of a page about an opened handoff.
type Details struct {
	// Message is the text of the message as received; "" if it is no longer stored or cannot be
	// read, for the reason in Missing.
	Message string `json:"message"`
	Missing string `json:"missing,omitzero"`
	// Masked is set if credentials in the message are replaced by asterisks.
	Masked bool `json:"masked,omitzero"`
	// Base64 is set if the message is not UTF-8, and therefore in base64.
	Base64 bool `json:"base64,omitzero"`
	// Malformed is the reason why the message is not strict JSON; "" if it is. All other fields are
	// empty then.
	Malformed string `json:"malformed,omitzero"`

	// Context is the text of the document that the message carries for its receiver, in the format
	// ContextFormat, and Carrier the pointer to its carrier in the message; "" if the message is its
	// own context.
	Context       string        `json:"context,omitzero"`
	ContextFormat format.Format `json:"contextFormat,omitzero"`
	Carrier       string        `json:"carrier,omitzero"`

	// Sections are the parts of the message for its receiver, without the turns.
	Sections []Section `json:"sections"`
	Turns    []Turn    `json:"turns"`

	Findings []Finding `json:"findings"`
	// MoreFindings is the number of further findings.
	MoreFindings int `json:"moreFindings,omitzero"`

	// Compared is the index of the handoff that Changes are relative to: the message that the sender
	// had received; -1 for none.
	Compared int      `json:"compared"`
	Changes  []Change `json:"changes,omitzero"`
	// MoreChanges is the number of further changes.
	MoreChanges int `json:"moreChanges,omitzero"`

	Signature *Signature `json:"signature,omitzero"`
	Records   []Record   `json:"records,omitzero"`
	Proof     *Proof     `json:"proof,omitzero"`

	// Commands show parts of the handoff in a terminal.
	Commands []Command `json:"commands"`
}

// A Section is a part of a message with a readable title.
type Section struct {
	Title   string `json:"title"`   // such as "State"
	Pointer string `json:"pointer"` // JSON Pointer, in the context
}

// A Turn is one turn of a conversation.
type Turn struct {
	Pointer string `json:"pointer"` // in the context
	Role    string `json:"role"`    // "" if it has none
	Name    string `json:"name,omitzero"`
	Parts   []Part `json:"parts"`
}

// A Part is a part of a turn.
type Part struct {
	Kind    PartKind `json:"kind"`
	Pointer string   `json:"pointer"` // of the turn, part, string or call, in the context
	// Text is the pointer to the part's string, if the part is a single string.
	Text string `json:"text,omitzero"`
	ID   string `json:"id,omitzero"`   // of a call, in the call and in its result
	Tool string `json:"tool,omitzero"` // the name of a call's tool
}

// A PartKind is the kind of a part of a turn.
type PartKind string

// The kinds of parts.
const (
	Said      PartKind = "said"
	Call      PartKind = "call"
	Result    PartKind = "result"
	Reasoning PartKind = "reasoning"
	Media     PartKind = "media"
	Other     PartKind = "other"
)

// KindOf returns the name of a kind of parts.
func KindOf(k conversation.PartKind) PartKind {
	switch k {
	case conversation.Said:
		return Said
	case conversation.Call:
		return Call
	case conversation.Result:
		return Result
	case conversation.Reasoning:
		return Reasoning
	case conversation.Media:
		return Media
	default:
		return Other
	}
}

// A Finding is a finding at a place.
type Finding struct {
	Rule     int              `json:"rule"` // index of [Index.Rules], -1 for none
	Severity finding.Severity `json:"severity"`
	Pointer  string           `json:"pointer"` // in the message
	// InContext is set if Pointer refers to the context that the message carries.
	InContext bool   `json:"inContext,omitzero"`
	Message   string `json:"message"`
	Line      int    `json:"line,omitzero"` // 1-based, in the source
	Column    int    `json:"column,omitzero"`
	// Words is the range of the affected words in the string at the pointer, half-open, in UTF-16
	// code units; nil if the whole value is affected.
	Words *[2]int `json:"words,omitzero"`
}

// A Change is a leaf of the difference between two messages.
type Change struct {
	Kind    diff.Kind `json:"kind"`
	Pointer string    `json:"pointer"`       // in the new message; in the old one if it was removed
	From    string    `json:"from,omitzero"` // if it moved: its pointer in the old message
	// Old and New are the values as JSON, "" if absent or fully described by Runs.
	Old string `json:"old,omitzero"`
	New string `json:"new,omitzero"`
	// Runs are the words of two strings, if only parts of them changed.
	Runs []Run `json:"runs,omitzero"`
}

// A Run is a part of two texts: equal in both, or different.
type Run struct {
	Same string `json:"same,omitzero"`
	Old  string `json:"old,omitzero"`
	New  string `json:"new,omitzero"`
}

// A Signature is the signature of a message.
type Signature struct {
	Algorithm string `json:"algorithm"`
	KeyID     string `json:"keyId,omitzero"`
	// Verdict describes the result of the verification, and its source.
	Verdict string `json:"verdict"`
	// Holds is nil if the signature was not verified.
	Holds *bool `json:"holds,omitzero"`
}

// A Record is a record of the audit log.
type Record struct {
	Sequence int64  `json:"sequence"`
	Event    string `json:"event"`
	Time     string `json:"time"` // RFC 3339, UTC
	Hash     string `json:"hash"`
	Previous string `json:"previous"`
	Facts    []Fact `json:"facts"` // all other members, in readable form
}

// A Fact is a name with a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Proof is the inclusion proof of a record in an audit log: the hashes that lead to the root of
// the tree (RFC 6962).
type Proof struct {
	Sequence int64    `json:"sequence"`
	Size     int64    `json:"size"` // of the log
	Root     string   `json:"root"`
	Path     []string `json:"path"`
}

// A Command is a shell command line.
type Command struct {
	Shows string `json:"shows"` // its content, such as "the difference"
	Line  string `json:"line"`
}
