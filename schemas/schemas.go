// Package schemas holds the JSON Schemas (draft 2020-12) of the documents that handoff reads:
// the only source of structural rules. They are published unchanged, for validators in any
// language.
package schemas

import (
	_ "embed" // for the archive
	"io/fs"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/packed"
)

// Archive is the name of the archive of the schemas and examples, which is embedded instead of them: it is a
// fifth of their length.
const Archive = "schemas.zip"

//go:embed schemas.zip
var archive string

// message is the schema that almost every command reads, which must be ready at once.
//
//go:embed handoff-message-2.1.schema.json
var message string

var files = sync.OnceValue(func() fs.FS { return packed.Zip(archive) })

// Names of the schemas, for [Read] and the schemas' own references.
const (
	Message           = "handoff-message-2.1.schema.json"
	State             = "agent-state-1.schema.json"
	Receiver          = "receiver-profile-1.schema.json"
	SW4RMContext      = "sw4rm-handoff-context-1.schema.json"
	SW4RMRequest      = "sw4rm-handoff-request-1.schema.json"
	SW4RMResponse     = "sw4rm-handoff-response-1.schema.json"
	MACPTranscript    = "macp-transcript-1.schema.json"
	OpenAIInputData   = "openai-handoff-input-data-1.schema.json"
	OpenAIJSInputData = "openai-js-handoff-input-data-1.schema.json"
	OpenAIAgents      = "openai-agents-1.schema.json"
	OpenAIChat        = "openai-chat-1.schema.json"
	OpenAIResponses   = "openai-responses-1.schema.json"
	Anthropic         = "anthropic-messages-1.schema.json"
	LangChain         = "langchain-messages-1.schema.json"
	AISDK             = "ai-sdk-messages-1.schema.json"
	Gemini            = "gemini-contents-1.schema.json"
	BedrockConverse   = "bedrock-converse-1.schema.json"
	A2A               = "a2a-task-1.schema.json"
	A2AHandoff        = "a2a-handoff-1.schema.json"
	AuditRecord       = "audit-record-1.schema.json"
	Chunk             = "handoff-chunk-1.schema.json"
	ClaudeCodeSession = "claude-code-session-1.schema.json"
	CodexRollout      = "codex-rollout-1.schema.json"
	GeminiCLISession  = "gemini-cli-session-1.schema.json"
	OpenCodeSession   = "opencode-session-1.schema.json"
	CopilotCLISession = "copilot-cli-session-1.schema.json"
)

// Base begins the $id of every schema; its name follows.
const Base = "https://github.com/eaapl/handoff/schemas/"

// Read returns a schema by its name or its $id. The only error is [io/fs.ErrNotExist].
func Read(name string) ([]byte, error) {
	if name = strings.TrimPrefix(name, Base); name == Message {
		return []byte(message), nil
	}
	return read(name)
}

func read(name string) ([]byte, error) {
	text, err := fs.ReadFile(files(), name)
	if err != nil { // also for a name that is no path
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return text, nil
}

// Names returns the names of all schemas, in alphabetical order.
func Names() []string {
	names, err := fs.Glob(files(), "*.schema.json")
	if err != nil {
		panic(err) // the pattern is constant
	}
	return names
}

// Example returns a complete, valid document of one kind, one of [Examples]. The only error is
// [io/fs.ErrNotExist].
func Example(kind string) ([]byte, error) {
	return read("examples/" + kind + ".json")
}

// Examples returns the kinds of example documents: a canonical message, the agent state that it
// is built from and the profile of its receiver; a document of each other format, by the
// format's name; a message of A2A that carries a canonical one; and definitions of agents.
func Examples() []string {
	return []string{"message", "state", "receiver", "sw4rm-context", "sw4rm-request", "sw4rm-response", "macp", "openai", "openai-js",
		"openai-chat", "openai-responses", "anthropic", "langchain", "ai-sdk", "gemini", "bedrock-converse", "a2a", "a2a-handoff", "pydantic-ai", "agent-framework", "claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "openai-agents"}
}
