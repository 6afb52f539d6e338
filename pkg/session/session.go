package session

import (
	"time"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An Agent is a program whose sessions this package reads.
type Agent string

// The agents.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	GeminiCLI  Agent = "gemini-cli"
	OpenCode   Agent = "opencode"
	CopilotCLI Agent = "copilot-cli"
)

// Agents returns all agents.
func Agents() []Agent { return []Agent{ClaudeCode, Codex, GeminiCLI, OpenCode, CopilotCLI} }

// Options control reading. The zero value is ready to use.
type Options struct {
	// TailBytes is the approximate limit of the text of the turns: the latest are kept. 0 means
	// DefaultTailBytes.
	TailBytes int
	// BeforeCompaction makes the turns that compactions replaced part of the conversation.
	BeforeCompaction bool
	// Branch is the id of a line: the conversation is the branch with that line. "" means the branch on which the
	// agent goes on. The error of an unknown line, and of an agent without branches, is [ErrBranch].
	Branch string
	// Limits bound one line; the zero value means the defaults of package jsonstream.
	Limits jsonstream.Limits
}

// DefaultTailBytes is the default of [Options].TailBytes.
const DefaultTailBytes = 4 << 20

// A Session is the content of a session file. Texts are unchanged, except where a field is
// documented as cut off.
type Session struct {
	Agent   Agent
	ID      string
	Title   string // given by the user or the agent, "" for none
	Folder  string // the agent's working directory
	Branch  string // Git branch of Folder
	Version string // of the agent
	Model   string // the last one that answered
	Began   time.Time
	Ended   time.Time // of the last line that has a time

	Bytes   int64
	Lines   int
	Damage  []Damage        // the first damaged lines
	Damaged int             // number of damaged lines
	unknown format.Unknowns // by their lines: see UnknownRecords

	// Turns is the end of the conversation, oldest first; TurnsLeftOut counts the turns before it.
	// Beginning reports whether a compaction cut it; Summary then replaces the lost part.
	Turns        []Turn
	TurnsLeftOut int
	Compactions  int
	Summary      string
	Omissions    []Omission // the turns that are not part of the conversation, by cause

	Requests     []Request // the user's requests, oldest first
	RequestCount int       // including dropped ones; the first and the latest are kept
	Open         bool      // the last request has no answer yet
	Todos        []Todo    // the agent's last to-do list
	Files        []File    // in the order of first use
	Decisions    []Decision
	Calls        []Call // the latest
	CallCount    int
	Usage        Usage
}

// Damage is a line that could not be read completely.
type Damage struct {
	Line    int   // 1-based
	Offset  int64 // start of the line
	Problem string
}

// An UnknownRecord is a type of records that the reader does not know. They are not part of the conversation.
type UnknownRecord struct {
	Type      string `json:"type"`
	Records   int    `json:"records"`
	FirstLine int    `json:"firstLine"` // 1-based
}

// A Turn is a message of one speaker: a user, an assistant, or a tool with its result.
type Turn struct {
	Role  string // user, assistant or tool
	Text  string
	Calls []Call // of an assistant
	// CallID is the call that a tool's turn answers; Failed reports whether the call failed.
	CallID string
	Failed bool
	Time   string // RFC 3339, "" if the line has none

	response string // turns of an assistant with the same value are one response
}

// A Call is a tool call.
type Call struct {
	ID, Tool string
	Input    string // written by the model: JSON, or the text of a custom tool
	Time     string // RFC 3339, "" if the line has none
}

// A Request is a request of the user. Text and Answer are cut off after some thousand bytes.
type Request struct {
	Text   string
	Time   string
	Answer string // the assistant's last message on it
}

// A Todo is an entry of a to-do list.
type Todo struct {
	Text   string
	Status string // as the agent writes it: pending, in_progress, completed
}

// Done reports whether the entry is completed.
func (t Todo) Done() bool { return t.Status == "completed" }

// A File is a file that a tool read or changed.
type File struct {
	Path    string `json:"path"`
	Read    int    `json:"read,omitzero"`    // how many times
	Changed int    `json:"changed,omitzero"` // how many times
	Deleted bool   `json:"deleted,omitzero"` // the last change deleted it
}

// A Decision is the user's decision on a question of the agent.
type Decision struct {
	Kind string // question, plan or rejection
	Text string // cut off after some thousand bytes
	Time string
}

// Usage counts the tokens that the models of a session read and wrote.
type Usage struct {
	Input      int64 `json:"input"` // neither read from a cache nor written to one
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"` // part of Output, if reported
	// CostUSD is the total cost, nil unless every response reports its cost.
	CostUSD *message.Decimal `json:"-"`
}

// Prompt returns the number of tokens that models read, cached or not.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }
