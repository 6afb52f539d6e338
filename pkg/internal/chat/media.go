package chat

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// A Media is an image, audio, video or a document. Its values are strings; exactly one of Data, URL
// and FileID is set.
type Media struct {
	Type      string    // image, audio, video or file
	Data      tree.Node // base64
	URL       tree.Node
	FileID    tree.Node // in the provider's store
	MediaType tree.Node // such as image/png; None if unknown
	Name      tree.Node // of the file
}

// Part returns the part of OpenAI's Chat API; video_url is an extension of other servers of that
// API.
func (m Media) Part() tree.Node {
	switch kind := m.Type + "_url"; {
	case m.Type == "audio" && m.Data != tree.None:
		_, format, _ := strings.Cut(m.MediaType.Text(), "/")
		return Object("type", tree.String("input_audio"), "input_audio", Object("data", m.Data, "format", tree.String(format)))
	case m.Type == "file" || m.FileID != tree.None:
		file := Object("file_id", m.FileID, "file_url", m.URL, "filename", m.Name)
		if m.Data != tree.None {
			file = file.With("file_data", m.DataURL())
		}
		return Object("type", tree.String("file"), "file", file)
	default:
		url := m.URL
		if m.Data != tree.None {
			url = m.DataURL()
		}
		return Object("type", tree.String(kind), kind, Object("url", url), "filename", m.Name)
	}
}

// canonical returns the part of a canonical turn: that of the Chat API, with the media type of a file at a URL or in a
// store, which the Chat API has no place for.
func (m Media) canonical() tree.Node {
	part := m.Part()
	if m.MediaType == tree.None && m.FileID != tree.None && m.Type != "file" {
		m.MediaType = tree.String(m.Type + "/*")
	}
	if m.Data != tree.None || m.MediaType == tree.None {
		return part
	}
	return part.Set("/"+part.Get("type").Text()+"/media_type", m.MediaType)
}

// mediaIn is the inverse of canonical.
func mediaIn(n tree.Node) (Media, bool) {
	kind := n.Get("type").Text()
	v := n.Get(kind)
	if audio := v.Get("data"); kind == "input_audio" && tree.IsString(audio) {
		m := Media{Type: "audio", Data: audio}
		if format := v.Get("format"); tree.IsString(format) && format.Text() != "" {
			m.MediaType = tree.String("audio/" + format.Text())
		}
		return m, true
	}
	m := Media{Name: stringOr(v.Get("filename"))}
	switch kind {
	case "file":
		m.Type, m.FileID, m.MediaType = "file", stringOr(v.Get("file_id")), stringOr(v.Get("media_type"))
		m.Address(stringOr(v.Get("file_data")))
		if m.Data == tree.None {
			m.Address(stringOr(v.Get("file_url")))
		}
		if m.FileID != tree.None {
			m.TakeType()
		}
	case "input_image", "input_file": // of the Responses API
		m.Type, m.Name, m.FileID = "file", stringOr(n.Get("filename")), stringOr(n.Get("file_id"))
		if kind == "input_image" {
			m.Type = "image"
		}
		for _, name := range []string{"image_url", "file_data", "file_url"} {
			if m.Data == tree.None && m.URL == tree.None {
				m.Address(stringOr(n.Get(name)))
			}
		}
	case "image_url", "video_url", "audio_url":
		m.Type, m.Name, m.MediaType = strings.TrimSuffix(kind, "_url"), stringOr(n.Get("filename")), stringOr(v.Get("media_type"))
		if tree.IsString(v) { // accepted by some servers
			m.Address(v)
		} else {
			m.Address(stringOr(v.Get("url")))
		}
	}
	return m, m.Type != "" && (m.Data != tree.None || m.URL != tree.None || m.FileID != tree.None)
}

// PlainText returns the text of a file that is one, such as a tool's output, for formats with no place for files.
func (m Media) PlainText() (text string, ok bool) {
	if m.Data == tree.None || !strings.HasPrefix(m.MediaType.Text(), "text/") {
		return "", false
	}
	data, err := base64.StdEncoding.DecodeString(m.Data.Text())
	return string(data), err == nil && len(data) > 0 && utf8.Valid(data)
}

// FileText returns the text that stands for a part with a file: that of a text file, or else its name in brackets.
func FileText(part tree.Node) (text string, ok bool) {
	m, ok := mediaIn(part)
	if text, isText := m.PlainText(); isText || !ok {
		return text, ok
	}
	return note(m).Text(), true
}

// DataURL returns the data: URL of data.
func (m Media) DataURL() tree.Node {
	return tree.String("data:" + m.MediaType.Text() + ";base64," + m.Data.Text())
}

// IsOnWeb reports whether the URL is of http or https, which every API can read, unlike one of a provider's store.
func (m Media) IsOnWeb() bool {
	return strings.HasPrefix(m.URL.Text(), "https://") || strings.HasPrefix(m.URL.Text(), "http://")
}

// TakeType sets Type to image, audio or video if the media type is one of that kind.
func (m *Media) TakeType() {
	switch kind, _, _ := strings.Cut(m.MediaType.Text(), "/"); kind {
	case "image", "audio", "video":
		m.Type = kind
	}
}

// Address sets Data from a base64 data: URL, and otherwise URL.
func (m *Media) Address(url tree.Node) {
	if url == tree.None {
		return
	}
	if rest, ok := strings.CutPrefix(url.Text(), "data:"); ok {
		if kind, data, ok := strings.Cut(rest, ";base64,"); ok && !strings.ContainsAny(kind, ";,") {
			m.Data = tree.String(data)
			switch kind {
			case "":
			case "image/jpg": // APIs reject this name
				m.MediaType = tree.String("image/jpeg")
			default:
				m.MediaType = tree.String(kind)
			}
			return
		}
	}
	m.URL = url
}
