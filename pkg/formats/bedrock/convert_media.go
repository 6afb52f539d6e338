package bedrock

import (
	"encoding/base64"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// A kind maps a media type to its format in the API.
type kind struct{ mediaType, format string }

var images = []kind{{"image/png", "png"}, {"image/jpeg", "jpeg"}, {"image/jpeg", "jpg"}, {"image/gif", "gif"}, {"image/webp", "webp"}}

var documents = []kind{
	{"application/pdf", "pdf"}, {"text/csv", "csv"}, {"application/msword", "doc"},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"}, {"application/vnd.ms-excel", "xls"},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"}, {"text/html", "html"}, {"text/plain", "txt"}, {"text/markdown", "md"},
}

// recordings are the formats of video and audio whose media types have another name.
var recordings = []kind{
	{"video/quicktime", "mov"}, {"video/3gpp", "three_gp"}, {"video/mpeg", "mpg"},
	{"audio/mpeg", "mp3"}, {"audio/mpeg", "mpga"}, {"audio/mp4", "m4a"}, {"audio/aac", "x-aac"},
}

// maxDocuments is the maximum number of documents in a request.
const maxDocuments = 5

// readMedia reads an image, a document, a video or audio. Its data is in the block, or in Amazon S3.
func readMedia(name string, v tree.Node) (chat.Media, bool) {
	m := chat.Media{Type: name, MediaType: mediaType(name, v.Get("format").Text())}
	if name == "document" {
		m.Type = "file"
		if title := v.Get("name"); tree.IsString(title) {
			m.Name = title
		}
	}
	source := v.Get("source")
	data, text, uri := source.Get("bytes"), source.Get("text"), source.At("/s3Location/uri")
	chunks, isChunked := chunked(source.Get("content"))
	switch {
	case source.Length() != 1:
	case tree.IsString(data) && m.MediaType != tree.None:
		m.Data = data
	case tree.IsString(uri):
		m.URL = uri
	case name != "document":
	case tree.IsString(text) && m.MediaType != tree.None:
		m.Data = tree.String(base64.StdEncoding.EncodeToString([]byte(text.Text())))
	case isChunked:
		m.MediaType, m.Data = tree.String("text/plain"), tree.String(base64.StdEncoding.EncodeToString([]byte(chunks)))
	}
	return m, m.Data != tree.None || m.URL != tree.None
}

// mediaType returns the media type of a format of the API, None if there is no format.
func mediaType(name, format string) tree.Node {
	kinds := images
	switch {
	case format == "":
		return tree.None
	case name == "document":
		kinds = documents
	case name != "image":
		kinds = recordings
	}
	for _, k := range kinds {
		if k.format == format {
			return tree.String(k.mediaType)
		}
	}
	if name == "document" {
		name = "application"
	}
	return tree.String(name + "/" + format)
}

// chunked returns the text of a document that consists of texts.
func chunked(content tree.Node) (text string, ok bool) {
	var texts []string
	for c := content.Children(); c.Next(); {
		text := c.Value.Get("text")
		if !tree.IsString(text) || c.Value.Length() != 1 {
			return "", false
		}
		texts = append(texts, text.Text())
	}
	return strings.Join(texts, "\n"), len(texts) > 0
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
