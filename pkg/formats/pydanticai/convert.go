package pydanticai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages.
var codec = (&chat.Form{
	At:      []string{"/messages"},
	Reading: func() func(dst []tree.Node, message tree.Node) []tree.Node { return (&reader{}).read },
	Write:   write,
}).Codec()

// partType is the type of a canonical part with a part of Pydantic AI: one of a tool that the provider ran,
// or of an unknown kind.
const partType = "pydantic_ai_part"

// A reader reads the messages of one history.
type reader struct{ instructions string }

// read appends the turns of a message. Each request repeats the instructions: they become a turn where they
// change, after the results that the request begins with, because APIs want those directly after their calls.
func (r *reader) read(dst []tree.Node, message tree.Node) []tree.Node {
	if message.Get("kind").Text() == "response" {
		t := chat.Turn{Role: "assistant"}
		for _, part := range tree.Elements(message.Get("parts")) {
			t.Parts = append(t.Parts, said(part))
		}
		t.Plain = len(t.Parts) == 1 && t.Parts[0].Kind == chat.Text && t.Parts[0].Value == tree.None
		if len(t.Parts) == 0 {
			return dst
		}
		return append(dst, t.Canonical()...)
	}
	results, begun := len(dst), false
	for _, part := range tree.Elements(message.Get("parts")) {
		t := asked(part)
		dst = append(dst, t.Canonical()...)
		if begun = begun || t.Role != "tool"; !begun {
			results = len(dst)
		}
	}
	if text := message.Get("instructions"); tree.IsString(text) && !text.Empty() && text.Text() != r.instructions {
		r.instructions = text.Text()
		dst = slices.Insert(dst, results, plain("system", text))
	}
	return dst
}

func plain(role string, text tree.Node) tree.Node {
	return chat.Object("role", tree.String(role), "content", text)
}

// said returns a part of a response.
func said(part tree.Node) chat.Part {
	content := part.Get("content")
	switch part.Get("part_kind").Text() {
	case "text":
		if tree.IsString(content) {
			return chat.Part{Kind: chat.Text, Text: content}
		}
	case "thinking":
		p := chat.Part{Kind: chat.Reasoning, Text: textOr(content), ID: textOr(part.Get("id")), Signature: textOr(part.Get("signature")), Provider: textOr(part.Get("provider_name"))}
		p.Redacted = p.ID.Text() == "redacted_thinking"
		return p
	case "tool-call":
		if id, name := part.Get("tool_call_id"), part.Get("tool_name"); tree.IsString(id) && tree.IsString(name) {
			return chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: arguments(part.Get("args"))}
		}
	case "file":
		if m, ok := media(content); ok {
			return chat.Part{Kind: chat.File, Media: m}
		}
	case "builtin-tool-call":
		return other(part, part.Get("tool_name").Text()+" "+arguments(part.Get("args")).Text())
	case "builtin-tool-return":
		return other(part, textOf(content))
	}
	return other(part, textOf(content))
}

// other returns a part that no other format has, with its text, or else its kind.
func other(part tree.Node, text string) chat.Part {
	if text == "" {
		text = "[" + part.Get("part_kind").Text() + "]"
	}
	return chat.Part{Kind: chat.Other, Value: chat.Object("type", tree.String(partType), "text", tree.String(text), "part", part)}
}

func textOr(n tree.Node) tree.Node {
	if tree.IsString(n) && !n.Empty() {
		return n
	}
	return tree.None
}

// arguments returns the arguments of a call as text.
func arguments(args tree.Node) tree.Node {
	switch {
	case args == tree.None || args.Is(jsonstream.Null):
		return tree.String("{}")
	case tree.IsString(args):
		return args
	}
	return tree.String(string(args.AppendPlain(nil)))
}

// textOf returns a value as the text that Pydantic AI sends for it.
func textOf(v tree.Node) string {
	switch {
	case v == tree.None || v.Is(jsonstream.Null):
		return ""
	case tree.IsString(v):
		return v.Text()
	case v.Get("kind").Text() == "text-content":
		return v.Get("content").Text()
	}
	return string(v.AppendPlain(nil))
}

// asked returns the turn of a part of a request.
func asked(part tree.Node) chat.Turn {
	content := part.Get("content")
	kind := part.Get("part_kind").Text()
	switch kind {
	case "system-prompt":
		return chat.Turn{Role: "system", Parts: []chat.Part{{Kind: chat.Text, Text: tree.String(textOf(content))}}, Plain: true}
	case "tool-return":
		failed := part.Get("outcome").Text()
		return result(part, contents(content, true), failed == "failed" || failed == "denied")
	case "retry-prompt":
		text := []chat.Part{{Kind: chat.Text, Text: tree.String(retry(content))}}
		if tree.IsString(part.Get("tool_name")) {
			return result(part, text, true)
		}
		return chat.Turn{Role: "user", Parts: text, Plain: true}
	case "user-prompt":
		t := chat.Turn{Role: "user", Parts: contents(content, false)}
		t.Plain = tree.IsString(content)
		return t
	}
	return chat.Turn{Role: "user", Parts: []chat.Part{other(part, textOf(content))}}
}

// result returns the turn of the result of a call.
func result(part tree.Node, output []chat.Part, failed bool) chat.Turn {
	return chat.Turn{Role: "tool", Parts: []chat.Part{{
		Kind: chat.Result, ID: tree.String(part.Get("tool_call_id").Text()), Name: textOr(part.Get("tool_name")), Output: output,
		Plain: len(output) == 1 && output[0].Kind == chat.Text, Failed: failed,
	}}}
}

// retry returns the content of a retry as text: one line for each validation error.
func retry(content tree.Node) string {
	if !content.Is(jsonstream.Array) {
		return textOf(content)
	}
	var lines []string
	for _, e := range tree.Elements(content) {
		if message := e.Get("msg"); tree.IsString(message) {
			var path []string
			for _, step := range tree.Elements(e.Get("loc")) {
				path = append(path, textOf(step))
			}
			lines = append(lines, strings.TrimPrefix(strings.Join(path, ".")+": "+message.Text(), ": "))
		} else {
			lines = append(lines, textOf(e))
		}
	}
	return strings.Join(lines, "\n")
}

// contents returns the content of a prompt, or of a result, as parts. The values of a result that are not
// files form one text.
func contents(content tree.Node, isResult bool) []chat.Part {
	if !content.Is(jsonstream.Array) {
		if m, ok := media(content); ok {
			return []chat.Part{{Kind: chat.File, Media: m}}
		}
		return []chat.Part{{Kind: chat.Text, Text: tree.String(textOf(content))}}
	}
	var parts []chat.Part
	var values []tree.Node // of a result, that are no files
	for _, c := range tree.Elements(content) {
		m, isFile := media(c)
		switch {
		case isFile:
			parts = append(parts, chat.Part{Kind: chat.File, Media: m})
		case isResult:
			values = append(values, c)
		case c.Get("kind").Text() != "cache-point":
			parts = append(parts, chat.Part{Kind: chat.Text, Text: tree.String(textOf(c))})
		}
	}
	switch {
	case !isResult || len(values) == 0 && len(parts) > 0:
		return parts
	case len(values) == 1 && len(parts) > 0:
		content = values[0]
	case len(parts) > 0:
		content = tree.Array(values...)
	}
	return append([]chat.Part{{Kind: chat.Text, Text: tree.String(textOf(content))}}, parts...)
}

// media reads a file: by its address, its content, or its id at a provider.
func media(n tree.Node) (chat.Media, bool) {
	kind := n.Get("kind").Text()
	m := chat.Media{Type: "file", MediaType: textOr(n.Get("media_type"))}
	switch kind {
	case "image-url", "audio-url", "video-url", "document-url":
		if m.Type = strings.TrimSuffix(kind, "-url"); m.Type == "document" {
			m.Type = "file"
		}
		m.URL = textOr(n.Get("url"))
	case "binary":
		m.Data = textOr(n.Get("data"))
		m.TakeType()
	case "uploaded-file":
		m.FileID = textOr(n.Get("file_id"))
	}
	return m, m.URL != tree.None || m.Data != tree.None || m.FileID != tree.None
}

