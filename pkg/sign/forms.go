package sign

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A form is a text that a signer may have signed instead of the canonical one.
type form struct {
	name   string
	advice string
	text   func(m *message.Message) []byte
}

var forms = []form{
	{"the canonical form", "", func(m *message.Message) []byte { return mustCanonical(m, "") }},
	{"the canonical form with a line feed at its end", "the signer must sign the text without it",
		func(m *message.Message) []byte { return mustCanonical(m, "\n") }},
	{"the bytes of the message as written, without the signature", "the signer does not canonicalise (RFC 8785)", asItStands},
	{"the bytes of the message as written, without the signature, and a line feed", "the signer does not canonicalise (RFC 8785)",
		func(m *message.Message) []byte { return append(asItStands(m), '\n') }},
	{"the compact text in the message's own member order", "the signer does not sort the members (RFC 8785, section 3.2.3)",
		writer{}.text},
	{"the compact text in the message's own member order and a line feed", "the signer does not sort the members (RFC 8785, section 3.2.3)",
		writer{tail: "\n"}.text},
	{"the sorted text with the numbers as written", "the signer does not canonicalise numbers (RFC 8785, section 3.2.2.3)",
		writer{sorted: true}.text},
	{"the sorted text with the numbers as written and a line feed", "the signer does not canonicalise numbers, and must not sign the line feed",
		writer{sorted: true, tail: "\n"}.text},
	{"the sorted text with non-ASCII characters escaped", "the signer must not escape them (Python: ensure_ascii=False)",
		writer{sorted: true, ascii: true}.text},
	{"the sorted text with non-ASCII characters escaped, and spaces", "the signer must do neither (Python: ensure_ascii=False, separators=(\",\", \":\"))",
		writer{sorted: true, ascii: true, spaces: true}.text},
	{"the sorted text with spaces after commas and colons", "the signer must leave them out (Python: separators=(\",\", \":\"))",
		writer{sorted: true, spaces: true}.text},
	{"the sorted text with <, > and & escaped", "the signer must not escape them (Go: SetEscapeHTML(false))",
		writer{sorted: true, html: true}.text},
	{"the sorted text with / escaped", "the signer must not escape it (PHP: JSON_UNESCAPED_SLASHES)",
		writer{sorted: true, slash: true}.text},
	{"the canonical form with an empty signature in it", "the signer must leave the member out", writer{sorted: true, signature: `""`}.text},
	{"the canonical form with the signature null", "the signer must leave the member out", writer{sorted: true, signature: "null"}.text},
	{"the canonical form without " + KeyIDMember, "the signer must add that member before it signs", writer{sorted: true, unnamed: true}.text},
}

// mustCanonical returns the canonical form of a message that has one.
func mustCanonical(m *message.Message, tail string) []byte {
	text, _ := canonical(m) // cannot fail: search has checked
	return append(text, tail...)
}

func asItStands(m *message.Message) []byte {
	text, err := jsonstream.Remove(m.Document(), "/"+Member)
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(text)
}

// A writer writes a message as a program without canonicalization would.
type writer struct {
	sorted    bool   // members by name
	ascii     bool   // other characters as \uxxxx
	html      bool   // <, > and & as \u00xx
	slash     bool   // / as \/
	spaces    bool   // after commas and colons
	unnamed   bool   // without signatureKeyId
	signature string // JSON in place of the signature, "" for leaving it out
	tail      string
}

func (w writer) text(m *message.Message) []byte {
	return append(w.value(nil, m.Root(), true), w.tail...)
}

func (w writer) value(dst []byte, v jsonstream.Value, root bool) []byte {
	switch v.Kind() {
	case jsonstream.Object:
		return w.object(dst, v, root)
	case jsonstream.Array:
		dst = append(dst, '[')
		for i, element := range v.Elements() {
			if i > 0 {
				dst = w.separator(dst, ',')
			}
			dst = w.value(dst, element, false)
		}
		return append(dst, ']')
	case jsonstream.String:
		return w.quote(dst, v.Text())
	default:
		return append(dst, v.Raw()...)
	}
}

func (w writer) object(dst []byte, v jsonstream.Value, root bool) []byte {
	type member struct {
		name  string
		value jsonstream.Value
	}
	var members []member
	for name, value := range v.Members() {
		if root && (name == Member && w.signature == "" || name == KeyIDMember && w.unnamed) {
			continue
		}
		members = append(members, member{name, value})
	}
	if w.sorted {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	}
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = w.separator(dst, ',')
		}
		dst = w.separator(w.quote(dst, m.name), ':')
		if root && m.name == Member {
			dst = append(dst, w.signature...)
		} else {
			dst = w.value(dst, m.value, false)
		}
	}
	return append(dst, '}')
}

func (w writer) separator(dst []byte, c byte) []byte {
	dst = append(dst, c)
	if w.spaces {
		dst = append(dst, ' ')
	}
	return dst
}

func (w writer) quote(dst []byte, text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // valid UTF-8, from a parsed document
	for _, r := range string(quoted) {
		switch {
		case w.html && (r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029'), w.ascii && r > 0x7E && r <= 0xFFFF:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		case w.ascii && r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		case w.slash && r == '/':
			dst = append(dst, `\/`...)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return dst
}
