package format

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Speak returns a turn of the format that contains text, as compact JSON: see
// [Descriptor.Say].
func (d *Descriptor) Speak(like jsonstream.Value, role, text string) []byte {
	if d.Say != nil {
		return d.Say(like, role, text)
	}
	return Fill(`{"role":%,"content":%}`, role, text)
}

// Fill returns the JSON text form with each percent sign replaced by the next string of
// texts.
func Fill(form string, texts ...string) []byte {
	var dst []byte
	for _, c := range []byte(form) {
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		dst, _ = jsontext.AppendQuote(dst, texts[0]) // AppendQuote replaces invalid UTF-8
		texts = texts[1:]
	}
	return dst
}

// MadeID returns an id of fixed length, derived from text, for a turn of a format that
// requires one.
func MadeID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "handoff-" + hex.EncodeToString(sum[:8])
}
