package copilotcli

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts sessions.
var codec = (&chat.Form{
	At:     []string{""},
	Lines:  true,
	Known:  &format.Elements{Trail: newTrail},
	Site:   site,
	Read:   read,
	Write:  write,
	Holder: chat.LineHolder(func(tree.Node) string { return "" }),
}).Codec()

// site returns the last known folder and branch of a session.
func site(_ tree.Node, lines []tree.Node) (folder, branch tree.Node) {
	for _, line := range lines {
		context := line.At("/data/context")
		if line.Get("type").Text() == "session.context_changed" {
			context = line.Get("data")
		}
		if at := context.Get("cwd"); at.Text() != "" {
			folder, branch = at, context.Get("branch")
		}
	}
	return folder, branch
}

// read appends the turn of an event, with its time.
func read(dst []tree.Node, event tree.Node) []tree.Node {
	data := event.Get("data")
	content := data.Get("content")
	if !tree.IsString(content) {
		content = tree.String("")
	}
	t := chat.Turn{Role: "user", Plain: true}
	switch event.Get("type").Text() {
	case "assistant.message":
		t.Role = "assistant"
		if !content.Empty() {
			t.Parts = append(t.Parts, chat.Part{Kind: chat.Text, Text: content})
		}
		for _, call := range tree.Elements(data.Get("toolRequests")) {
			arguments := call.Get("arguments")
			if !tree.IsString(arguments) {
				arguments = tree.String(string(arguments.AppendPlain(nil)))
			}
			t.Parts = append(t.Parts, chat.Part{Kind: chat.Call, ID: tree.String(call.Get("toolCallId").Text()), Name: tree.String(call.Get("name").Text()), Arguments: arguments})
		}
		t.Plain = len(t.Parts) > 0 && t.Parts[0].Kind == chat.Text
	case "tool.execution_complete":
		text, failed := result(data.At("/result/content").Text(), data.At("/error/message").Text(), data.Get("success").Kind())
		output := append([]chat.Part{{Kind: chat.Text, Text: tree.String(text)}}, filesIn(data.At("/result/binaryResultsForLlm"))...)
		t.Role = "tool"
		t.Parts = []chat.Part{{Kind: chat.Result, ID: tree.String(data.Get("toolCallId").Text()), Plain: len(output) == 1, Failed: failed, Output: output}}
	case "session.context_cleared":
		t.Parts = []chat.Part{{Kind: chat.Text, Text: tree.String(data.Get("initialMessage").Text())}}
	case "session.compaction_complete":
		t.Parts = []chat.Part{{Kind: chat.Text, Text: tree.String(data.Get("summaryContent").Text())}}
	default:
		t.Parts = []chat.Part{{Kind: chat.Text, Text: content}}
		t.Parts = append(t.Parts, filesIn(data.Get("attachments"))...)
		t.Plain = len(t.Parts) == 1
	}
	if at := chat.OwnTime(event); exchange.IsTime(at) {
		t.Further = []tree.Member{{Name: "timestamp", Value: at}}
	}
	return append(dst, t.Canonical()...)
}

// filesIn reads the attachments of a message, or the binary results of a tool, that have their data in them.
func filesIn(list tree.Node) (files []chat.Part) {
	for _, n := range tree.Elements(list) {
		if !tree.IsString(n.Get("data")) || !tree.IsString(n.Get("mimeType")) {
			continue
		}
		m := chat.Media{Type: "file", Data: n.Get("data"), MediaType: n.Get("mimeType"), Name: n.Get("displayName")}
		m.TakeType()
		files = append(files, chat.Part{Kind: chat.File, Media: m})
	}
	return files
}

// HasFile reports whether a value is an attachment or a binary result with its data.
func HasFile(v jsonstream.Value) bool {
	return v.Get("data").Kind() == jsonstream.String && v.Get("mimeType").Kind() == jsonstream.String
}

// ResultOf returns the text of a tool's result, from the data of its event, and whether the tool failed.
func ResultOf(data jsonstream.Value) (text string, failed bool) {
	return result(data.At("/result/content").Text(), data.At("/error/message").Text(), data.Get("success").Kind())
}

