package cmd

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonOptions are how records are encoded.
var jsonOptions = json.JoinOptions(json.Deterministic(true), jsontext.EscapeForHTML(false))

// anyBytes are the options for records with texts that are not UTF-8, such as names of
// files: the bytes that are not are written as Go escapes.
var anyBytes = json.JoinOptions(jsonOptions, jsontext.AllowInvalidUTF8(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, s string) error {
		if utf8.ValidString(s) {
			return errors.ErrUnsupported
		}
		return enc.WriteToken(jsontext.String(escape(s, func(rune) bool { return false })))
	})))

// writeJSON writes v as one line of JSON. No text in v can make it fail.
func writeJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v, jsonOptions)
	if err != nil {
		text, err = json.Marshal(v, anyBytes) // which takes longer
	}
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err = visibleJSON{w}.Write(append(text, '\n'))
	return err
}

// visibleJSON writes JSON with the characters that do not show as \u escapes: a parser
// reads the same strings. What is written to it has no character in two pieces.
type visibleJSON struct{ w io.Writer }

func (v visibleJSON) Write(text []byte) (int, error) {
	all, from := len(text), 0
	var escaped []byte // all before from, once there is something to escape
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf && text[i] != 0x7f { // encoders escape control characters in strings
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if isHidden(r) {
			escaped = append(escaped, text[from:i]...)
			from = i + size
			for _, unit := range utf16.Encode([]rune{r}) {
				escaped = fmt.Appendf(escaped, `\u%04x`, unit)
			}
		}
		i += size
	}
	if from > 0 {
		text = append(escaped, text[from:]...)
	}
	if _, err := v.w.Write(text); err != nil {
		return 0, err
	}
	return all, nil
}
