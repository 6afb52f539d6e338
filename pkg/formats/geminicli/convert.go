package geminicli

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/gemini"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts sessions. Contents of messages are those of the Gemini API.
var codec = (&chat.Form{
	At:      []string{"", messagesAt},
	Lines:   true,
	Known:   &format.Elements{Trail: newTrail},
	Within:  nodesWithin,
	Reading: func() func(dst []tree.Node, message tree.Node) []tree.Node { return (&reader{gemini.Reading()}).read },
	Write:   write,
	Holder: chat.LineHolder(func(message tree.Node) string {
		if message.Is(jsonstream.Object) {
			return messagesAt
		}
		return ""
	}),
}).Codec()

// messagesAt is the place of the messages in a session that is an object.
const messagesAt = "/messages"

// nodesWithin is [Within] for nodes.
func nodesWithin(line tree.Node) (messages []tree.Node) {
	holder := line
	if set := line.Get("$set"); set != tree.None {
		holder = set
	}
	for _, m := range tree.Elements(holder.Get("messages")) {
		if tree.IsString(m.Get("id")) {
			messages = append(messages, m)
		}
	}
	return messages
}

// A reader reads the messages of one session.
type reader struct {
	content func(dst []tree.Node, content tree.Node) []tree.Node
}

// read appends the turns of a message, with its time: a response, and then the results of its calls.
func (r *reader) read(dst []tree.Node, message tree.Node) []tree.Node {
	before := len(dst)
	parts := partsOf(message.Get("content"))
	if message.Get("type").Text() != "gemini" {
		dst = r.content(dst, content("user", parts))
	} else {
		var results []tree.Node
		for _, call := range tree.Elements(message.Get("toolCalls")) {
			parts = append(parts, chat.Object("functionCall", chat.Object("id", call.Get("id"), "name", call.Get("name"), "args", call.Get("args"))))
			results = append(results, resultOf(call)...)
		}
		dst = r.content(dst, content("model", parts))
		if len(results) > 0 {
			dst = r.content(dst, content("user", results))
		}
	}
	at := chat.OwnTime(message)
	if at == tree.None {
		return dst
	}
	for i, turn := range dst[before:] {
		dst[before+i] = turn.With("timestamp", at)
	}
	return dst
}

func content(role string, parts []tree.Node) tree.Node {
	return chat.Object("role", tree.String(role), "parts", tree.Array(parts...))
}

// partsOf returns the parts of a content: a string, a part, or an array of both.
func partsOf(content tree.Node) (parts []tree.Node) {
	all := []tree.Node{content}
	if content.Is(jsonstream.Array) {
		all = tree.Elements(content)
	}
	for _, part := range all {
		switch {
		case tree.IsString(part):
			if !part.Empty() {
				parts = append(parts, chat.Object("text", part))
			}
		case part.Is(jsonstream.Object) && !part.Get("thought").Is(jsonstream.True):
			parts = append(parts, part)
		}
	}
	return parts
}

// resultOf returns the parts of the result of a call. A text is the output of the function.
func resultOf(call tree.Node) []tree.Node {
	result := call.Get("result")
	if result == tree.None || result.Is(jsonstream.Null) {
		return nil
	}
	parts := partsOf(result)
	if slices.ContainsFunc(parts, func(part tree.Node) bool { return part.Get("functionResponse") != tree.None }) {
		return withFiles(parts)
	}
	name := "output"
	if status := call.Get("status").Text(); status == "error" || status == "cancelled" {
		name = "error"
	}
	response := chat.Object("id", call.Get("id"), "name", call.Get("name"), "response", chat.Object(name, tree.String(result.Flat())))
	return []tree.Node{chat.Object("functionResponse", response)}
}

// withFiles returns the parts of a result with the files beside its only response in the response, where the API has
// them, too.
func withFiles(parts []tree.Node) []tree.Node {
	var responses, others, files []tree.Node
	for _, part := range parts {
		switch {
		case part.Get("functionResponse") != tree.None:
			responses = append(responses, part)
		case part.HasAny("inlineData", "fileData"):
			files = append(files, part)
		default:
			others = append(others, part)
		}
	}
	if len(responses) != 1 || len(files) == 0 {
		return parts
	}
	response := responses[0].Get("functionResponse")
	files = append(tree.Elements(response.Get("parts")), files...)
	return append([]tree.Node{responses[0].With("functionResponse", response.With("parts", tree.Array(files...)))}, others...)
}

// A writer writes the messages of one session.
type writer struct {
	*chat.Writing
	parts func(chat.Turn) (responses, parts []tree.Node)
	lines []tree.Node
	began tree.Node
	open  map[string]place // calls without a result, by id
}

// A place is the place of a call: the index of its line, and its own in the line.
type place struct{ line, call int }

// write returns the lines of turns: the description of the session, and a message for each turn. A result is in
// the message of its call.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := &writer{Writing: w, parts: gemini.Parts(), open: map[string]place{}, began: tree.String(chat.Epoch)}
	if w.Place != messagesAt {
		o.begin()
	}
	for turn, joined := range chat.Joined(turns) {
		t := chat.Of(turn)
		if joined != nil {
			t = *joined
		}
		o.add(turn, t)
	}
	return o.lines
}

// begin adds the description of the session.
func (o *writer) begin() {
	hash := tree.String(strings.Repeat("0", 2*sha256.Size))
	if o.Maker.IsFresh() {
		o.began = o.Maker.TimeOf(o.Meaning, "/turns/0/0/startTime")
	}
	id := o.SessionID("/turns/0/0/sessionId")
	if folder, _ := o.Site(); o.Maker.IsFresh() && folder.Text() != "" {
		sum := sha256.Sum256([]byte(folder.Text()))
		hash = tree.String(hex.EncodeToString(sum[:]))
	} else if o.Maker.IsFresh() {
		hash = o.Up(0, "projectHash", hash, "the folder is not known")
	}
	o.lines = append(o.lines, chat.Object("sessionId", id, "projectHash", hash, "startTime", o.began, "lastUpdated", o.began, "kind", tree.String("main")))
}

// add adds the message of a turn, or its result to the message of its call.
func (o *writer) add(turn tree.Node, t chat.Turn) {
	responses, parts := o.parts(t)
	for i, response := range responses {
		var files []tree.Node
		if i == len(responses)-1 && t.Role == "tool" {
			files = parts
		}
		switch {
		case !o.answer(response, files, t):
			o.message(turn, "user", tree.Array(response))
		case len(files) > 0:
			parts = nil
		}
	}
	if t.Role != "assistant" {
		if len(parts) > 0 {
			o.message(turn, "user", tree.Array(parts...))
		}
		return
	}
	var said, calls []tree.Node
	index := len(o.lines)
	plain := true
	for _, part := range parts {
		call := part.Get("functionCall")
		switch {
		case call == tree.None && part.Get("thought").Is(jsonstream.True):
		case call == tree.None:
			said = append(said, part)
			plain = plain && part.Length() == 1 && part.Get("text") != tree.None
		default:
			id := call.Get("id")
			o.open[id.Text()] = place{index, len(calls)}
			calls = append(calls, chat.Object("id", id, "name", call.Get("name"), "args", call.Get("args"), "status", tree.String("cancelled"), "timestamp", o.TurnTime(turn, o.began)))
		}
	}
	content := tree.Array(said...)
	switch {
	case len(said) == 0 && len(calls) == 0:
		return
	case len(said) == 0:
		content = tree.String("")
	case len(said) == 1 && plain:
		content = said[0].Get("text")
	}
	o.message(turn, "gemini", content)
	if len(calls) > 0 {
		o.lines[index] = o.lines[index].With("toolCalls", tree.Array(calls...))
	}
}

func (o *writer) message(turn tree.Node, kind string, content tree.Node) {
	id := o.ID(turn, len(o.lines), "id")
	o.lines = append(o.lines, chat.Object("id", id, "timestamp", o.TurnTime(turn, o.began), "type", tree.String(kind), "content", content))
}

// answer adds a response and its files to the message of its call, and reports false if there is none.
func (o *writer) answer(response tree.Node, files []tree.Node, t chat.Turn) bool {
	id := response.At("/functionResponse/id").Text()
	at, ok := o.open[id]
	if !ok {
		return false
	}
	delete(o.open, id)
	status := "success"
	for _, p := range t.Parts {
		if p.Kind == chat.Result && p.Failed {
			status = "error"
		}
	}
	line := o.lines[at.line]
	calls := slices.Clone(tree.Elements(line.Get("toolCalls")))
	calls[at.call] = calls[at.call].With("status", tree.String(status)).With("result", tree.Array(append([]tree.Node{response}, files...)...))
	o.lines[at.line] = line.With("toolCalls", tree.Array(calls...))
	return true
}