// write returns the messages of turns: a response for each turn of the assistant, and a request for the turns
// between them.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	var messages, parts []tree.Node
	names := map[string]tree.Node{} // of tools, by the ids of their calls
	request := func() {
		if len(parts) > 0 {
			messages = append(messages, chat.Object("parts", tree.Array(parts...), "kind", tree.String("request")))
			parts = nil
		}
	}
	for _, turn := range chat.PlaceResults(turns) {
		t := chat.Of(turn)
		if t.Role != "assistant" {
			for _, p := range t.Parts {
				if p.Kind == chat.Result && p.Name == tree.None && names[p.ID.Text()] == tree.None {
					names[p.ID.Text()] = w.Up(len(messages), fmt.Sprintf("parts/%d/tool_name", len(parts)), tree.String("unknown"), "the tool is not known")
				}
			}
			parts = append(parts, requested(t, names)...)
			continue
		}
		request()
		var answer []tree.Node
		for _, p := range t.Parts {
			if p.Kind == chat.Call {
				names[p.ID.Text()] = p.Name
			}
			if part := responded(p); part != tree.None {
				answer = append(answer, part)
			}
		}
		if len(answer) > 0 {
			messages = append(messages, chat.Object("parts", tree.Array(answer...), "kind", tree.String("response")))
		}
	}
	request()
	return messages
}

// requested returns the parts of a request for a turn.
func requested(t chat.Turn, names map[string]tree.Node) []tree.Node {
	var parts, said []tree.Node
	for _, p := range t.Parts {
		switch p.Kind {
		case chat.Result:
			name := p.Name
			if name == tree.None {
				name = names[p.ID.Text()]
			}
			part := chat.Object("tool_name", name, "content", prompt(p.Output), "tool_call_id", p.ID)
			if p.Failed {
				part = part.With("outcome", tree.String("failed"))
			}
			parts = append(parts, part.With("part_kind", tree.String("tool-return")))
		case chat.Other:
			if part := p.Value.Get("part"); p.Value.Get("type").Text() == partType && tree.IsString(part.Get("part_kind")) {
				parts = append(parts, part)
				continue
			}
			fallthrough
		default:
			said = append(said, prompt([]chat.Part{p}))
		}
	}
	if len(said) == 0 {
		return parts
	}
	content := tree.Array(said...)
	if len(said) == 1 && tree.IsString(said[0]) {
		content = said[0]
	}
	kind := "user-prompt"
	if t.Role == "system" || t.Role == "developer" {
		kind, content = "system-prompt", tree.String(chat.Say(t.Parts))
	}
	return append(parts, chat.Object("content", content, "part_kind", tree.String(kind)))
}

// prompt returns the content for parts: a text, a file, or a list of them.
func prompt(parts []chat.Part) tree.Node {
	var list []tree.Node
	for _, p := range parts {
		m := p.Media
		switch {
		case p.Kind == chat.File && m.Data != tree.None:
			list = append(list, chat.Object("data", m.Data, "media_type", orOctets(m.MediaType), "kind", tree.String("binary")))
		case p.Kind == chat.File && m.URL != tree.None:
			kind := m.Type
			if kind == "file" {
				kind = "document"
			}
			list = append(list, chat.Object("url", m.URL, "media_type", m.MediaType, "kind", tree.String(kind+"-url")))
		default:
			list = append(list, tree.String(chat.Say([]chat.Part{p})))
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return tree.Array(list...)
}

// orOctets returns the media type, or the type of arbitrary bytes if there is none.
func orOctets(mediaType tree.Node) tree.Node {
	if mediaType == tree.None {
		return tree.String("application/octet-stream")
	}
	return mediaType
}

// responded returns the part of a response, None if there is none.
func responded(p chat.Part) tree.Node {
	kind := tree.String("text")
	switch p.Kind {
	case chat.Text:
		if p.Text.Empty() {
			return tree.None
		}
		return chat.Object("content", p.Text, "part_kind", kind)
	case chat.Reasoning:
		text := p.Text
		if text == tree.None {
			text = tree.String("")
		}
		return chat.Object("content", text, "id", p.ID, "signature", p.Signature, "provider_name", p.Provider, "part_kind", tree.String("thinking"))
	case chat.Call:
		return chat.Object("tool_name", p.Name, "args", p.Arguments, "tool_call_id", p.ID, "part_kind", tree.String("tool-call"))
	case chat.File:
		if file := prompt([]chat.Part{p}); file.Get("kind").Text() == "binary" {
			return chat.Object("content", file, "part_kind", tree.String("file"))
		}
	case chat.Other:
		if part := p.Value.Get("part"); p.Value.Get("type").Text() == partType && tree.IsString(part.Get("part_kind")) {
			return part
		}
	}
	text := chat.Say([]chat.Part{p})
	if text == "" {
		return tree.None
	}
	return chat.Object("content", tree.String(text), "part_kind", kind)
}
