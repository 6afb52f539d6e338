package gemini

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// Reading returns a function that appends the canonical turns of a content. It reads the contents of one
// conversation, in order.
func Reading() func(dst []tree.Node, content tree.Node) []tree.Node { return (&reader{}).read }

// Parts returns a function that returns the parts of a turn: the function responses, and all others. It writes
// the turns of one conversation, in order.
func Parts() func(t chat.Turn) (responses, others []tree.Node) {
	o := &writer{names: map[string]tree.Node{}}
	return func(t chat.Turn) (responses, others []tree.Node) {
		c := o.content(t)
		return c.responses, c.parts
	}
}

// content returns the content of a turn.
func (o *writer) content(t chat.Turn) *content {
	c := &content{role: "user"}
	label := ""
	switch t.Role {
	case "assistant":
		c.role = "model"
	case "system", "developer":
		label = "[" + t.Role + "] "
	}
	for _, p := range t.Parts {
		if p.Kind == chat.Text && label != "" {
			p.Text, label = tree.String(label+p.Text.Text()), ""
		}
		o.part(c, p)
	}
	return c
}

// part adds a part to a content.
func (o *writer) part(c *content, p chat.Part) {
	switch p.Kind {
	case chat.Result:
		o.response(c, p)
	case chat.Call:
		id := p.ID.Text()
		o.names[id] = p.Name
		if isMadeID(id) {
			c.asked = append(c.asked, reference{len(c.parts), id, p.Name.Text()})
		}
		call := o.object("functionCall", chat.Object("id", p.ID, "name", p.Name, "args", p.ArgumentsObject()))
		c.parts = append(c.parts, o.signed(call, p.Signature))
	case chat.Text:
		if p.Text.Text() != "" || p.Signature != tree.None {
			c.parts = append(c.parts, o.signed(chat.Object("text", p.Text), p.Signature))
		}
	case chat.Reasoning:
		if p.Provider.Text() != chat.Gemini {
			p.Signature = tree.None
		}
		if c.role != "model" || p.Redacted || p.Text.Text() == "" && p.Signature == tree.None {
			return
		}
		if p.Text == tree.None {
			p.Text = tree.String("")
		}
		c.parts = append(c.parts, o.signed(chat.Object("text", p.Text, "thought", tree.Bool(true)), p.Signature))
	case chat.File:
		c.parts = append(c.parts, o.media(p))
	case chat.Other:
		if n := p.Value.Get("part"); p.Value.Get("type").Text() == partType && isOther(n) {
			c.parts = append(c.parts, n)
		} else if text := chat.Say([]chat.Part{p}); text != "" {
			c.parts = append(c.parts, chat.Object("text", tree.String(text)))
		}
	}
}

// response adds the response for a result. Its media follow the responses, because only some models
// accept media in them.
func (o *writer) response(c *content, p chat.Part) {
	id := p.ID.Text()
	if p.Name.Text() == "" {
		p.Name = o.names[id]
	}
	if p.Name.Text() == "" {
		p.Name = tree.String("unknown")
	}
	if isMadeID(id) {
		c.answered = append(c.answered, reference{len(c.responses), id, p.Name.Text()})
	}
	var said []chat.Part
	for _, part := range p.Output {
		if part.Kind == chat.File && part.Media.FileID == tree.None {
			c.parts = append(c.parts, o.media(part))
		} else {
			said = append(said, part)
		}
	}
	response := chat.WriteResponse(chat.Say(said), p.Failed)
	c.responses = append(c.responses, o.object("functionResponse", chat.Object("id", p.ID, "name", p.Name, "response", response)))
}

// mediaTypes are the default media types by kind of file.
var mediaTypes = map[string]string{"image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4", "file": "application/octet-stream"}

// imageTypes are the media types of images that the API accepts (https://ai.google.dev/gemini-api/docs/image-understanding).
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}

// media returns the part of an image, audio, video or document, or a text for an image that the API does not accept and a
// file of another provider. Its name is carried: only Vertex AI takes a displayName (googleapis/js-genai#1369, 2026).
func (o *writer) media(p chat.Part) tree.Node {
	m := p.Media
	switch {
	case m.Data != tree.None:
		switch {
		case m.MediaType.Text() == "":
			kind := m.KnownType()
			if kind == "" {
				kind = mediaTypes[m.Type]
			}
			m.MediaType = tree.String(kind)
		case m.MediaType.Text() == "image/jpg":
			m.MediaType = tree.String("image/jpeg") // the API rejects the other name
		case m.Type == "image" && !slices.Contains(imageTypes, m.MediaType.Text()):
			return chat.Object("text", chat.NoteOf(p))
		}
		return o.object("inlineData", o.spelled(chat.Object("mimeType", m.MediaType, "data", m.Data)))
	case m.IsOnWeb(), strings.HasPrefix(m.URL.Text(), "gs://"):
		return o.object("fileData", o.spelled(chat.Object("fileUri", m.URL, "mimeType", m.MediaType)))
	default:
		return chat.Object("text", chat.NoteOf(p))
	}
}
