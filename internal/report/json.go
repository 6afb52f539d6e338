package report

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// jsonOptions are the options for encoding records.
var jsonOptions = json.JoinOptions(json.Deterministic(true), jsontext.EscapeForHTML(false))

// AnyBytes are the options for records with texts that are not UTF-8, such as file names: invalid bytes are
// written as Go escapes.
var AnyBytes = json.JoinOptions(jsonOptions, jsontext.AllowInvalidUTF8(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, s string) error {
		if utf8.ValidString(s) {
			return errors.ErrUnsupported
		}
		return enc.WriteToken(jsontext.String(term.Escape(s, func(rune) bool { return false })))
	})))

// WriteJSON writes v as one line of JSON, without credentials. It never fails because of a text in v.
func WriteJSON(w io.Writer, v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return writeLine(w, WithoutSecrets(text))
}

// WriteIndex is [WriteJSON] for data that commands read again: it keeps credentials.
func WriteIndex(w io.Writer, v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return writeLine(w, text)
}

func marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v, jsonOptions)
	if err != nil {
		text, err = json.Marshal(v, AnyBytes) // slower
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the report: %w", err)
	}
	return text, nil
}

// AppendWithDocument appends a line of JSON with the record and, as its member message, the document. A
// document that is not strict JSON, or is JSON Lines, becomes a string; one that is not UTF-8 becomes base64.
func AppendWithDocument(dst []byte, r *Record, limits jsonstream.Limits) ([]byte, error) {
	var v any = r
	switch {
	case r.Err != nil:
		v = Unread{r.Source, r.Index, r.Err}
	case r.Own != nil:
		v = r.Own.JSON(r)
	}
	record, err := marshal(v)
	if err != nil {
		return dst, err
	}
	dst = append(dst, bytes.TrimSuffix(WithoutSecrets(record), []byte("}"))...)
	if r.Raw.Bytes == nil {
		return append(dst, '}', '\n'), nil // it could not be read, or exceeds the maximum document size
	}
	if _, damage := jsonstream.Parse(r.Raw, limits); damage == nil && !r.Raw.Lines {
		dst = jsonstream.AppendCompact(append(dst, `,"message":`...), r.Raw.Bytes)
	} else if utf8.Valid(r.Raw.Bytes) {
		dst, err = jsontext.AppendQuote(append(dst, `,"text":`...), r.Raw.Bytes)
	} else {
		dst, err = jsontext.AppendQuote(append(dst, `,"base64":`...), base64.StdEncoding.EncodeToString(r.Raw.Bytes))
	}
	return append(dst, '}', '\n'), err
}

func writeLine(w io.Writer, text []byte) error {
	_, err := VisibleJSON{w}.Write(append(text, '\n'))
	return err
}

// WithoutSecrets returns a JSON text without the credentials in its strings and names.
func WithoutSecrets(text []byte) []byte {
	if !secrets.MayHold(text) && !bytes.Contains(text, []byte("~1")) { // a pointer may contain an escaped slash
		return text
	}
	lenient := json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	dec := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, lenient)
	for {
		token, err := dec.ReadToken()
		if err != nil { // the end, as the text is valid JSON
			return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		}
		if token.Kind() == '"' {
			token = jsontext.String(term.WithoutSecrets(token.String()))
		}
		if err := enc.WriteToken(token); err != nil {
			panic("writing JSON to memory: " + err.Error())
		}
	}
}

// VisibleJSON writes JSON with invisible characters as \u escapes, so that parsers read the same strings. No
// character may be split between two writes.
type VisibleJSON struct{ W io.Writer }

func (v VisibleJSON) Write(text []byte) (int, error) {
	all, from := len(text), 0
	var escaped []byte // the text before from, if anything was escaped
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf && text[i] != 0x7f { // encoders have escaped control characters in strings
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if term.IsHidden(r) {
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
	if _, err := v.W.Write(text); err != nil {
		return 0, err
	}
	return all, nil
}
