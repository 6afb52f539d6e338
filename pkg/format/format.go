// Package format says what a message format is: all that the program knows of one is in a
// [Descriptor], which the format's own package fills. Package formats lists them.
package format

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Format is the name of a message format, as users write it.
type Format string

// The formats that the program comes with.
const (
	// EAAPL is the canonical handoff message (EAAPL-MAG006, section 5.2).
	EAAPL Format = "eaapl"
	// SW4RMContext is a serialized SW4RM HandoffContext.
	SW4RMContext Format = "sw4rm-context"
	// SW4RMRequest is an SW4RM HandoffRequest, which carries a context.
	SW4RMRequest Format = "sw4rm-request"
	// SW4RMResponse is an SW4RM HandoffResponse: an answer, which carries no context.
	SW4RMResponse Format = "sw4rm-response"
	// MACP is a transcript of a session in MACP's handoff mode
	// (macp.mode.handoff.v1).
	MACP Format = "macp"
	// OpenAI is the HandoffInputData of the OpenAI Agents SDK for Python.
	OpenAI Format = "openai"
	// OpenAIJS is the HandoffInputData of the SDK for JavaScript.
	OpenAIJS Format = "openai-js"
	// OpenAIChat are messages of OpenAI's Chat Completions API.
	OpenAIChat Format = "openai-chat"
	// OpenAIResponses are items of OpenAI's Responses API.
	OpenAIResponses Format = "openai-responses"
	// Anthropic are messages of Anthropic's Messages API.
	Anthropic Format = "anthropic"
	// LangChain are messages as LangChain serialises them, and the states and commands of
	// LangGraph that hold them.
	LangChain Format = "langchain"
	// AISDK are the ModelMessages and UIMessages of the AI SDK.
	AISDK Format = "ai-sdk"
	// Gemini are contents of the Gemini API, and events of Google's ADK.
	Gemini Format = "gemini"
	// BedrockConverse are messages of the Converse API of Amazon Bedrock.
	BedrockConverse Format = "bedrock-converse"
	// A2A is a task or message of the A2A protocol.
	A2A Format = "a2a"
	// ClaudeCode is a session of Claude Code.
	ClaudeCode Format = "claude-code"
	// Codex is a session of the Codex CLI.
	Codex Format = "codex"
)

