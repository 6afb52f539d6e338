// Package copilotcli supports the sessions of the Copilot CLI: JSON Lines files of events, each of which is one
// message. See [Log].
package copilotcli

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the sessions of the Copilot CLI. Their turns are the messages of the user and the agent, and the
// results of tools.
var Format = format.Descriptor{
	Name:   format.CopilotCLI,
	System: "copilot-cli",
	Title:  "Copilot CLI",
	Kind:   "Copilot CLI session",

	Known: &format.Elements{List: format.ListIn(), Fit: fit, Trail: newTrail, Relink: relink, Kind: kindOf, Lines: []string{"parentId"}},

	Schema: schemas.CopilotCLISession,

	Turns:     []string{},
	Sections:  true,
	Profile:   profile,
	Say:       say,
	UserFirst: true,

	Exchange: codec,
}

// fit classifies a line.
func fit(v jsonstream.Value) format.Fit {
	switch {
	case v.Get("type").Text() == chat.CarriedType && v.Get("carried").Exists():
		return format.Beside
	case !IsEvent(v):
		return format.Foreign
	case conversation.Role(v) != "":
		return format.Typical
	}
	return format.Beside
}

// say returns an event that says text, at the time of like and after it.
func say(like jsonstream.Value, role, text string) []byte {
	at, parent := like.Get("timestamp").Text(), like.Get("id").Text()
	if at == "" {
		at = chat.Epoch
	}
	if role == "assistant" {
		return format.Fill(`{"type":"assistant.message","data":{"messageId":%,"content":%,"toolRequests":[]},"id":%,"timestamp":%,"parentId":%}`,
			format.MadeID(text), text, format.MadeID(text+parent), at, parent)
	}
	return format.Fill(`{"type":"user.message","data":{"content":%,"attachments":[]},"id":%,"timestamp":%,"parentId":%}`, text, format.MadeID(text+parent), at, parent)
}

// Facts are the details of a session for [format.Profile].
type Facts struct {
	Session     string `json:"session,omitzero"`
	Folder      string `json:"folder,omitzero"`
	Branch      string `json:"branch,omitzero"`
	Version     string `json:"version,omitzero"`
	Model       string `json:"model,omitzero"` // of the last response
	Lines       int    `json:"lines"`
	Compactions int    `json:"compactions"`
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	f := &Facts{}
	began := ""
	for _, line := range doc.Root().Elements() {
		f.Lines++
		data := line.Get("data")
		switch line.Get("type").Text() {
		case "session.start":
			set(&f.Session, data.Get("sessionId"))
			set(&f.Version, data.Get("copilotVersion"))
			set(&f.Folder, data.At("/context/cwd"))
			set(&f.Branch, data.At("/context/branch"))
			set(&began, data.Get("startTime"))
		case "session.model_change":
			set(&f.Model, data.Get("newModel"))
		case "assistant.message":
			set(&f.Model, data.Get("model"))
		case "session.compaction_complete":
			f.Compactions++
		}
	}
	return format.Profile{Time: began, Details: f, Labels: []format.Label{
		{Name: "session", Value: f.Session, Optional: true},
		{Name: "folder", Value: f.Folder, Optional: true},
		{Name: "branch", Value: f.Branch, Optional: true},
		{Name: "version", Value: f.Version, Optional: true},
		{Name: "model", Value: f.Model, Optional: true},
		{Name: "lines", Amounts: []format.Amount{{Count: f.Lines, Noun: "line"}, {Count: f.Compactions, Noun: "compaction"}}},
	}}
}

// set sets text to v if v exists.
func set(text *string, v jsonstream.Value) {
	if s := v.Text(); s != "" {
		*text = s
	}
}
