package repair

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// mendMediaType declares the type that the data of an image has, and writes the name that the APIs accept for JPEG
// images: image/jpeg, jpeg in Bedrock. Other types would need a conversion of the image.
func (r *repairer) mendMediaType(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if is := provider.ImageType(f.At.Parent().Get("data").Text()); is != "" && f.At.Kind() == jsonstream.String {
		r.step(f, i, "declared the image as %s, which its data is, instead of %q", is, f.At.Text())
		r.edit(i, f.At, format.Fill("%", is))
		return true
	}
	base := len(r.items[i].turn.Value.Pointer())
	edits := map[string]string{} // texts by pointers
	for v := range f.At.All() {
		if text, ok := asJPEG(v); ok {
			edits[v.Pointer()[base:]] = text
		}
	}
	if len(edits) == 0 {
		return false
	}
	r.step(f, i, "changed the type of the image from jpg to jpeg")
	for pointer, text := range edits {
		r.editAt(i, pointer, format.Fill("%", text))
	}
	return true
}

// asJPEG returns the text of a member with the type of an image, or with a data URL, if the type is spelled jpg.
func asJPEG(v jsonstream.Value) (text string, ok bool) {
	if v.Kind() != jsonstream.String {
		return "", false
	}
	switch v.Name() {
	case "media_type", "mediaType", "mimeType", "mime_type":
		return "image/jpeg", v.Text() == "image/jpg"
	case "format":
		return "jpeg", v.Text() == "jpg"
	case "url", "uri", "image_url", "image", "data", "file_data":
		rest, ok := strings.CutPrefix(v.Text(), "data:image/jpg;")
		return "data:image/jpeg;" + rest, ok
	}
	return "", false
}

// cutDataURL leaves the base64 of a data URL.
func (r *repairer) cutDataURL(f provider.Fault) bool {
	prefix := provider.DataURLPrefix(f.At.Text())
	if prefix == "" {
		return false
	}
	i := r.indexOf(f.At)
	r.step(f, i, "removed %q before the base64", prefix)
	r.edit(i, f.At, format.Fill("%", f.At.Text()[len(prefix):]))
	return true
}
