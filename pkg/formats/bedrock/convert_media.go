package bedrock

import (
	"encoding/base64"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// A kind maps a media type to its format in the API.
type kind struct{ mediaType, format string }

var images = []kind{{"image/png", "png"}, {"image/jpeg", "jpeg"}, {"image/gif", "gif"}, {"image/webp", "webp"}}

var documents = []kind{
	{"application/pdf", "pdf"}, {"text/csv", "csv"}, {"application/msword", "doc"},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"}, {"application/vnd.ms-excel", "xls"},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"}, {"text/html", "html"}, {"text/plain", "txt"}, {"text/markdown", "md"},
}

// maxDocuments is the maximum number of documents in a request.
const maxDocuments = 5

// readMedia reads an image or a document.
func readMedia(name string, v tree.Node) (chat.Media, bool) {
	m, kinds := chat.Media{Type: "image"}, images
	if name == "document" {
		m.Type, kinds = "file", documents
		if title := v.Get("name"); tree.IsString(title) {
			m.Name = title
		}
	}
	for _, k := range kinds {
		if v.Get("format").Text() == k.format {
			m.MediaType = tree.String(k.mediaType)
		}
	}
	source := v.Get("source")
	switch data, text := source.Get("bytes"), source.Get("text"); {
	case source.Length() != 1 || m.MediaType == tree.None:
	case tree.IsString(data):
		m.Data = data
	case tree.IsString(text) && m.Type == "file":
		m.Data = tree.String(base64.StdEncoding.EncodeToString([]byte(text.Text())))
	}
	return m, m.Data != tree.None
}

// media returns the block of an image or a document, or nothing if the API does not accept it. It
// accepts neither URLs nor files of other providers.
func (b *writer) media(m chat.Media) tree.Node {
	member, kinds := "image", images
	switch {
	case m.Data == tree.None:
		return tree.None
	case m.Type == "file":
		member, kinds = "document", documents
		if b.documents == maxDocuments {
			return tree.None
		}
	case m.Type != "image":
		return tree.None
	}
	for _, k := range kinds {
		if strings.EqualFold(m.KnownType(), k.mediaType) {
			v := chat.Object("format", tree.String(k.format))
			if member == "document" {
				b.documents++
				name := b.name(m.Name.Text())
				if name == m.Name.Text() {
					v = v.With("name", m.Name)
				} else {
					v = v.With("name", tree.String(name))
				}
			}
			return chat.Object(member, v.With("source", chat.Object("bytes", m.Data)))
		}
	}
	return tree.None
}
