// Package claudecode supports the sessions of Claude Code: JSON Lines files, each of which is
// one message.
//
// The lines form a tree by their parentUuid. The conversation is the path to the last leaf,
// with all parts of the responses on it. It differs from file order when the user goes back and
// asks something else, when subagents have chains of their own, and when a compaction starts a
// new root. See [Tree].
package claudecode

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the sessions of Claude Code. Their turns are the lines of a user or an
// assistant on the path.
var Format = format.Descriptor{
	Name:   format.ClaudeCode,
	System: "claude-code",
	Title:  "Claude Code",
	Kind:   "Claude Code session",

	Known: &format.Elements{
		List: format.ListIn(), Fit: fit, Trail: newTrail, Relink: relink, Kind: kindOf,
		Lines: []string{"parentUuid", "isSidechain", "sessionId", "session_id", "leafUuid", "messageId"},
	},
	Schema: schemas.ClaudeCodeSession,

	Provider: "anthropic",
	Divided:  true,
	Turns:    []string{},
	Sections: true,
	Profile:  profile,

	Say:       say,
	UserFirst: true,

	Exchange: codec,
}

// fit classifies a line.
func fit(v jsonstream.Value) format.Fit {
	var kind, message, id, snapshot, carried jsonstream.Value
	for name, member := range v.Members() {
		switch name {
		case "type":
			kind = member
		case "message":
			message = member
		case "uuid", "sessionId", "session_id", "leafUuid":
			if member.Kind() == jsonstream.String {
				id = member
			}
		case "snapshot":
			snapshot = member
		case "carried":
			carried = member
		case "payload":
			return format.Foreign
		}
	}
	switch kind.Text() {
	case "":
		return format.Foreign
	case "user", "assistant":
		if id.Exists() && message.Kind() == jsonstream.Object {
			return format.Typical
		}
	case chat.CarriedType:
		if carried.Exists() {
			return format.Beside
		}
	case "file-history-snapshot":
		if snapshot.Exists() {
			return format.Beside
		}
	}
	if id.Exists() {
		return format.Beside
	}
	return format.Foreign
}

// Facts are the details of a session for [format.Profile].
type Facts struct {
	Session     string `json:"session,omitzero"`
	Title       string `json:"title,omitzero"`
	Folder      string `json:"folder,omitzero"`
	Branch      string `json:"branch,omitzero"`
	Version     string `json:"version,omitzero"`
	Model       string `json:"model,omitzero"` // of the last response
	Lines       int    `json:"lines"`
	Compactions int    `json:"compactions"`
	Sidechains  int    `json:"sidechains"` // lines of subagents
	Usage       Usage  `json:"usage"`
}

// Usage counts the tokens that a session's models read and wrote. Each response counts once.
type Usage struct {
	Input      int64 `json:"input"` // neither read from a cache nor written to one
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	f := &Facts{}
	var summary, custom, began string
	usage := map[string]Usage{}
	for _, line := range doc.Root().Elements() {
		f.Lines++
		e, isEntry := EntryOf(line)
		set(&f.Session, line.Get("sessionId"))
		set(&custom, line.Get("customTitle"))
		set(&summary, line.Get("summary"))
		if !isEntry {
			continue
		}
		set(&f.Folder, line.Get("cwd"))
		set(&f.Branch, line.Get("gitBranch"))
		set(&f.Version, line.Get("version"))
		if began == "" {
			began = line.Get("timestamp").Text()
		}
		switch {
		case e.Compaction:
			f.Compactions++
		case e.Sidechain:
			f.Sidechains++
		}
		if e.Kind != "assistant" {
			continue
		}
		message := line.Get("message")
		if model := message.Get("model"); !e.Sidechain && model.Text() != synthetic {
			set(&f.Model, model)
		}
		id := e.Response
		if id == "" {
			id = e.UUID
		}
		if u := message.Get("usage"); u.Kind() == jsonstream.Object { // the last line of a response has its final usage
			usage[id] = Usage{
				format.Natural(u.Get("input_tokens")), format.Natural(u.Get("cache_read_input_tokens")),
				format.Natural(u.Get("cache_creation_input_tokens")), format.Natural(u.Get("output_tokens")),
			}
		}
	}
	for _, u := range usage {
		f.Usage.Input += u.Input
		f.Usage.CacheRead += u.CacheRead
		f.Usage.CacheWrite += u.CacheWrite
		f.Usage.Output += u.Output
	}
	if f.Title = custom; f.Title == "" {
		f.Title = summary
	}
	return format.Profile{Task: f.Title, Time: began, Details: f, Labels: []format.Label{
		{Name: "session", Value: f.Session, Optional: true},
		{Name: "folder", Value: f.Folder, Optional: true},
		{Name: "branch", Value: f.Branch, Optional: true},
		{Name: "version", Value: f.Version, Optional: true},
		{Name: "model", Value: f.Model, Optional: true},
		{Name: "lines", Amounts: []format.Amount{{Count: f.Lines, Noun: "line"}, {Count: f.Compactions, Noun: "compaction"}, {Count: f.Sidechains, Word: "of subagents"}}},
		{Name: "tokens", Amounts: []format.Amount{
			{Count: int(f.Usage.Input), Word: "read"}, {Count: int(f.Usage.CacheRead), Word: "from a cache"},
			{Count: int(f.Usage.CacheWrite), Word: "to a cache"}, {Count: int(f.Usage.Output), Word: "written"},
		}},
	}}
}

// set sets text to v if v exists.
func set(text *string, v jsonstream.Value) {
	if s := v.Text(); s != "" {
		*text = s
	}
}