func result(content, problem string, success jsonstream.Kind) (text string, failed bool) {
	if success != jsonstream.False {
		return content, false
	}
	return strings.Trim(problem+"\n"+content, "\n"), true
}

// A writer writes the events of one session.
type writer struct {
	*chat.Writing
	lines  []tree.Node
	parent tree.Node // the id of the last event, null before the first
	began  tree.Node
}

// write returns the events of turns, after that of the start.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := &writer{Writing: w, parent: tree.Null(), began: tree.String(chat.Epoch)}
	o.start()
	for turn, joined := range chat.Joined(turns) {
		t := chat.Of(turn)
		if joined != nil {
			t = *joined
		}
		o.turn(turn, t)
	}
	return o.lines
}

// start adds the event of the start of the session.
func (o *writer) start() {
	context := tree.None
	if o.Maker.IsFresh() {
		o.began = o.Maker.TimeOf(o.Meaning, "/turns/0/0/data/startTime")
		if folder, branch := o.Site(); folder.Text() != "" {
			context = chat.Object("cwd", folder, "branch", branch)
		}
	}
	id := o.SessionID("/turns/0/0/data/sessionId")
	o.add(tree.None, "session.start", o.began, chat.Object("sessionId", id, "version", tree.Int(1), "producer", tree.String("handoff"),
		"copilotVersion", tree.String("0.0.0"), "startTime", o.began, "context", context))
}

// add adds an event for a turn.
func (o *writer) add(turn tree.Node, kind string, at, data tree.Node) {
	id := o.ID(tree.Array(tree.String(kind), data, turn), len(o.lines), "id")
	o.lines = append(o.lines, chat.Object("type", tree.String(kind), "data", data, "id", id, "timestamp", at, "parentId", o.parent))
	o.parent = id
}

// split returns the parts without files, and the files with their data: of the type image, or else of the type other.
func split(parts []chat.Part, image, other string) (said []chat.Part, files []tree.Node) {
	for _, p := range parts {
		m := p.Media
		if p.Kind != chat.File || m.Data == tree.None || m.MediaType.Text() == "" {
			said = append(said, p)
			continue
		}
		kind := other
		if m.Type == "image" {
			kind = image
		}
		files = append(files, chat.Object("type", tree.String(kind), "data", m.Data, "mimeType", m.MediaType, "displayName", m.Name))
	}
	return said, files
}

func (o *writer) turn(turn tree.Node, t chat.Turn) {
	at := o.TurnTime(turn, o.began)
	var said []chat.Part
	var calls, attachments []tree.Node
	for _, p := range t.Parts {
		switch p.Kind {
		case chat.Result:
			said, files := split(p.Output, "image", "resource")
			result := chat.Object("content", tree.String(chat.Say(said)))
			if len(files) > 0 {
				result = result.With("binaryResultsForLlm", tree.Array(files...))
			}
			data := chat.Object("toolCallId", p.ID, "success", tree.Bool(!p.Failed), "result", result)
			if p.Failed {
				data = chat.Object("toolCallId", p.ID, "success", tree.Bool(false), "error", chat.Object("message", tree.String(chat.Say(p.Output))))
			}
			o.add(turn, "tool.execution_complete", at, data)
		case chat.Call:
			calls = append(calls, chat.Object("toolCallId", p.ID, "name", p.Name, "arguments", p.Input(), "type", tree.String("function")))
		case chat.Reasoning:
		default:
			said = append(said, p)
		}
	}
	if t.Role == "user" {
		said, attachments = split(said, "blob", "blob")
	}
	text := chat.Say(said)
	switch {
	case text == "" && len(calls) == 0 && len(attachments) == 0:
	case t.Role == "assistant":
		message := o.ID(turn, len(o.lines), "data/messageId")
		o.add(turn, "assistant.message", at, chat.Object("messageId", message, "content", tree.String(text), "toolRequests", tree.Array(calls...)))
	case t.Role == "system", t.Role == "developer":
		text = "[" + t.Role + "] " + text
		fallthrough
	default:
		o.add(turn, "user.message", at, chat.Object("content", tree.String(text), "attachments", tree.Array(attachments...)))
	}
}
