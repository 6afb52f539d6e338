package chat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// FitMedia returns the parts of content with media that OpenAI accepts: others become texts with their names.
// The Chat API accepts audio as WAV or MP3, and no file at a URL (openai 7.59.0: ChatCompletionContentPart);
// the Responses API accepts no audio (ResponseInputContent).
func FitMedia(content tree.Node, ofChat bool) tree.Node {
	text, url := "input_text", "/image_url"
	if ofChat {
		text, url = "text", "/image_url/url"
	}
	parts := slices.Clone(tree.Elements(content))
	for i, p := range parts {
		for _, own := range []string{"/image_url/media_type", "/file/media_type"} {
			if p.At(own) != tree.None {
				p = p.Set(own, tree.None)
				parts[i] = p
			}
		}
		m, ok := mediaIn(p)
		if !ok {
			continue
		}
		format := audioFormat(m.MediaType.Text())
		switch {
		case m.Type == "audio" && ofChat && m.Data != tree.None && format != "":
			if at := "/input_audio/format"; p.At(at).Text() != format {
				parts[i] = p.Set(at, tree.String(format))
			}
		case m.Type == "image" && strings.HasPrefix(p.At(url).Text(), "data:image/jpg;"):
			parts[i] = p.Set(url, m.DataURL())
		case m.Type == "audio", m.Type == "file" && ofChat && m.URL != tree.None, m.Type == "image" && m.Data != tree.None && !isOpenAIImage(m.MediaType.Text()),
			m.URL != tree.None && !m.IsOnWeb() && !strings.HasPrefix(m.URL.Text(), "data:"), m.FileID != tree.None && !strings.HasPrefix(m.FileID.Text(), "file-"):
			parts[i] = Object("type", tree.String(text), "text", note(m))
		}
	}
	if slices.Equal(parts, tree.Elements(content)) {
		return content
	}
	return tree.Array(parts...)
}

// isOpenAIImage reports whether OpenAI accepts a type of image, as far as it is known.
func isOpenAIImage(kind string) bool {
	return kind == "" || kind == "image/*" || slices.Contains(imageTypes, kind)
}

// audioFormat returns the format of audio in the Chat API, "" for a type that it does not accept.
func audioFormat(kind string) string {
	switch kind {
	case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
		return "wav"
	case "audio/mp3", "audio/mpeg", "audio/x-mp3":
		return "mp3"
	}
	return ""
}
