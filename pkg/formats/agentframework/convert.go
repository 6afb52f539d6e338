package agentframework

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages.
var codec = (&chat.Form{
	At:    []string{"/messages"},
	Style: style,
	Reading: func() func(dst []tree.Node, message tree.Node) []tree.Node {
		return (&reader{map[string]bool{}}).read
	},
	Write: write,
}).Codec()

// The style of a message is a space-separated list of these words. New messages have no style.
const (
	styleNet    = "net"    // the names of .NET
	styleObject = "object" // a role is an object, as in the first versions
)

func style(message tree.Node) string {
	var is []string
	for _, c := range tree.Elements(message.Get("contents")) {
		if c.Get("$type") != tree.None {
			is = append(is, styleNet)
			break
		}
	}
	if message.Get("role").Is(jsonstream.Object) {
		is = append(is, styleObject)
	}
	return strings.Join(is, " ")
}

// partType is the type of a canonical part with a content that no other format has.
const partType = "agent_framework_content"

// A reader reads the messages of one conversation.
type reader struct {
	called map[string]bool // the ids of calls
}

// rejected is the result of a call that a person denied, as Agent Framework sends it.
const rejected = "Error: Tool call invocation was rejected by user."

// read appends the turns of a message.
func (r *reader) read(dst []tree.Node, message tree.Node) []tree.Node {
	t := chat.Turn{Role: roleOf(message)}
	contents := tree.Elements(message.Get("contents"))
	for _, content := range contents {
		if p := partOf(content); p.Kind == chat.Call {
			r.called[p.ID.Text()] = true
		}
	}
	for _, content := range contents {
		switch kindOf(content) {
		case "usage": // no model gets it
		case "function_approval_request", "function_approval_response":
			t.Parts = append(t.Parts, r.approval(content)...)
		default:
			t.Parts = append(t.Parts, partOf(content))
		}
	}
	t.Plain = len(t.Parts) == 1 && t.Parts[0].Kind == chat.Text && t.Parts[0].Value == tree.None
	if len(t.Parts) == 0 {
		return dst
	}
	if name := either(message, "author_name", "authorName"); tree.IsString(name) {
		t.Further = append(t.Further, tree.Member{Name: "name", Value: name})
	}
	return append(dst, t.Canonical()...)
}

// approval reads a request for an approval, which is the call if there is no other, or the response to it: a
// denied call has failed. The result of an approved call has a content of its own.
func (r *reader) approval(content tree.Node) []chat.Part {
	asked := askedIn(content)
	call := chat.Part{Kind: chat.Call, ID: either(asked, "call_id", "callId"), Name: asked.Get("name"), Arguments: arguments(asked.Get("arguments"))}
	id := call.ID.Text()
	switch {
	case !tree.IsString(call.ID) || !tree.IsString(call.Name) || kindOf(asked) == "mcp_server_tool_call": // the provider runs it
		return []chat.Part{partOf(content)}
	case kindOf(content) == "function_approval_request" && !r.called[id]:
		r.called[id] = true
		return []chat.Part{call}
	case r.called[id] && content.Get("approved").Is(jsonstream.False):
		text := []chat.Part{{Kind: chat.Text, Text: tree.String(rejected)}}
		return []chat.Part{{Kind: chat.Result, ID: call.ID, Name: call.Name, Output: text, Plain: true, Failed: true}}
	}
	return nil
}

// askedIn returns the call in an approval: in .NET, a functionCall without its type or, since version 1, a toolCall.
func askedIn(approval tree.Node) tree.Node {
	if call := either(approval, "function_call", "functionCall"); call != tree.None {
		return call
	}
	return approval.Get("toolCall")
}

func roleOf(message tree.Node) string {
	role := message.Get("role")
	if value := role.Get("value"); tree.IsString(value) {
		role = value
	}
	return strings.ToLower(role.Text())
}

// either returns the member with the name in Python, or else in .NET; None if it is null.
func either(n tree.Node, python, net string) tree.Node {
	for _, name := range []string{python, net} {
		if v := n.Get(name); v != tree.None && !v.Is(jsonstream.Null) {
			return v
		}
	}
	return tree.None
}

// pythonTypes maps the names of types in .NET to those in Python.
var pythonTypes = map[string]string{
	"reasoning": "text_reasoning", "functionCall": "function_call", "functionResult": "function_result", "hostedFile": "hosted_file",
	"toolApprovalRequest": "function_approval_request", "toolApprovalResponse": "function_approval_response",
	"mcpServerToolCall": "mcp_server_tool_call", "mcpServerToolResult": "mcp_server_tool_result",
	"functionApprovalRequest": "function_approval_request", "functionApprovalResponse": "function_approval_response",
}