// A Descriptor is all that the program knows of one format. It must not change once it is
// listed. Members that do not apply are zero.
type Descriptor struct {
	Name Format
	// System is the name of the system that the format is one of: the ids of its rules
	// begin with it, and so does what a conversion carries for it.
	System string
	// Title is what people call the format, and Kind one of its messages; Kind is "" for
	// canonical messages.
	Title, Kind string

	// Marks are the members that no other format has by chance: without one, a document is
	// not taken for a message of the format, unless it is by its Known. The first is the one
	// that people know it by.
	Marks []string
	// Members are further members that indicate the format, since other formats do not have
	// them.
	Members []string
	// Known says how messages are known by the elements of a list, where several formats
	// have the member that holds it; nil for formats that are known by Marks alone.
	Known *Elements
	// Needs are the members of which a document has one that is read in the format because
	// the user says so. The list of Known will do as well.
	Needs []string
	// IDs are the members that identify a message, the preferred one first.
	IDs []string

	// Schema is the name of the format's JSON Schema in package schemas, and SchemaText the
	// text of one that is not there.
	Schema     string
	SchemaText []byte
	// Lookalike says what a document is that looks like a message and is another kind of
	// document, at a place in it, and what to do with it; "" for all others.
	Lookalike func(root jsonstream.Value) (kind, problem string, at jsonstream.Value)
	// Rules are those of the system that a schema cannot express, Reasons are its reasons
	// to reject a message, and Check reports what breaks the rules in a message; limits
	// bound what the message carries. Of several formats of one system, the first has Rules
	// and Reasons.
	Rules   func() []finding.Rule
	Reasons []finding.Reason
	Check   func(doc *jsonstream.Document, limits jsonstream.Limits) []finding.Finding

	// Turns are the members that hold turns, in the order of the conversation: arrays, or
	// a string that is a turn of the user. A message that is an array has its turns itself.
	Turns []string
	// Alone returns the JSON Pointer of a value that is a turn and in no list, after those of
	// Turns: the message itself, where it is one. ok is false for a message without one.
	Alone func(root jsonstream.Value) (pointer string, ok bool)
	// Carriers returns the values of a message that carry, in their order, what its
	// receiver is to read. It is nil for a format whose messages are their own context, and
	// returns nothing for one that is, if the format has Turns.
	Carriers func(root jsonstream.Value) []Carrier
	// Carries is the format of what is carried; "" if it is any one that has Turns. A carrier may
	// say otherwise.
	Carries Format
	// Handoffs returns the canonical messages that a message holds as they are, in the order of the
	// text: each is checked, and scanned, as if it had come by itself. It is nil where there are
	// none.
	Handoffs func(root jsonstream.Value) []jsonstream.Value
	// Sections says that a model is given the turns as they are, so that one of the user may
	// be a section for data: see [conversation.ContextLabel].
	Sections bool
	// ResultsOnly says that tool calls are known by their results alone.
	ResultsOnly bool
	// Provider is the name of the provider whose API takes the turns as they are, "" if none
	// does: see package provider. Divided says that several turns may be one message of a
	// provider.
	Provider string
	Divided  bool
	// MaxTurns is how many turns the format's specification advises to keep.
	MaxTurns int

	// Keys are what identifies the elements of arrays.
	Keys []Key

	// Changes describes how one message differs from another, besides its turns, Costs and
	// Signature.
	Changes func(Comparison) []Change

	// Profile returns what a person wants to know of a message in addition to what all formats have.
	// The turns and their lists are those of its conversation, which context holds: that is
	// absent if nothing does. It is nil for canonical messages, and where there is nothing more.
	Profile func(doc *jsonstream.Document, context jsonstream.Value, turns []conversation.Turn) Profile

	// Outline is how a message is shown to the model that takes over: the titles of its
	// members, in order, by their JSON Pointers. Other members follow under their names.
	Outline []Place

	// Exchange says how messages are converted; nil if they are not. It is for the formats of
	// this module: what it is made of is internal.
	Exchange *exchange.Codec

	// Summary is the member that has a summary of turns that are gone; without one, the
	// summary is a turn.
	Summary string
	// Say returns a turn in the form of another one of the conversation (absent: in any) that
	// says a text. The role is user or assistant, or another of [conversation.Role] that
	// the format has. A nil Say means an object with role and content.
	Say func(like jsonstream.Value, role, text string) []byte
	// UserFirst says that a conversation begins with a turn of the user: models refuse any
	// other.
	UserFirst bool
	// Notes is the member for notes of programs; "" where there is no place for any: what
	// is done to such a message is known by its digest.
	Notes string
	// HistoryLength and Trimmed are JSON Pointers to how many turns there were, and to
	// whether some of them are gone.
	HistoryLength, Trimmed string
	// Signature are the members of a signature, which itself is the first.
	Signature []string
	// Costs is where the costs so far are.
	Costs Costs
	// Extras are the lists and objects of which the oldest parts may be given up.
	Extras []Place
	// ToolState is the object whose members may be given up but for those of ToolStateKeeps.
	ToolState      string // a JSON Pointer
	ToolStateKeeps []string
}

// A Key is what identifies the elements of some arrays: those that have the same values of
// its members are the same element.
type Key struct {
	Arrays  [][]string // the tokens of their JSON Pointers
	Members []string
	Aliases []string // other names of Members; nil if they have none
}

// A Place is where a format has something that several have, by a name of our own.
type Place struct{ Name, Pointer string }

// Costs are the JSON Pointers of numbers: US dollars, and tokens.
type Costs struct{ Spent, Remaining, Prompt, Completion string }

// A Carrier is a value of a message that carries a context.
type Carrier struct {
	// Value is the context, or a string that is its text in base64.
	Value jsonstream.Value
	// JSON is set if the message declares the context to be JSON.
	JSON bool
	// Format is that of the context, where it is not what [Descriptor.Carries] says.
	Format Format
}
