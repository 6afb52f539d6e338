package provider

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // registers a decoder for the dimensions
	_ "image/jpeg" // in the image's header
	_ "image/png"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A medium is an image or a document in a history, with its known properties.
type medium struct {
	at       jsonstream.Value
	document bool
	kind     string // its media type, "" if unknown
	name     jsonstream.Value
	data     string // base64; "" if it is stored elsewhere
	// The members with the media type and the base64, if the part has the form of Anthropic's or Gemini's API.
	typed, encoded jsonstream.Value
}

// size returns the length of the medium in bytes, 0 if unknown.
func (m medium) size() int { return base64.StdEncoding.DecodedLen(len(strings.TrimRight(m.data, "="))) }

// Limits of the providers, in bytes, pixels and numbers.
const (
	mb               = 1 << 20
	openAIImages     = 50 * mb // of all images of a request
	openAICount      = 500
	anthropicImage   = 5 * mb
	anthropicRequest = 32 * mb
	anthropicPixels  = 8000
	manyImages       = 20 // above this number of images, each may have fewer pixels
	manyPixels       = 2000
	anthropicCount   = 100
	geminiRequest    = 20 * mb // of base64
	geminiCount      = 900
	bedrockDocument  = 9 * mb / 2
	bedrockImage     = 15 * mb / 4
	bedrockImages    = 20
	bedrockDocuments = 5
)

// imageTypes are the media types of images that the providers accept.
var imageTypes = map[Provider][]string{
	OpenAIChat:      {"image/png", "image/jpeg", "image/webp", "image/gif"},
	OpenAIResponses: {"image/png", "image/jpeg", "image/webp", "image/gif"},
	Anthropic:       {"image/png", "image/jpeg", "image/webp", "image/gif"},
	Gemini:          {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"},
	BedrockConverse: {"image/png", "image/jpeg", "image/webp", "image/gif"},
}

// documentTypes are the media types of documents, for providers that accept only a few.
var documentTypes = map[Provider][]string{
	Anthropic: {"application/pdf", "text/plain"},
	BedrockConverse: {"application/pdf", "text/csv", "application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.ms-excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/html", "text/plain", "text/markdown"},
}

// checkMedia reports images and documents that the provider does not accept, as far as the history
// describes them.
func (c *checker) checkMedia() {
	var media []medium
	for i := range c.messages {
		for _, p := range c.messages[i].parts {
			media = appendMedia(media, p.Value, p.Kind == conversation.Media)
		}
		if c.provider == BedrockConverse {
			c.checkDocumentText(&c.messages[i])
		}
	}
	total := c.stretch.total
	if total.images < 0 {
		total = tally{}
		for _, m := range media {
			total.add(m)
		}
	}
	for _, m := range media {
		c.checkMediaType(m)
		c.checkMediaData(m)
		c.checkMediaSize(m, total.images)
	}
	if c.provider == BedrockConverse {
		c.checkDocumentNames(media)
	}
	if len(media) > 0 && c.stretch.lastMedium {
		c.checkMediaTotal(media[len(media)-1].at, total)
	}
}

// checkMediaTotal reports media that exceed a limit in total, at the last of them.
func (c *checker) checkMediaTotal(last jsonstream.Value, total tally) {
	switch {
	case c.is(OpenAIChat, OpenAIResponses) && total.bytes > openAIImages:
		c.report("media-size", last, "the images are too large: found %d bytes in total, but the limit is %d; remove some of them", total.bytes, openAIImages)
	case c.provider == Anthropic && total.encoded > anthropicRequest:
		c.report("media-size", last, "the images and documents are too large: found %d bytes in total, but the limit of a request is %d; remove some of them", total.encoded, anthropicRequest)
	case c.provider == Gemini && total.encoded > geminiRequest:
		c.report("media-size", last, "the inline data is too large: found %d bytes of base64 in total, but the limit is %d; upload the files", total.encoded, geminiRequest)
	}
	c.checkMediaCount(last, total.images, total.documents)
}

func (c *checker) checkMediaType(m medium) {
	types := imageTypes[c.provider]
	if m.document {
		types = documentTypes[c.provider]
	}
	kind, _, _ := strings.Cut(strings.ToLower(m.kind), ";")
	if kind != "" && types != nil && !slices.Contains(types, kind) && kind != "image/*" {
		c.report("media-type", m.at, "the API does not accept this type: found %s; convert it to one of %s", finding.Quote(m.kind), strings.Join(types, ", "))
	}
}

// checkMediaData reports data that is not base64, and images of another type than declared.
func (c *checker) checkMediaData(m medium) {
	if !c.has("media-data") || m.encoded.Kind() != jsonstream.String {
		return
	}
	data := m.encoded.Text()
	switch prefix := DataURLPrefix(data); {
	case prefix != "":
		c.report("media-data", m.encoded, "the data is a URL: found %s; remove everything before the base64", finding.Quote(prefix))
		return
	case data == "" && c.provider == Anthropic:
		c.report("media-data", m.encoded, "the data is empty; load the image or document again, or leave it out")
		return
	}
	for i := range len(data) {
		if !isBase64(data[i]) {
			c.report("media-data", m.encoded, "the data is not base64: found %s at byte %d; load the image or document again, or leave it out", finding.Quote(data[i:min(len(data), i+20)]), i)
			return
		}
	}
	if is := ImageType(data); c.provider == Anthropic && is != "" && m.typed.Kind() == jsonstream.String && is != m.typed.Text() && slices.Contains(imageTypes[Anthropic], m.typed.Text()) {
		c.report("media-type", m.typed, "the image has another type than declared: found %s, but its data begins like %s; write %[2]s", finding.Quote(m.typed.Text()), is)
	}
}

// isBase64 reports whether a byte may be in base64, also in that for URLs (RFC 4648, sections 4 and 5), or break its
// lines: it is not known for every API whether it accepts these.
func isBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '/' <= b && b <= '9' || strings.IndexByte("+=-_\r\n", b) >= 0
}

