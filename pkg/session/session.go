package session

import (
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An Agent is a program whose sessions this package reads.
type Agent string

// The agents.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
)

// Agents returns all agents.
func Agents() []Agent { return []Agent{ClaudeCode, Codex} }

// Options say how a session is read. The zero value is ready to use.
type Options struct {
	// TailBytes is about how much text the turns may have: the latest stay. 0 means
	// DefaultTailBytes.
	TailBytes int
	// Limits bound one line; the zero value means those of package jsonstream.
	Limits jsonstream.Limits
}

// DefaultTailBytes is the default of [Options].TailBytes.
const DefaultTailBytes = 4 << 20

// A Session is what a file of an agent says. Texts are those of the file, but for what is
// cut off where a field says so.
type Session struct {
	Agent   Agent
	ID      string
	Title   string // that the user or the agent gave it, "" for none
	Folder  string // where the agent worked
	Branch  string // of git, there
	Version string // of the agent
	Model   string // the last one that answered
	Began   time.Time
	Ended   time.Time // of the last line that has a time

	Bytes   int64
	Lines   int
	Damage  []Damage // the first of them
	Damaged int      // how many lines there are that could not be read

	// Turns is the end of the conversation, oldest first, and TurnsLeftOut how many there are
	// before that. Beginning says that a compaction cut it: Summary is what is left of it.
	Turns        []Turn
	TurnsLeftOut int
	Compactions  int
	Summary      string

	Requests     []Request // what the user asked for, oldest first
	RequestCount int       // with those that are left out: the first one and the latest stay
	Open         bool      // the last request has no answer yet
	Todos        []Todo    // the agent's last list of what there is to do
	Files        []File    // in the order in which they were touched first
	Decisions    []Decision
	Calls        []Call // the latest
	CallCount    int
	Usage        Usage
}

// Damage is a line that could not be read, or not all of it.
type Damage struct {
	Line    int   // 1-based
	Offset  int64 // where it begins
	Problem string
}

// A Turn is what one speaker said: a user, an assistant, or a tool whose result it is.
type Turn struct {
	Role  string // user, assistant or tool
	Text  string
	Calls []Call // of an assistant
	// CallID is the call that a tool's turn answers, and Failed whether that went wrong.
	CallID string
	Failed bool
	Time   string // RFC 3339, "" if the line has none

	response string // which turns of an assistant are one response
}

// A Call is the call of a tool.
type Call struct {
	ID, Tool string
	Input    string // what the model wrote: JSON, or text of a custom tool
	Time     string // RFC 3339, "" if the line has none
}

// A Request is what a user asked for. Text and Answer are cut off after some thousand bytes.
type Request struct {
	Text   string
	Time   string
	Answer string // the last that the assistant said to it
}

// A Todo is an entry of a list of things to do.
type Todo struct {
	Text   string
	Status string // as the agent writes it: pending, in_progress, completed
}

// Done reports whether the entry is completed.
func (t Todo) Done() bool { return t.Status == "completed" }

// A File is one that a tool read or changed.
type File struct {
	Path    string `json:"path"`
	Read    int    `json:"read,omitzero"`    // how many times
	Changed int    `json:"changed,omitzero"` // how many times
	Deleted bool   `json:"deleted,omitzero"` // the last change was that
}

// A Decision is what the user decided when the agent asked.
type Decision struct {
	Kind string // question, plan or rejection
	Text string // cut off after some thousand bytes
	Time string
}

// Usage is what the models of a session read and wrote, in tokens.
type Usage struct {
	Input      int64 `json:"input"` // neither read from a cache nor written to one
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"` // of Output, where the agent says so
	// CostUSD is what all of it cost, if every response says what it cost, and else nil.
	CostUSD *message.Decimal `json:"-"`
}

// Prompt returns how many tokens models read, from a cache or not.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }
