// Package format defines how a message format is described: by a [Descriptor], which the
// format's own package provides. Package formats lists the descriptors.
package format

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Format is the name of a message format, as used on the command line.
type Format string

// The built-in formats.
const (
	// EAAPL is the canonical handoff message (EAAPL-MAG006, section 5.2).
	EAAPL Format = "eaapl"
	// SW4RMContext is a serialized SW4RM HandoffContext.
	SW4RMContext Format = "sw4rm-context"
	// SW4RMRequest is an SW4RM HandoffRequest, which carries a context.
	SW4RMRequest Format = "sw4rm-request"
	// SW4RMResponse is an SW4RM HandoffResponse: an answer, which carries no context.
	SW4RMResponse Format = "sw4rm-response"
	// MACP is a transcript of a session in MACP's handoff mode (macp.mode.handoff.v1).
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
	// LangChain are serialized LangChain messages, and the LangGraph states and commands
	// that contain them.
	LangChain Format = "langchain"
	// AISDK are the ModelMessages and UIMessages of the AI SDK.
	AISDK Format = "ai-sdk"
	// Gemini are contents of the Gemini API, and events of Google's ADK.
	Gemini Format = "gemini"
	// BedrockConverse are messages of the Converse API of Amazon Bedrock.
	BedrockConverse Format = "bedrock-converse"
	// PydanticAI are messages of Pydantic AI.
	PydanticAI Format = "pydantic-ai"
	// AgentFramework are messages of Microsoft's Agent Framework.
	AgentFramework Format = "agent-framework"
	// A2A is a task or message of the A2A protocol.
	A2A Format = "a2a"
	// ClaudeCode is a session of Claude Code.
	ClaudeCode Format = "claude-code"
	// Codex is a session of the Codex CLI.
	Codex Format = "codex"
	// GeminiCLI is a session of the Gemini CLI.
	GeminiCLI Format = "gemini-cli"
	// OpenCode is an exported session of OpenCode.
	OpenCode Format = "opencode"
	// CopilotCLI is a session of the Copilot CLI.
	CopilotCLI Format = "copilot-cli"
)

// A Descriptor describes one format. It must not change after it is listed. Fields that do
// not apply are zero.
type Descriptor struct {
	Name Format
	// System is the name of the system that defines the format. It is the prefix of the
	// system's rule ids and of the members that carry data for the system.
	System string
	// Title is the name of the format in reports, and Kind the name of one of its messages;
	// Kind is "" for canonical messages.
	Title, Kind string

	// Marks are the members that are specific to the format. A document without any of them
	// is not detected as the format, except through Known. The first mark is the best known.
	Marks []string
	// Members are further members that indicate the format because no other format has them.
	Members []string
	// Known describes detection by list elements, for formats that share the list's member
	// with others; nil for formats that are detected only by Marks.
	Known *Elements
	// Needs are members for reading a document in the format at the user's request: it must
	// have one of them, or the list of Known.
	Needs []string
	// IDs are the members that identify a message, in order of preference.
	IDs []string

	// Schema is the name of the format's JSON Schema in package schemas; SchemaText is the
	// schema itself if it is not in that package.
	Schema     string
	SchemaText []byte
	// Lookalike recognises documents that resemble a message but are of another kind. It
	// returns the kind, a description with a remedy, and the place of the difference; kind
	// is "" for all other documents.
	Lookalike func(root jsonstream.Value) (kind, problem string, at jsonstream.Value)
	// Rules are the system's rules beyond the schema, Reasons its codes for rejecting a
	// message, and Check returns the findings of a message; limits bound the content it
	// carries. If a system has several formats, only the first has Rules and Reasons.
	Rules   func() []finding.Rule
	Reasons []finding.Reason
	Check   func(doc *jsonstream.Document, limits jsonstream.Limits) []finding.Finding

	// Turns are the members that hold turns, in conversation order: arrays, or a string that
	// is a turn of the user. If a message is an array, its elements are the turns.
	Turns []string
	// Alone returns the JSON Pointers of turns that are not in a list of Turns, and cannot be
	// removed. They follow the turns of these lists. A pointer may be that of the message itself.
	Alone func(root jsonstream.Value) (pointers []string)
	// Carriers returns the values that carry content for the receiver, in order. It is nil
	// for formats whose messages are always their own context. In a format that also has
	// Turns, it returns nothing for a message that is its own context.
	Carriers func(root jsonstream.Value) []Carrier
	// Carries is the format of carried content, or "" for any format with Turns. [Carrier.Format]
	// overrides it.
	Carries Format
	// Handoffs returns the canonical messages embedded in a message, in text order. Each is checked
	// and scanned like a message of its own. It is nil if the format embeds none.
	Handoffs func(root jsonstream.Value) []jsonstream.Value
	// Sections is set if models get the turns unchanged, so that a turn of the user may be a
	// data section: see [conversation.ContextLabel].
	Sections bool
	// ResultsOnly is set if tool calls appear only through their results.
	ResultsOnly bool
	// Provider is the name of the provider whose API accepts the turns unchanged, "" if
	// there is none: see package provider. Divided is set if several turns may form one
	// message of the provider.
	Provider string
	Divided  bool
	// Client lists the changes that the format's SDK makes to turns when it sends them.
	Client Client
	// Replaces reports whether the result in a turn replaces an earlier turn's result of the
	// same call, as a tool that runs for long returns it; nil if it never does. Such turns
	// are sent as one if nothing is between them.
	Replaces func(earlier, later jsonstream.Value) bool
	// MaxTurns is the number of turns that the format's specification advises to keep.
	MaxTurns int

	// Keys identify the elements of arrays.
	Keys []Key

	// Changes returns the differences between two messages, other than in turns, Costs and
	// Signature.
	Changes func(Comparison) []Change

	// Profile returns the format's part of a message's profile. turns are the turns of its
	// conversation, and context is the value that holds them, absent if there is none. Profile is
	// nil for canonical messages and for formats with nothing to add.
	Profile func(doc *jsonstream.Document, context jsonstream.Value, turns []conversation.Turn) Profile

	// Outline lists the titles of the members, by JSON Pointer and in order, under which a
	// message is shown to the next model. Other members follow under their own names.
	Outline []Place

	// Exchange converts messages; nil if the format has no conversion. Only formats in this
	// module can set it, since its type is internal.
	Exchange *exchange.Codec

	// Summary is the member for the summary of removed turns. If it is "", the summary is a
	// turn.
	Summary string
	// Say returns a turn that contains text, in the same form as the turn like, or in any
	// form if like is absent. role is user, assistant, or another [conversation.Role] of the
	// format. A nil Say means an object with role and content.
	Say func(like jsonstream.Value, role, text string) []byte
	// UserFirst is set if a conversation must begin with a turn of the user, because models
	// reject any other.
	UserFirst bool
	// Notes is the member for notes by programs. If it is "", changes to a message are
	// recorded by its digest.
	Notes string
	// HistoryLength and Trimmed are the JSON Pointers of the original number of turns and of
	// the flag that some were removed.
	HistoryLength, Trimmed string
	// Signature lists the members of a signature, the signature value first.
	Signature []string
	// Costs locates the costs so far.
	Costs Costs
	// Extras are lists and objects whose oldest parts may be removed.
	Extras []Place
	// ToolState is an object whose members may be removed, except the members in
	// ToolStateKeeps.
	ToolState      string // a JSON Pointer
	ToolStateKeeps []string
}

// A Client lists the changes that the SDK of a format makes to turns when it sends them to an API that has another
// format. The zero value changes nothing.
type Client struct {
	OmitsReasoning bool     // Anthropic and Bedrock get no reasoning without their own signature
	OmitsEmpty     bool     // Anthropic gets no empty text
	OmitsBlank     bool     // Bedrock gets no text of the assistant that is empty or white space
	Joins          []string // the sides, user or assistant, of which Bedrock gets consecutive turns as one
	Begins         bool     // Gemini and Bedrock get a turn of the user before a first turn of the assistant
	Waits          bool     // a turn of the user between a call and its result is refused
	KeepsOrder     bool     // Anthropic gets a text of the assistant after a call at its place
}

// A Key identifies the elements of some arrays: elements with equal values of its members
// are the same element.
type Key struct {
	Arrays  [][]string // the tokens of their JSON Pointers
	Members []string
	Aliases []string // other names of Members; nil if there are none
}

// A Place is the location of a value that several formats have, under a name of this
// program.
type Place struct{ Name, Pointer string }

// Costs are JSON Pointers to amounts in US dollars and numbers of tokens.
type Costs struct{ Spent, Remaining, Prompt, Completion string }

// A Carrier is a value of a message that carries a context.
type Carrier struct {
	// Value is the context, or a string with its base64 text.
	Value jsonstream.Value
	// JSON is set if the message declares the context as JSON.
	JSON bool
	// Format is the format of the context if it differs from [Descriptor.Carries].
	Format Format
}
