package a2a

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A writer writes the messages of one document, one per turn. As in ADK, the results of parallel
// calls form one message.
type writer struct {
	*chat.Writing
	style
	names map[string]tree.Node // tool names by call id
	out   []tree.Node
	now   *pendingMessage
}

// A pendingMessage is a message that is still being written.
type pendingMessage struct {
	turn         tree.Node // the first turn
	agent        bool
	parts        []tree.Node
	results      bool   // it has only results and their files
	instructions string // the role of instructions
	carries      bool   // it has a part of the handoff extension
}

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := &writer{Writing: w, style: styleIn(w.Style), names: map[string]tree.Node{}, out: make([]tree.Node, 0, len(turns))}
	for _, turn := range turns {
		m := o.message(turn)
		switch artifact := turn.Get(artifactMember); {
		case len(m.parts) == 0: // empty
		case artifact.Is(jsonstream.Object) && o.takesArtifacts(len(turns)):
			o.out = append(o.out, artifact.With("parts", tree.Array(m.parts...)))
		case o.now != nil && o.now.results && m.results:
			o.now.parts = append(o.now.parts, m.parts...)
		default:
			o.put()
			o.now = m
		}
	}
	o.put()
	return o.out
}

// takesArtifacts reports whether the place of a number of turns is one of artifacts, or of a single value.
func (o *writer) takesArtifacts(turns int) bool {
	return strings.HasSuffix(o.Place, "/artifacts") || turns == 1 && (o.Place == "" || strings.HasSuffix(o.Place, "/artifact"))
}

// message returns the pending message of a turn.
func (o *writer) message(turn tree.Node) *pendingMessage {
	t := chat.Of(turn)
	m := &pendingMessage{turn: turn, agent: t.Role == "assistant"}
	for _, p := range t.Parts {
		switch p.Kind {
		case chat.Result:
			m.agent, m.results = true, true
			o.result(m, p)
		case chat.Call:
			o.names[p.ID.Text()] = p.Name
			data := chat.Object("id", p.ID, "name", p.Name, "args", p.ArgumentsObject())
			o.data(m, data, chat.Object(adkType, tree.String(adkCall), adkSignature, p.Signature))
		case chat.Text:
			if m.instructions == "" && (t.Role == "system" || t.Role == "developer") {
				m.instructions = t.Role
				p.Text = tree.String(label(t.Role) + p.Text.Text())
			}
			o.text(m, p.Text, chat.Object(adkSignature, p.Signature))
		case chat.Reasoning:
			o.thought(m, p)
		case chat.File:
			o.file(m, p)
		case chat.Other:
			o.other(m, p)
		}
	}
	return m
}

// add adds a part of a kind, with its metadata, if any.
func (o *writer) add(m *pendingMessage, kind string, part, metadata tree.Node) {
	if o.old {
		part = part.With("kind", tree.String(kind))
	}
	if !metadata.Empty() {
		part = part.With("metadata", metadata)
	}
	m.parts = append(m.parts, part)
}

// text adds a text, unless it is empty.
func (o *writer) text(m *pendingMessage, text, metadata tree.Node) {
	if text.Text() != "" || metadata.HasAny(adkSignature) {
		o.add(m, "text", tree.Object(tree.Member{Name: "text", Value: text}), metadata)
	}
}

func (o *writer) data(m *pendingMessage, data, metadata tree.Node) {
	o.add(m, "data", chat.Object("data", data), metadata)
}

// thought adds a reasoning part, with its signature if ADK supports it.
func (o *writer) thought(m *pendingMessage, p chat.Part) {
	if p.Provider.Text() != chat.Gemini {
		p.Signature = tree.None
	}
	if !m.agent || p.Redacted {
		return
	}
	if p.Text == tree.None {
		p.Text = tree.String("")
	}
	o.text(m, p.Text, chat.Object(adkThought, tree.Bool(true), adkSignature, p.Signature))
}

// result adds the result of a call, followed by its files.
func (o *writer) result(m *pendingMessage, p chat.Part) {
	if p.Name == tree.None {
		p.Name = o.names[p.ID.Text()]
	}
	var said, files []chat.Part
	for _, part := range p.Output {
		if part.Kind == chat.File && part.Media.FileID == tree.None {
			files = append(files, part)
		} else {
			said = append(said, part)
		}
	}
	data := chat.Object("id", p.ID, "name", p.Name, "response", chat.WriteResponse(chat.Say(said), p.Failed))
	o.data(m, data, chat.Object(adkType, tree.String(adkResponse)))
	for _, f := range files {
		o.file(m, f)
	}
}

// file adds an image, audio, video or document; for a file in a provider's store, only its
// name.
func (o *writer) file(m *pendingMessage, p chat.Part) {
	switch f := p.Media; {
	case f.Data == tree.None && f.URL == tree.None:
		o.text(m, tree.String(chat.Say([]chat.Part{p})), tree.Object())
	case o.old:
		o.add(m, "file", chat.Object("file", chat.Object("bytes", f.Data, "uri", f.URL, "mimeType", f.MediaType, "name", f.Name)), tree.Object())
	default:
		o.add(m, "", chat.Object("raw", f.Data, "url", f.URL, "mediaType", f.MediaType, "filename", f.Name), tree.Object())
	}
}

// other adds A2A data, or the text of any other part.
func (o *writer) other(m *pendingMessage, p chat.Part) {
	n := p.Value.Get("part")
	if p.Value.Get("type").Text() != partType || !isData(n) || o.old && !n.Get("data").Is(jsonstream.Object) {
		o.text(m, tree.String(chat.Say([]chat.Part{p})), tree.Object())
		return
	}
	m.carries = m.carries || n.Get("metadata").HasAny(ExtensionURI)
	o.add(m, "data", n, tree.Object())
}

// isData reports whether a part of a canonical turn has the form of an A2A data part: data and the
// members that describe it.
func isData(n tree.Node) bool {
	for c := n.Children(); c.Next(); {
		switch c.Name {
		case "data":
		case "metadata":
			if !c.Value.Is(jsonstream.Object) {
				return false
			}
		case "mediaType", "filename":
			if !tree.IsString(c.Value) {
				return false
			}
		default:
			return false
		}
	}
	return n.Get("data") != tree.None && (!n.Get("metadata").HasAny(ExtensionURI) || n.Get("data").Is(jsonstream.Object))
}

// put writes the pending message.
func (o *writer) put() {
	m := o.now
	if m == nil {
		return
	}
	role := roleUser
	switch {
	case m.agent && o.old:
		role = oldAgent
	case m.agent:
		role = roleAgent
	case o.old:
		role = oldUser
	}
	n := chat.Object(
		"messageId", o.ID(m.turn, len(o.out), "messageId"), "contextId", o.contextID, "taskId", o.taskID,
		"role", tree.String(role), "parts", tree.Array(m.parts...),
	)
	if o.old {
		n = n.With("kind", tree.String("message"))
	}
	if m.instructions != "" {
		n = n.With("metadata", chat.Object(roleKey, tree.String(m.instructions)))
	}
	if m.carries {
		n = n.With("extensions", tree.Array(tree.String(ExtensionURI)))
	}
	o.out = append(o.out, n)
	o.now = nil
}
