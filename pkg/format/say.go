package format

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Speak returns a turn of the format that says a text, as compact JSON: see
// [Descriptor.Say].
func (d *Descriptor) Speak(like jsonstream.Value, role, text string) []byte {
	if d.Say != nil {
		return d.Say(like, role, text)
	}
	return Fill(`{"role":%,"content":%}`, role, text)
}

// Fill returns a JSON text with strings in the places of the percent signs of a form.
func Fill(form string, texts ...string) []byte {
	var dst []byte
	for _, c := range []byte(form) {
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		dst, _ = jsontext.AppendQuote(dst, texts[0]) // it replaces invalid UTF-8
		texts = texts[1:]
	}
	return dst
}

// MadeID returns an id for a turn that says a text, where the format wants one. Its length is
// always the same.
func MadeID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "handoff-" + hex.EncodeToString(sum[:8])
}