// areCitations reports whether the annotations of a text are citations of Agent Framework.
func areCitations(annotations tree.Node) bool {
	return annotations.Is(jsonstream.Array) && !annotations.Empty() && tree.All(annotations, func(a tree.Node) bool { return kindOf(a) == "citation" })
}

// kindOf returns the type of a content, by its name in Python.
func kindOf(content tree.Node) string {
	net := content.Get("$type").Text()
	switch {
	case net == "":
		return content.Get("type").Text()
	case pythonTypes[net] != "":
		return pythonTypes[net]
	}
	return net
}

// partOf reads a content.
func partOf(content tree.Node) chat.Part {
	kind := kindOf(content)
	id, name := either(content, "call_id", "callId"), content.Get("name")
	text := content.Get("text")
	switch kind {
	case "text":
		if cited := content.Get("annotations"); tree.IsString(text) && areCitations(cited) {
			return chat.Part{Kind: chat.Text, Text: text, Value: chat.Object("type", tree.String("text"), "text", text, "annotations", cited)}
		}
		if tree.IsString(text) {
			return chat.Part{Kind: chat.Text, Text: text}
		}
	case "text_reasoning":
		p := chat.Part{Kind: chat.Reasoning, Signature: stringOf(either(content, "protected_data", "protectedData"))}
		if p.Text = stringOf(text); p.Text == tree.None {
			p.Redacted = p.Signature != tree.None
		}
		return p
	case "function_call":
		if tree.IsString(id) && tree.IsString(name) {
			return chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: arguments(content.Get("arguments"))}
		}
	case "function_result":
		if tree.IsString(id) {
			return resultOf(id, content)
		}
	case "data", "uri", "hosted_file":
		m := chat.Media{Type: "file", MediaType: stringOf(either(content, "media_type", "mediaType")), FileID: stringOf(either(content, "file_id", "fileId")), Name: stringOf(name)}
		m.Address(stringOf(content.Get("uri")))
		m.TakeType()
		if m.URL != tree.None || m.Data != tree.None || m.FileID != tree.None {
			return chat.Part{Kind: chat.File, Media: m}
		}
	case "error":
		return other(content, content.Get("message"))
	case "code_interpreter_tool_call", "code_interpreter_tool_result":
		return other(content, tree.String(textsOf(either(content, "inputs", "outputs"))))
	case "mcp_server_tool_call":
		tool := either(content, "tool_name", "toolName")
		if tool == tree.None {
			tool = name
		}
		return other(content, tree.String(tool.Text()+" "+arguments(content.Get("arguments")).Text()))
	case "mcp_server_tool_result":
		output := either(content, "output", "outputs")
		if output == tree.None {
			output = content.Get("result")
		}
		if texts := textsOf(output); texts != "" {
			return other(content, tree.String(texts))
		}
		return other(content, tree.String(valueText(output)))
	case "function_approval_response":
		answer := "denied: "
		if content.Get("approved").Is(jsonstream.True) {
			answer = "approved: "
		}
		return other(content, tree.String(answer+askedIn(content).Get("name").Text()))
	case "function_approval_request":
		return other(content, tree.String("asks for approval: "+askedIn(content).Get("name").Text()))
	}
	return other(content, tree.String("["+kind+"]"))
}

// other returns a part that no other format has, with its text.
func other(content, text tree.Node) chat.Part {
	return chat.Part{Kind: chat.Other, Value: chat.Object("type", tree.String(partType), "text", stringOf(text), "content", content)}
}

func stringOf(n tree.Node) tree.Node {
	if tree.IsString(n) {
		return n
	}
	return tree.None
}

// resultOf reads the result of a function. Without a result, an exception is the output of a function that
// failed.
func resultOf(id, content tree.Node) chat.Part {
	p := chat.Part{Kind: chat.Result, ID: id, Plain: true}
	output, exception := content.Get("result"), content.Get("exception")
	if p.Failed = tree.IsString(exception) && !exception.Empty(); p.Failed && (output == tree.None || output.Is(jsonstream.Null)) {
		output = exception
	}
	p.Output = []chat.Part{{Kind: chat.Text, Text: tree.String(valueText(output))}}
	for _, item := range tree.Elements(content.Get("items")) { // of Python, whose result has the texts of its items
		if file := partOf(item); file.Kind == chat.File {
			p.Output, p.Plain = append(p.Output, file), false
		}
	}
	return p
}

