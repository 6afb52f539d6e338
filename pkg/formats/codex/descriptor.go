// Package codex supports rollouts of the Codex CLI: JSON Lines files, each of which is one
// message. A line holds an item of the Responses API or other session data.
package codex

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes rollouts. Their turns are the items that Codex resumes the session with: see
// [Thread]. Rollouts of the first versions have bare items as lines.
var Format = format.Descriptor{
	Name:   format.Codex,
	System: "codex",
	Title:  "Codex CLI",
	Kind:   "Codex rollout",

	Known: &format.Elements{
		List: format.ListIn(), Fit: fit, Trail: newTrail, Relink: relink, Within: Within, Hold: hold, Lift: lift, Kind: kindOf,
		Lines: []string{"payload", "instructions", "record_type"},
	},
	Schema: schemas.CodexRollout,

	Provider: "openai-responses",
	Divided:  true,
	Turns:    []string{},
	Sections: true,
	Profile:  profile,
	Say:      say,

	Exchange: codec,
}

// say returns a line with a message, or a bare message for a rollout of the first versions.
func say(like jsonstream.Value, role, text string) []byte {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	item := format.Fill(`{"type":"message","role":%,"content":[{"type":%,"text":%}]}`, role, kind, text)
	if like.Exists() && !like.Get("payload").Exists() {
		return item
	}
	line := []byte{'{'}
	if began := like.Get("timestamp"); began.Exists() {
		line = append(append(append(line, `"timestamp":`...), began.Raw()...), ',')
	}
	return append(append(append(line, `"type":"response_item","payload":`...), item...), '}')
}

// fit classifies a line.
func fit(v jsonstream.Value) format.Fit {
	return fitOf(v.Get("type").Text(), func(name string) jsonstream.Kind { return v.Get(name).Kind() })
}

// fitOf classifies a line by its type and the kinds of its members.
func fitOf(kind string, of func(name string) jsonstream.Kind) format.Fit {
	payload := of("payload")
	switch {
	case payload == jsonstream.Object && kind == "response_item":
		return format.Typical
	case payload == jsonstream.Object && (kind == chat.CarriedType || kind != "" && of("timestamp") == jsonstream.String):
		return format.Beside
	case payload != jsonstream.Absent:
		return format.Foreign
	case kind == "message" && of("role") == jsonstream.String && of("content") == jsonstream.Array,
		kind == "function_call" && of("call_id") != jsonstream.Absent, kind == "function_call_output" && of("call_id") != jsonstream.Absent,
		kind == "local_shell_call", kind == "custom_tool_call", kind == "custom_tool_call_output", kind == "web_search_call",
		kind == "reasoning" && of("summary") == jsonstream.Array:
		return format.Possible
	case kind == "" && of("record_type") == jsonstream.String,
		kind == "" && of("id") == jsonstream.String && of("timestamp") == jsonstream.String && of("instructions") != jsonstream.Absent:
		return format.Beside
	}
	return format.Foreign
}

// Facts are the details of a rollout for [format.Profile].
type Facts struct {
	Session     string `json:"session,omitzero"`
	Folder      string `json:"folder,omitzero"`
	Branch      string `json:"branch,omitzero"`
	Version     string `json:"version,omitzero"`
	Model       string `json:"model,omitzero"` // of the last turn
	Lines       int    `json:"lines"`
	Compactions int    `json:"compactions"`
	Usage       Usage  `json:"usage"`
}

// Usage counts the tokens that a rollout's models read and wrote, according to its last
// count.
type Usage struct {
	Input     int64 `json:"input"`     // cached or not
	CacheRead int64 `json:"cacheRead"` // of Input
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"` // of Output
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	f := &Facts{}
	began := ""
	for _, line := range doc.Root().Elements() {
		f.Lines++
		payload := line.Get("payload")
		kind := line.Get("type").Text()
		if kind == "" && fit(line) == format.Beside && line.Get("id").Exists() {
			kind, payload = "session_meta", line // of the first versions
		}
		if began == "" {
			began = line.Get("timestamp").Text()
		}
		switch kind {
		case "session_meta":
			if f.Session == "" { // a fork also contains the metadata of earlier sessions
				f.Session = payload.Get("id").Text()
				f.Folder, f.Branch, f.Version = payload.Get("cwd").Text(), payload.At("/git/branch").Text(), payload.Get("cli_version").Text()
			}
		case "turn_context":
			if model := payload.Get("model").Text(); model != "" {
				f.Model = model
			}
		case "compacted":
			f.Compactions++
		case "event_msg":
			if u := payload.At("/info/total_token_usage"); u.Kind() == jsonstream.Object {
				f.Usage = Usage{
					format.Natural(u.Get("input_tokens")), format.Natural(u.Get("cached_input_tokens")),
					format.Natural(u.Get("output_tokens")), format.Natural(u.Get("reasoning_output_tokens")),
				}
			}
		}
	}
	return format.Profile{Time: began, Details: f, Labels: []format.Label{
		{Name: "session", Value: f.Session, Optional: true},
		{Name: "folder", Value: f.Folder, Optional: true},
		{Name: "branch", Value: f.Branch, Optional: true},
		{Name: "version", Value: f.Version, Optional: true},
		{Name: "model", Value: f.Model, Optional: true},
		{Name: "lines", Amounts: []format.Amount{{Count: f.Lines, Noun: "line"}, {Count: f.Compactions, Noun: "compaction"}}},
		{Name: "tokens", Amounts: []format.Amount{
			{Count: int(f.Usage.Input), Word: "read"}, {Count: int(f.Usage.CacheRead), Word: "from a cache"},
			{Count: int(f.Usage.Output), Word: "written"}, {Count: int(f.Usage.Reasoning), Word: "of reasoning"},
		}},
	}}
}