// DataURLPrefix returns the beginning of a data URL (RFC 2397) up to its base64, "" if text is no such URL.
func DataURLPrefix(text string) string {
	before, _, ok := strings.Cut(text[:min(len(text), 200)], ",")
	if !ok || !strings.HasPrefix(before, "data:") || !strings.HasSuffix(before, ";base64") {
		return ""
	}
	return text[:len(before)+1]
}

// ImageType returns the media type of an image in base64, which its first bytes determine: image/png, image/jpeg,
// image/gif or image/webp; "" for any other data.
func ImageType(data string) string {
	head, _ := base64.StdEncoding.DecodeString(data[:min(len(data), 16)/4*4])
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case bytes.HasPrefix(head, []byte("RIFF")) && bytes.HasSuffix(head, []byte("WEBP")):
		return "image/webp"
	}
	return ""
}

func (c *checker) checkMediaSize(m medium, images int) {
	limit := 0
	switch {
	case c.provider == Anthropic && !m.document:
		limit = anthropicImage
	case c.provider == BedrockConverse && m.document:
		limit = bedrockDocument
	case c.provider == BedrockConverse:
		limit = bedrockImage
	}
	if limit > 0 && m.size() > limit {
		c.report("media-size", m.at, "the image or document is too large: found %d bytes, but the limit is %d; make it smaller", m.size(), limit)
		return
	}
	if c.provider != Anthropic || m.document || m.data == "" {
		return
	}
	pixels := anthropicPixels
	if images > manyImages {
		pixels = manyPixels
	}
	head, _ := base64.StdEncoding.DecodeString(m.data[:min(len(m.data), 64<<10)/4*4])
	if config, _, err := image.DecodeConfig(bytes.NewReader(head)); err == nil && max(config.Width, config.Height) > pixels {
		c.report("media-size", m.at, "the image is too large: found %d × %d pixels, but the limit is %d × %d; make it smaller", config.Width, config.Height, pixels, pixels)
	}
}

func (c *checker) checkMediaCount(at jsonstream.Value, images, documents int) {
	limit, severity := 0, finding.Severity("")
	switch c.provider {
	case OpenAIChat, OpenAIResponses:
		limit = openAICount
	case Anthropic:
		limit = anthropicCount
	case Gemini:
		limit = geminiCount
	case BedrockConverse:
		if documents > bedrockDocuments {
			c.report("media-count", at, "the history has too many documents: found %d, but the limit is %d; put the text of some documents into the turn", documents, bedrockDocuments)
			return
		}
		limit, severity = bedrockImages, finding.Warning
	}
	if images > limit {
		c.reportAs(severity, "media-count", at, "the history has too many images: found %d, but the limit is %d; remove some of them", images, limit)
	}
}

// documentName matches valid names of documents in Bedrock.
var documentName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_()\[\]-]+(\s[a-zA-Z0-9_()\[\]-]+)*$`)
})

// maxDocumentName is the maximum length of such a name, in characters.
const maxDocumentName = 200

func (c *checker) checkDocumentNames(media []medium) {
	seen := map[string]jsonstream.Value{}
	for _, m := range media {
		if !m.document || !m.name.Exists() {
			continue
		}
		name := m.name.Text()
		first, again := seen[name]
		switch {
		case len(name) > maxDocumentName || !documentName().MatchString(name):
			c.report("document-name", m.name, "the name of the document is invalid: found %s; use 1 to %d letters, digits, single spaces, -, (, ), [ or ]", finding.Quote(name), maxDocumentName)
		case again:
			c.report("document-name", m.name, "the name is already used by another document: found %s at %s; give each document its own name", finding.Quote(name), first.Pointer())
		}
		seen[name] = m.name
	}
}

// checkDocumentText reports a message with a document and no text.
func (c *checker) checkDocumentText(m *message) {
	document, text := jsonstream.Value{}, false
	for _, p := range m.parts {
		for _, found := range appendMedia(nil, p.Value, p.Kind == conversation.Media) {
			if found.document && p.Kind == conversation.Media {
				document = found.at
			}
		}
		text = text || p.Kind == conversation.Said
	}
	if document.Exists() && !text {
		c.report("document-name", document, "the message has a document but no text; add a text")
	}
}

// appendMedia appends the media in a part or result.
func appendMedia(media []medium, v jsonstream.Value, isMedium bool) []medium {
	if isMedium {
		return append(media, mediumOf(v))
	}
	if v.Kind() != jsonstream.Object {
		return media
	}
	for _, list := range []jsonstream.Value{v.Get("content"), v.Get("toolResult").Get("content"), v.Get("output"), v.Get("output").Get("value")} {
		for _, part := range list.Elements() {
			if conversation.IsMedia(part) {
				media = append(media, mediumOf(part))
			}
		}
	}
	return media
}

// mediumOf reads a part in the forms of the APIs and libraries.
func mediumOf(v jsonstream.Value) medium {
	m := medium{at: v, document: strings.Contains(v.Get("type").Text(), "file") || v.Get("type").Text() == "document" || v.Get("type").Text() == "text-plain" || v.Get("document").Exists()}
	for _, names := range [][]string{{"source", "media_type"}, {"inlineData", "mimeType"}, {"inline_data", "mime_type"}} {
		if inner := v.Get(names[0]); inner.Get("data").Exists() && (names[0] != "source" || inner.Get("type").Text() == "base64") {
			m.typed, m.encoded = inner.Get(names[1]), inner.Get("data")
		}
	}
	at := v
	for _, name := range []string{"source", "image", "document", "inlineData", "inline_data", "image_url", "file", "input_audio"} {
		if inner := at.Get(name); inner.Kind() == jsonstream.Object {
			at = inner
		}
	}
	if source := at.Get("source"); source.Kind() == jsonstream.Object { // of Bedrock
		m.kind = formatType(at.Get("format").Text(), m.document)
		m.name = at.Get("name")
		m.data = source.Get("bytes").Text()
		return m
	}
	for _, name := range []string{"media_type", "mediaType", "mimeType", "mime_type"} {
		for _, of := range []jsonstream.Value{at, v} {
			if kind := of.Get(name); kind.Text() != "" {
				m.kind = kind.Text()
			}
		}
	}
	for _, name := range []string{"data", "url", "image_url", "image", "file_data"} {
		for _, of := range []jsonstream.Value{at, v} {
			if text := of.Get(name); text.Kind() == jsonstream.String && m.data == "" {
				m.setData(text.Text())
			}
		}
	}
	for _, name := range []string{"filename", "name", "title"} {
		if name := at.Get(name); name.Kind() == jsonstream.String && !m.name.Exists() {
			m.name = name
		}
	}
	if format := at.Get("format").Text(); v.Get("type").Text() == "input_audio" && format != "" {
		m.kind, m.document = "audio/"+format, true
	}
	m.document = m.document && !strings.HasPrefix(m.kind, "image/")
	if of := v.Get("type").Text(); of == "audio" || of == "video" || of == "data" || of == "uri" || v.Get("inlineData").Exists() || v.Get("inline_data").Exists() || v.Get("raw").Exists() { // media of all kinds
		m.document = m.kind != "" && !strings.HasPrefix(m.kind, "image/")
	}
	return m
}

// setData sets the data from base64 or a data URL (RFC 2397); other URLs leave it unknown.
func (m *medium) setData(text string) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		kind, data, _ := strings.Cut(rest, ",")
		kind, isBase64 := strings.CutSuffix(kind, ";base64")
		m.kind = kind
		if isBase64 {
			m.data = data
		}
		return
	}
	if !strings.Contains(text[:min(len(text), 16)], ":") {
		m.data = text
	}
}

// formatType returns the media type of a Bedrock format.
func formatType(name string, document bool) string {
	if !document {
		return "image/" + name
	}
	types := map[string]string{"pdf": "application/pdf", "csv": "text/csv", "doc": "application/msword", "html": "text/html", "txt": "text/plain", "md": "text/markdown",
		"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "xls": "application/vnd.ms-excel",
		"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
	if known := types[name]; known != "" || name == "" {
		return known
	}
	return fmt.Sprintf("application/%s", name)
}
