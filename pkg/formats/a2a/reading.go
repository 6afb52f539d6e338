package a2a

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The roles of A2A 1.0 and 0.3.
const (
	roleUser, roleAgent = "ROLE_USER", "ROLE_AGENT"
	oldUser, oldAgent   = "user", "agent"
)

// A2A has neither tool calls nor reasoning. Google's ADK puts them in parts marked by metadata
// (google/adk-python, a2a/converters/part_converter.py), and so do its peers.
const (
	adkType      = "adk_type"
	adkCall      = "function_call"
	adkResponse  = "function_response"
	adkThought   = "adk_thought"
	adkSignature = "adk_thought_signature"
)

const (
	// partType is the type of a canonical part with A2A data.
	partType = "a2a_part"
	// roleKey is the key, in the metadata of a user's message, of the role of instructions, which
	// A2A lacks. The text alone does not make a message an instruction, because any user can send
	// it.
	roleKey = ExtensionURI + "/role"
	// artifactMember is the member of a canonical turn with the other members of its artifact.
	artifactMember = "artifact"
)

// label returns the prefix of a message of instructions.
func label(role string) string { return "[" + role + "] " }

// read appends the canonical turns of a message or artifact; none if it has no parts.
func read(dst []tree.Node, m tree.Node) []tree.Node {
	if isArtifact(m) {
		return readArtifact(dst, m)
	}
	role := "user"
	if name := m.Get("role").Text(); name == roleAgent || name == oldAgent {
		role = "assistant"
	}
	said := instructions(m)
	if text := onlyText(m.Get("parts")); text != tree.None && said == "" {
		if role == "user" {
			return append(dst, exchange.UserMessage(text))
		}
		return append(dst, tree.Object(tree.Member{Name: "role", Value: assistant}, tree.Member{Name: "content", Value: text}))
	}
	t := chat.Turn{Role: role}
	for _, n := range tree.Elements(m.Get("parts")) {
		p := partOf(n, role)
		if said != "" && p.Kind == chat.Text {
			if text, ok := strings.CutPrefix(p.Text.Text(), label(said)); ok && role == "user" {
				t.Role, p.Text = said, tree.String(text)
			}
			said = ""
		}
		t.Parts = append(t.Parts, p)
	}
	if len(t.Parts) == 0 {
		return dst
	}
	t.Plain = len(t.Parts) == 1 && t.Parts[0].Kind == chat.Text && t.Parts[0].Signature == tree.None
	return append(dst, t.Canonical()...)
}

func isArtifact(m tree.Node) bool {
	return tree.IsString(m.Get("artifactId")) && m.Get("messageId") == tree.None
}

// readArtifact appends the turn of an artifact, which the agent made.
func readArtifact(dst []tree.Node, artifact tree.Node) []tree.Node {
	t := chat.Turn{Role: "assistant", Further: []tree.Member{{Name: artifactMember, Value: artifact.With("parts", tree.None)}}}
	for _, n := range tree.Elements(artifact.Get("parts")) {
		t.Parts = append(t.Parts, partOf(n, "artifact"))
	}
	if len(t.Parts) == 0 {
		return dst
	}
	t.Plain = len(t.Parts) == 1 && t.Parts[0].Kind == chat.Text && t.Parts[0].Signature == tree.None
	return append(dst, t.Canonical()...)
}

// assistant is the role shared by the assistant's turns.
var assistant = tree.String("assistant")

// instructions returns the role of instructions in a message's metadata, "" for none.
func instructions(m tree.Node) string {
	if role := m.Get("metadata").Get(roleKey).Text(); role == "system" || role == "developer" {
		return role
	}
	return ""
}

// onlyText returns the text of parts that consist of a single text, the common case.
func onlyText(parts tree.Node) tree.Node {
	if !parts.Is(jsonstream.Array) {
		return tree.None
	}
	c := parts.Children()
	if !c.Next() {
		return tree.None
	}
	text := stringOf(c.Value.Get("text"))
	members := 1
	if c.Value.Get("kind").Text() == "text" {
		members = 2
	}
	if c.Value.Length() != members || c.Next() {
		return tree.None
	}
	return text
}

// partOf reads a part of a message with a role, or of an artifact.
func partOf(n tree.Node, role string) chat.Part {
	metadata := n.Get("metadata")
	signature := stringOf(metadata.Get(adkSignature))
	if text := n.Get("text"); tree.IsString(text) {
		return chat.GeminiText(text, signature, role == "assistant" && metadata.Get(adkThought).Is(jsonstream.True))
	}
	if m, ok := mediaIn(n); ok {
		return chat.Part{Kind: chat.File, Media: m}
	}
	if !n.Is(jsonstream.Object) {
		return chat.Part{Kind: chat.Text, Text: tree.String(n.Flat())}
	}
	data := n.Get("data")
	id, name := stringOf(data.Get("id")), stringOf(data.Get("name"))
	switch metadata.Get(adkType).Text() {
	case adkCall:
		if args := data.Get("args"); role == "assistant" && id != tree.None && name != tree.None && (args == tree.None || args.Is(jsonstream.Object)) {
			p := chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: tree.String("{}"), Signature: signature}
			if args != tree.None {
				p.Arguments = tree.String(string(args.AppendPlain(nil)))
			}
			return p
		}
	case adkResponse:
		if id != tree.None && role != "artifact" {
			p := chat.Part{Kind: chat.Result, ID: id, Name: name}
			p.TakeResponse(data.Get("response"))
			return p
		}
	}
	said := n
	if data != tree.None {
		said = data
	}
	return chat.Part{Kind: chat.Other, Value: chat.Object("type", tree.String(partType), "text", chat.TextOf(said), "part", n.With("kind", tree.None))}
}

// mediaIn reads a file part of A2A 1.0 or 0.3.
func mediaIn(n tree.Node) (chat.Media, bool) {
	m := chat.Media{Type: "file", Data: stringOf(n.Get("raw")), URL: stringOf(n.Get("url")), MediaType: stringOf(n.Get("mediaType")), Name: stringOf(n.Get("filename"))}
	if f := n.Get("file"); f.Is(jsonstream.Object) {
		m.Data, m.URL, m.MediaType, m.Name = stringOf(f.Get("bytes")), stringOf(f.Get("uri")), stringOf(f.Get("mimeType")), stringOf(f.Get("name"))
	}
	m.TakeType()
	return m, (m.Data == tree.None) != (m.URL == tree.None)
}