// arguments returns the arguments of a call as text.
func arguments(v tree.Node) tree.Node {
	if v == tree.None || v.Is(jsonstream.Null) {
		return tree.String("{}")
	}
	return tree.String(valueText(v))
}

// valueText returns a string, or the JSON text of any other value.
func valueText(v tree.Node) string {
	switch {
	case v == tree.None || v.Is(jsonstream.Null):
		return ""
	case tree.IsString(v):
		return v.Text()
	}
	return string(v.AppendPlain(nil))
}

// textsOf returns the texts of contents.
func textsOf(contents tree.Node) string {
	var texts []string
	for _, c := range tree.Elements(contents) {
		if text := c.Get("text"); tree.IsString(text) {
			texts = append(texts, text.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// A writer writes messages in one style.
type writer struct{ net, object bool }

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := writer{strings.Contains(w.Style, styleNet), strings.Contains(w.Style, styleObject)}
	messages := make([]tree.Node, 0, len(turns))
	for _, turn := range chat.PlaceResults(turns) {
		t := chat.Of(turn)
		var contents []tree.Node
		for _, p := range t.Parts {
			if c := o.content(p); c != tree.None {
				contents = append(contents, c)
			}
		}
		if len(contents) == 0 {
			continue
		}
		role := tree.String(t.Role)
		if t.Role == "developer" {
			role = tree.String("system")
		}
		if o.object {
			role = chat.Object("type", tree.String("role"), "value", role)
		}
		name := tree.None
		if t.Role != "tool" {
			name = stringOf(turn.Get("name"))
		}
		messages = append(messages, chat.Object("role", role, o.name("author_name", "authorName"), name, "contents", tree.Array(contents...)))
	}
	return messages
}

// name returns the name of a member or a type in the style.
func (o writer) name(python, net string) string {
	if o.net {
		return net
	}
	return python
}

// content returns the content of a part, None if there is none.
func (o writer) content(p chat.Part) tree.Node {
	kind := o.name("type", "$type")
	id := o.name("call_id", "callId")
	switch p.Kind {
	case chat.Text:
		if p.Text.Empty() {
			return tree.None
		}
		if cited := p.Value.Get("annotations"); areCitations(cited) && tree.All(cited, func(c tree.Node) bool { return c.Get(kind) != tree.None }) {
			return chat.Object(kind, tree.String("text"), "text", p.Value.Get("text"), "annotations", cited)
		}
		return chat.Object(kind, tree.String("text"), "text", p.Text)
	case chat.Reasoning:
		if p.Text == tree.None && p.Signature == tree.None {
			return tree.None
		}
		return chat.Object(kind, tree.String(o.name("text_reasoning", "reasoning")), "text", p.Text, o.name("protected_data", "protectedData"), p.Signature)
	case chat.Call:
		call := chat.Object(kind, tree.String(o.name("function_call", "functionCall")), id, p.ID, "name", p.Name)
		if o.net {
			return call.With("arguments", p.ArgumentsObject())
		}
		return call.With("arguments", p.Arguments)
	case chat.Result:
		text := tree.String(chat.Say(p.Output))
		result := chat.Object(kind, tree.String(o.name("function_result", "functionResult")), id, p.ID, "result", text)
		if p.Failed {
			result = result.With("exception", text)
		}
		return result
	case chat.File:
		m := p.Media
		mediaType := o.name("media_type", "mediaType")
		switch {
		case m.FileID != tree.None:
			return chat.Object(kind, tree.String(o.name("hosted_file", "hostedFile")), o.name("file_id", "fileId"), m.FileID)
		case m.Data != tree.None:
			return chat.Object(kind, tree.String("data"), "uri", m.DataURL(), mediaType, m.MediaType)
		case m.URL != tree.None:
			if m.MediaType == tree.None && m.Type != "file" { // it reads the kind from the type
				m.MediaType = tree.String(m.Type + "/*")
			}
			return chat.Object(kind, tree.String("uri"), "uri", m.URL, mediaType, m.MediaType)
		}
	case chat.Other:
		if content := p.Value.Get("content"); p.Value.Get("type").Text() == partType && (content.Get("type") != tree.None || content.Get("$type") != tree.None) {
			return content
		}
	}
	if text := chat.Say([]chat.Part{p}); text != "" {
		return chat.Object(kind, tree.String("text"), "text", tree.String(text))
	}
	return tree.None
}
