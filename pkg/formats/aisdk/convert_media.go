package aisdk

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// filePrefix is the prefix of ids of files stored by OpenAI. The SDK accepts them in place of
// data. They are distinguishable because base64 has no hyphen.
const filePrefix = "file-"

// readFile reads file data: base64, a URL, or tagged data.
func readFile(data, mediaType, name tree.Node) chat.Part {
	m := chat.Media{Type: "file", Name: text(name)}
	switch data.Get("type").Text() {
	case "data":
		data = data.Get("data")
	case "url":
		data = data.Get("url")
	case "text":
		if said := data.Get("text"); tree.IsString(said) {
			return chat.Part{Kind: chat.Text, Text: said}
		}
	case "reference":
		m.FileID, data = referenced(data.Get("reference")), tree.None
	}
	switch s := data.Text(); {
	case m.FileID != tree.None:
	case s == "":
		return chat.Part{Kind: chat.Other, Value: chat.Object("type", tree.String("file"))}
	case strings.HasPrefix(s, filePrefix):
		m.FileID = data
	case strings.HasPrefix(s, "data:"), strings.Contains(s, "://"):
		m.Address(data)
	default:
		m.Data = data
	}
	if m.MediaType == tree.None && tree.IsString(mediaType) && !mediaType.Empty() {
		m.MediaType = mediaType
	}
	m.TakeType()
	return chat.Part{Kind: chat.File, Media: m}
}

// referenced returns the id of a file in the store of a provider: a text, or the id of one of several providers. OpenAI
// precedes the others, which are in the order of their names. It returns None if there is no id.
func referenced(reference tree.Node) tree.Node {
	if tree.IsString(reference) {
		return reference
	}
	if id := reference.Get("openai"); tree.IsString(id) {
		return id
	}
	provider, first := "", tree.None
	for c := reference.Children(); c.Next(); {
		if tree.IsString(c.Value) && (first == tree.None || c.Name < provider) {
			provider, first = c.Name, c.Value
		}
	}
	return first
}

// imageTypes maps the prefixes of base64 images to their media types.
var imageTypes = []struct{ begin, mediaType string }{
	{"iVBORw", "image/png"}, {"/9j/", "image/jpeg"}, {"R0lG", "image/gif"}, {"UklGR", "image/webp"},
}

// imageType returns the media type of a base64 image, "" if it is unknown. The SDK detects the media
// type of an image part in the same way.
func imageType(data tree.Node) string {
	for _, t := range imageTypes {
		if strings.HasPrefix(data.Text(), t.begin) {
			return t.mediaType
		}
	}
	return ""
}

// text returns n if it is a string, and otherwise nothing.
func text(n tree.Node) tree.Node {
	if tree.IsString(n) {
		return n
	}
	return tree.None
}

// mediaTypeOf returns the media type of a file, which the SDK requires. If it is unknown, it is
// derived from the kind of file.
func mediaTypeOf(m chat.Media) tree.Node {
	switch {
	case m.MediaType != tree.None:
		return m.MediaType
	case m.Type != "file":
		return tree.String(m.Type + "/*")
	default:
		return tree.String("application/pdf") // the only document type that all providers accept
	}
}

// writeFile writes a file as a part of a ModelMessage.
func writeFile(m chat.Media, image bool) tree.Node {
	data := m.Data
	if data == tree.None {
		data = m.URL
	}
	switch {
	case data == tree.None && strings.HasPrefix(m.FileID.Text(), filePrefix):
		data = m.FileID
	case data == tree.None: // the SDK has no files without a provider
		return said(chat.Part{Kind: chat.File, Media: m})
	}
	if image && m.Type == "image" && m.Name == tree.None {
		if m.MediaType.Text() == imageType(m.Data) {
			m.MediaType = tree.None
		}
		return chat.Object("type", tree.String("image"), "image", data, "mediaType", m.MediaType)
	}
	return chat.Object("type", tree.String("file"), "data", data, "mediaType", mediaTypeOf(m), "filename", m.Name)
}

// readOutput reads a part of a tool's output.
func readOutput(part tree.Node) chat.Part {
	data := part.Get("data")
	switch kind := part.Get("type").Text(); kind {
	case "text":
		if p, ok := readText(part, "providerOptions"); ok {
			return p
		}
	case "image-url", "file-url":
		data = part.Get("url")
		fallthrough
	case "file", "media", "file-data", "image-data":
		p := readFile(data, part.Get("mediaType"), part.Get("filename"))
		if p.Kind == chat.File && strings.HasPrefix(kind, "image") {
			p.Media.Type = "image"
		}
		return p
	case "file-id", "image-file-id", "file-reference", "image-file-reference":
		m := chat.Media{Type: "file", FileID: referenced(part.Get("fileId"))}
		if strings.HasSuffix(kind, "reference") {
			m.FileID = referenced(part.Get("providerReference"))
		}
		if strings.HasPrefix(kind, "image") {
			m.Type = "image"
		}
		if m.FileID != tree.None {
			return chat.Part{Kind: chat.File, Media: m}
		}
	}
	return chat.Part{Kind: chat.Other, Value: part}
}

// writeOutput writes a part of a tool's output.
func writeOutput(p chat.Part) tree.Node {
	if p.Kind != chat.File {
		return said(p)
	}
	m, kind := p.Media, "file-"
	if m.Type == "image" {
		kind = "image-"
	}
	switch {
	case m.Data != tree.None:
		return chat.Object("type", tree.String(kind+"data"), "data", m.Data, "mediaType", mediaTypeOf(m), "filename", fileName(m))
	case m.URL != tree.None:
		part := chat.Object("type", tree.String(kind+"url"), "url", m.URL)
		if m.Type != "image" {
			part = part.With("mediaType", m.MediaType)
		}
		return part
	case m.Type == "image":
		return chat.Object("type", tree.String("image-file-id"), "fileId", m.FileID)
	default:
		return chat.Object("type", tree.String("file-id"), "fileId", m.FileID)
	}
}

// fileName returns the name for a part of an output; images have none.
func fileName(m chat.Media) tree.Node {
	if m.Type == "image" {
		return tree.None
	}
	return m.Name
}

// outputParts reads a list of parts of a tool's output.
func outputParts(list tree.Node) (parts []chat.Part, ok bool) {
	if !list.Is(jsonstream.Array) {
		return nil, false
	}
	for c := list.Children(); c.Next(); {
		if !c.Value.Is(jsonstream.Object) {
			return nil, false
		}
		parts = append(parts, readOutput(c.Value))
	}
	return parts, true
}
