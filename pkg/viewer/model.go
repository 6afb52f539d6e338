// Package viewer writes a page that shows what became of tasks: one HTML file
// that needs no network and no other file.
//
// The page begins with the [Index], which is all that its lists, trees and timelines show.
// The [Details] of the handoffs follow in their order, in compressed blocks, which the page
// reads when a handoff is opened; a page that is served may ask for them instead.
//
// The JSON of the types in this file is what the scripts in assets read. Texts are as
// hostile as the messages have them: the page sets them as text, never as markup.
package viewer

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
)

// An Index is what a page shows before a handoff is opened.
type Index struct {
	Title   string `json:"title"`
	Version string `json:"version"` // of the program
	// Rules are those that findings name, each once.
	Rules []Rule `json:"rules"`
	// Tasks are in the order in which they are shown; each has the Handoffs from First on.
	Tasks    []Task    `json:"tasks"`
	Handoffs []Handoff `json:"handoffs"`
	// Unread are the sources, or parts of them, that could not be read, and why: one line each.
	Unread []string `json:"unread,omitzero"`
}

// A Rule is what findings name.
type Rule struct {
	ID      string `json:"id"`
	Summary string `json:"summary"` // one sentence
	Why     string `json:"why"`     // why it matters, and what to do
}

// A Task is the handoffs of one task.
type Task struct {
	ID    string `json:"id"` // "" for messages that are of no task
	First int    `json:"first"`
	Count int    `json:"count"`
	// Total is what was spent, and RemainingUSD what is left of the budget, decimal; "" where
	// that is not known.
	Total        Cost   `json:"total"`
	RemainingUSD string `json:"remainingUSD,omitzero"`
	// Doubt says why the total may not be what was spent, "" if nothing speaks against it.
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

// A Spender is what one agent spent on a task.
type Spender struct {
	Agent    string `json:"agent"`
	Handoffs int    `json:"handoffs"`
	Cost     Cost   `json:"cost"`
}

// A Handoff is one message, with what became of it.
type Handoff struct {
	ID string `json:"id"` // "" if the message has none
	// Parent is the index of the handoff before in [Index.Handoffs], -1 for none; a parent comes
	// before its children. Depth is how many handoffs are above it.
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
	// At is the time in milliseconds since 1970, for the timeline; nil if Time is none.
	At *int64 `json:"at,omitzero"`

	// Status is what became of it last, as the audit log has it (section 8 of EAAPL-MAG006);
	// "" where only the message is known.
	Status string  `json:"status,omitzero"`
	Reason string  `json:"reason,omitzero"` // why it was rejected
	Events []Event `json:"events,omitzero"` // all that happened to it, in order

	Step         Cost   `json:"step"` // what was spent since the parent's message
	RemainingUSD string `json:"remainingUSD,omitzero"`

	Errors   int   `json:"errors,omitzero"`
	Warnings int   `json:"warnings,omitzero"`
	Rules    []int `json:"rules,omitzero"` // indices of [Index.Rules], of its findings, each once
	// Lost are the findings about the boundary above it, in words: what was lost, changed or
	// miscounted between the sender's message and this one.
	Lost []Lost `json:"lost,omitzero"`

	Signed bool `json:"signed,omitzero"`
	Bytes  int  `json:"bytes"` // of the message as it came; 0 if there is none any more
}

// An Event is something that happened to a handoff.
type Event struct {
	Name    string `json:"name"` // such as "ACCEPTED"
	At      int64  `json:"at"`   // milliseconds since 1970
	Attempt int    `json:"attempt,omitzero"`
	Agent   string `json:"agent,omitzero"`  // the receiver whose copy it is, of several
	Reason  string `json:"reason,omitzero"` // of a rejection
	Ran     int64  `json:"ran,omitzero"`    // milliseconds that the agent ran, which ended then
}

// A Lost is a finding about the boundary between two messages.
type Lost struct {
	Rule     int              `json:"rule"` // index of [Index.Rules]
	Severity finding.Severity `json:"severity"`
	Message  string           `json:"message"`
}

// Details are what a page shows of a handoff that is opened.
type Details struct {
	// Message is the text of the message as it came; "" if it is not there any more or cannot be
	// read, and then Missing says why.
	Message string `json:"message"`
	Missing string `json:"missing,omitzero"`
	// Masked is set if credentials in the message are asterisks here.
	Masked bool `json:"masked,omitzero"`
	// Base64 is set if the message is no UTF-8, and so in base64.
	Base64 bool `json:"base64,omitzero"`
	// Malformed says why the message is no strict JSON; "" if it is. The rest is empty then.
	Malformed string `json:"malformed,omitzero"`

	// Context is the text of the document that the message carries for its receiver, of the
	// format ContextFormat, and Carrier the pointer to what holds it in the message; "" if the
	// message is its own context.
	Context       string        `json:"context,omitzero"`
	ContextFormat format.Format `json:"contextFormat,omitzero"`
	Carrier       string        `json:"carrier,omitzero"`

	// Sections are the parts of the message that its receiver reads, but for the turns.
	Sections []Section `json:"sections"`
	Turns    []Turn    `json:"turns"`

	Findings []Finding `json:"findings"`
	// MoreFindings is how many there are beside those.
	MoreFindings int `json:"moreFindings,omitzero"`

	// Compared is the index of the handoff whose message Changes begin with: what the sender
	// had got; -1 for none.
	Compared int      `json:"compared"`
	Changes  []Change `json:"changes,omitzero"`
	// MoreChanges is how many there are beside those.
	MoreChanges int `json:"moreChanges,omitzero"`

	Signature *Signature `json:"signature,omitzero"`
	Records   []Record   `json:"records,omitzero"`
	Proof     *Proof     `json:"proof,omitzero"`

	// Commands show parts of this in a terminal, by what they show.
	Commands []Command `json:"commands"`
}

// A Section is a part of a message under a title for people.
type Section struct {
	Title   string `json:"title"`   // such as "State"
	Pointer string `json:"pointer"` // JSON Pointer, in the context
}

// A Turn is one turn of a conversation.
type Turn struct {
	Pointer string `json:"pointer"` // in the context
	Role    string `json:"role"`    // "" where it has none
	Name    string `json:"name,omitzero"`
	Parts   []Part `json:"parts"`
}

// A Part is a part of a turn.
type Part struct {
	Kind    PartKind `json:"kind"`
	Pointer string   `json:"pointer"` // of the turn, part, string or call that it is, in the context
	// Text is the pointer to the string that it says, where one string is all of it.
	Text string `json:"text,omitzero"`
	ID   string `json:"id,omitzero"`   // of a call, in it and in its result
	Tool string `json:"tool,omitzero"` // the name of a call's tool
}

// A PartKind says what a part of a turn is.
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

// A Finding is what is wrong at a place.
type Finding struct {
	Rule     int              `json:"rule"` // index of [Index.Rules], -1 for none
	Severity finding.Severity `json:"severity"`
	Pointer  string           `json:"pointer"` // in the message
	// InContext is set where Pointer is one in the context that the message carries.
	InContext bool   `json:"inContext,omitzero"`
	Message   string `json:"message"`
	Line      int    `json:"line,omitzero"` // 1-based, in the source
	Column    int    `json:"column,omitzero"`
	// Words are where the words that it is about are in the string at the pointer, in UTF-16
	// code units: from the first one to before the other; nil where it is about the whole value.
	Words *[2]int `json:"words,omitzero"`
}

// A Change is a leaf of the difference between two messages.
type Change struct {
	Kind    diff.Kind `json:"kind"`
	Pointer string    `json:"pointer"`       // in the new message; in the old one if it was removed
	From    string    `json:"from,omitzero"` // if it moved: its pointer in the old message
	// Old and New are the values as JSON, "" where there is none, or where Runs are all of it.
	Old string `json:"old,omitzero"`
	New string `json:"new,omitzero"`
	// Runs are the words of two strings, where the change is one of a part of them.
	Runs []Run `json:"runs,omitzero"`
}

// A Run is a part of two texts: the same in both, or a part of each that differs.
type Run struct {
	Same string `json:"same,omitzero"`
	Old  string `json:"old,omitzero"`
	New  string `json:"new,omitzero"`
}

// A Signature is what a message says of its own.
type Signature struct {
	Algorithm string `json:"algorithm"`
	KeyID     string `json:"keyId,omitzero"`
	// Verdict says in words whether it holds, and who says so.
	Verdict string `json:"verdict"`
	// Holds is nil where nobody has verified it.
	Holds *bool `json:"holds,omitzero"`
}

// A Record is one of the audit log.
type Record struct {
	Sequence int64  `json:"sequence"`
	Event    string `json:"event"`
	Time     string `json:"time"` // RFC 3339, UTC
	Hash     string `json:"hash"`
	Previous string `json:"previous"`
	Facts    []Fact `json:"facts"` // all else that it has, for people
}

// A Fact is a name with a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Proof is how a record is one of an audit log: the hashes that lead from it to the root of
// the tree (RFC 6962).
type Proof struct {
	Sequence int64    `json:"sequence"`
	Size     int64    `json:"size"` // of the log
	Root     string   `json:"root"`
	Path     []string `json:"path"`
}

// A Command is a line for a shell.
type Command struct {
	Shows string `json:"shows"` // what it shows, such as "the difference"
	Line  string `json:"line"`
}
