// Package opencode supports the sessions of OpenCode, in the form of "opencode export": a document with the
// description of the session and its messages.
package opencode

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes exported sessions. Their turns are the messages with which OpenCode resumes a session.
var Format = format.Descriptor{
	Name:   format.OpenCode,
	System: "opencode",
	Title:  "OpenCode",
	Kind:   "OpenCode session",

	Members: []string{"info"},
	Known:   &format.Elements{List: list, Fit: fit, Trail: newTrail, Kind: kindOf},
	Needs:   []string{"messages"},

	Schema: schemas.OpenCodeSession,

	Turns:     []string{"messages"},
	Sections:  true,
	Profile:   profile,
	Say:       say,
	UserFirst: true,

	Exchange: codec,
}

// list returns the messages of a session.
func list(root jsonstream.Value) jsonstream.Value {
	if root.Kind() != jsonstream.Object {
		return jsonstream.Value{}
	}
	return root.Get("messages")
}

// fit classifies a message.
func fit(m jsonstream.Value) format.Fit {
	if !isMessage(m) {
		return format.Foreign
	}
	return format.Typical
}

// say returns a message that contains text.
func say(like jsonstream.Value, role, text string) []byte {
	session := like.At("/info/sessionID").Text()
	id := "msg_" + format.MadeID(text+session)
	if role != "assistant" {
		role = "user"
	}
	return format.Fill(`{"info":{"id":%,"sessionID":%,"role":%,"time":{"created":0}},"parts":[{"id":%,"sessionID":%,"messageID":%,"type":"text","text":%}]}`,
		id, session, role, "prt_"+format.MadeID(id), session, id, text)
}

// Facts are the details of a session for [format.Profile].
type Facts struct {
	Session     string `json:"session,omitzero"`
	Title       string `json:"title,omitzero"`
	Folder      string `json:"folder,omitzero"`
	Version     string `json:"version,omitzero"`
	Model       string `json:"model,omitzero"` // of the last response
	Messages    int    `json:"messages"`
	Compactions int    `json:"compactions"`
	Usage       Usage  `json:"usage"`
}

// Usage counts the tokens that a session's models read and wrote.
type Usage struct {
	Input      int64 `json:"input"` // neither read from a cache nor written to one
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"` // beside Output
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	info := doc.Root().Get("info")
	f := &Facts{Session: info.Get("id").Text(), Title: info.Get("title").Text(), Folder: info.Get("directory").Text(), Version: info.Get("version").Text()}
	for _, m := range doc.Root().Get("messages").Elements() {
		f.Messages++
		if IsSummary(m) {
			f.Compactions++
		}
		about := m.Get("info")
		if model := about.Get("modelID").Text(); model != "" {
			f.Model = model
		}
		u := about.Get("tokens")
		f.Usage.Input += format.Natural(u.Get("input"))
		f.Usage.CacheRead += format.Natural(u.At("/cache/read"))
		f.Usage.CacheWrite += format.Natural(u.At("/cache/write"))
		f.Usage.Output += format.Natural(u.Get("output"))
		f.Usage.Reasoning += format.Natural(u.Get("reasoning"))
	}
	return format.Profile{Task: f.Title, Details: f, Labels: []format.Label{
		{Name: "session", Value: f.Session, Optional: true},
		{Name: "title", Value: f.Title, Optional: true},
		{Name: "folder", Value: f.Folder, Optional: true},
		{Name: "version", Value: f.Version, Optional: true},
		{Name: "model", Value: f.Model, Optional: true},
		{Name: "messages", Amounts: []format.Amount{{Count: f.Messages, Noun: "message"}, {Count: f.Compactions, Noun: "compaction"}}},
		{Name: "tokens", Amounts: []format.Amount{
			{Count: int(f.Usage.Input), Word: "read"}, {Count: int(f.Usage.CacheRead), Word: "from a cache"},
			{Count: int(f.Usage.CacheWrite), Word: "to a cache"}, {Count: int(f.Usage.Output), Word: "written"}, {Count: int(f.Usage.Reasoning), Word: "of reasoning"},
		}},
	}}
}
