// Package geminicli supports the sessions of the Gemini CLI: JSON Lines files, each of which is one message. See
// [Log]. Sessions of the first versions, which are one object, are supported too.
package geminicli

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the sessions of the Gemini CLI. Their turns are the messages with which it resumes a session.
var Format = format.Descriptor{
	Name:   format.GeminiCLI,
	System: "gemini-cli",
	Title:  "Gemini CLI",
	Kind:   "Gemini CLI session",

	Members: []string{"projectHash"},
	Known: &format.Elements{
		List: list, Fit: fit, Trail: newTrail, Relink: relink, Within: Within, Hold: hold, Lift: lift, Kind: kindOf,
		Lines: []string{"projectHash", "$set", "$rewindTo"},
	},
	Schema: schemas.GeminiCLISession,

	Turns:     []string{"messages"},
	Sections:  true,
	Profile:   profile,
	Say:       say,
	UserFirst: true,

	Exchange: codec,
}

// list returns the lines of a session, or the messages of one that is an object.
func list(root jsonstream.Value) jsonstream.Value {
	switch {
	case root.Kind() == jsonstream.Array:
		return root
	case IsDescription(root):
		return root.Get("messages")
	}
	return jsonstream.Value{}
}

// fit classifies a line or a message.
func fit(v jsonstream.Value) format.Fit {
	switch {
	case isMessage(v):
	case IsDescription(v), v.Get("$set").Kind() == jsonstream.Object, v.Get("$rewindTo").Kind() == jsonstream.String,
		v.Get("type").Text() == chat.CarriedType && v.Get("carried").Exists():
		return format.Beside
	default:
		return format.Foreign
	}
	if content := v.Get("content"); !content.Exists() || v.Get("timestamp").Kind() != jsonstream.String {
		return format.Foreign
	}
	switch v.Get("type").Text() {
	case "user", "gemini":
		return format.Typical
	case "info", "error", "warning":
		return format.Beside
	}
	return format.Foreign
}

// hold returns a line with several messages, with turns in the place of its first.
func hold(line jsonstream.Value, first int, turns []jsonstream.Value) []byte {
	messages := []byte{'['}
	for _, turn := range turns {
		messages = append(jsonstream.AppendComma(messages), turn.Raw()...)
	}
	log := NewLog(nil)
	for _, m := range Within(line) {
		if first > 0 && log.message(m).Turn {
			first--
			continue
		}
		messages = append(jsonstream.AppendComma(messages), m.Raw()...)
	}
	place := "/messages"
	if line.Get("$set").Exists() {
		place = "/$set/messages"
	}
	d := jsonstream.NewDraft(line)
	if err := d.Set(place, append(messages, ']')); err != nil {
		panic(err) // impossible: the parent is an object
	}
	return d.Bytes()
}

// lift returns the line for a message within another line.
func lift(_, message jsonstream.Value) []byte { return message.Raw() }

// say returns a message at the time of like.
func say(like jsonstream.Value, role, text string) []byte {
	at := like.Get("timestamp").Text()
	if at == "" {
		at = chat.Epoch
	}
	if role == "assistant" {
		return format.Fill(`{"id":%,"timestamp":%,"type":"gemini","content":%,"thoughts":[],"tokens":null}`, format.MadeID(text), at, text)
	}
	return format.Fill(`{"id":%,"timestamp":%,"type":"user","content":[{"text":%}]}`, format.MadeID(text), at, text)
}

// Facts are the details of a session for [format.Profile].
type Facts struct {
	Session      string `json:"session,omitzero"`
	Title        string `json:"title,omitzero"`
	Model        string `json:"model,omitzero"` // of the last response
	Lines        int    `json:"lines"`
	Compressions int    `json:"compressions"`
	Usage        Usage  `json:"usage"`
}

// Usage counts the tokens that the models of a conversation read and wrote.
type Usage struct {
	Input     int64 `json:"input"`     // cached or not
	CacheRead int64 `json:"cacheRead"` // of Input
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"` // of Output
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := &Facts{}
	began := ""
	root := doc.Root()
	lines := func(yield func(jsonstream.Value) bool) {
		if root.Kind() == jsonstream.Object {
			yield(root)
			return
		}
		for _, line := range root.Elements() {
			if !yield(line) {
				return
			}
		}
	}
	for line := range lines {
		f.Lines++
		about := line
		if set := line.Get("$set"); set.Exists() {
			about = set
			if set.Get("messages").Exists() {
				f.Compressions++
			}
		} else if !IsDescription(line) {
			continue
		}
		for name, to := range map[string]*string{"sessionId": &f.Session, "summary": &f.Title, "startTime": &began} {
			if text := about.Get(name).Text(); text != "" {
				*to = text
			}
		}
	}
	for _, t := range turns {
		if model := t.Value.Get("model").Text(); model != "" {
			f.Model = model
		}
		u := t.Value.Get("tokens")
		thoughts := format.Natural(u.Get("thoughts"))
		f.Usage.Input += format.Natural(u.Get("input"))
		f.Usage.CacheRead += format.Natural(u.Get("cached"))
		f.Usage.Output += format.Natural(u.Get("output")) + thoughts
		f.Usage.Reasoning += thoughts
	}
	return format.Profile{Task: f.Title, Time: began, Details: f, Labels: []format.Label{
		{Name: "session", Value: f.Session, Optional: true},
		{Name: "title", Value: f.Title, Optional: true},
		{Name: "model", Value: f.Model, Optional: true},
		{Name: "lines", Amounts: []format.Amount{{Count: f.Lines, Noun: "line"}, {Count: f.Compressions, Noun: "compression"}}},
		{Name: "tokens", Amounts: []format.Amount{
			{Count: int(f.Usage.Input), Word: "read"}, {Count: int(f.Usage.CacheRead), Word: "from a cache"},
			{Count: int(f.Usage.Output), Word: "written"}, {Count: int(f.Usage.Reasoning), Word: "of reasoning"},
		}},
	}}
}
