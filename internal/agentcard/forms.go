package agentcard

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// sdkForm returns the text that the SDK for JavaScript (@a2a-js/sdk 1.3.0) signs instead of the [Payload],
// and pointers to some of the values that it omits: members that A2A 1.0 does not define, and all empty or
// null values. With typed, it also omits the content of securitySchemes, which the SDK loses when it signs a
// card that it has read into its own type. Such a signature protects none of the omitted values.
//
// The text serves only to explain a signature: it is never accepted.
func sdkForm(card jsonstream.Value, typed bool) (text []byte, lost []string) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(cardType().appendPresent(nil, card)), jsonstream.Unlimited())
	if err != nil {
		return nil, nil
	}
	c := &cleaner{typed: typed}
	plain, kept := c.append(nil, doc.Root(), nil, cardType())
	if !kept {
		plain = []byte("{}")
	}
	if doc, err = jsonstream.Parse(jsonstream.NewRaw(plain), jsonstream.Unlimited()); err != nil {
		return nil, nil
	}
	text, err = jsonstream.AppendCanonical(nil, doc.Root(), covered)
	if err != nil {
		return nil, nil
	}
	return text, slices.DeleteFunc(c.lost, func(pointer string) bool {
		v := card.At(pointer)
		return !v.Exists() || strings.HasPrefix(pointer, "/"+signatures)
	})
}

// maxLost is the maximum number of pointers to collect: some are enough to explain a signature.
const maxLost = 100

// A cleaner omits the same values as that SDK.
type cleaner struct {
	typed bool
	lost  []string
}

func (c *cleaner) lose(v jsonstream.Value) {
	if len(c.lost) < maxLost && v.PointerSize() < 1000 {
		c.lost = append(c.lost, v.Pointer())
	}
}

// append appends the JSON of v and reports whether it is not empty. f or m is the declaration of v, if it has
// one.
func (c *cleaner) append(dst []byte, v jsonstream.Value, f *field, m *messageType) ([]byte, bool) {
	start, end := len(dst), byte(']')
	switch v.Kind() {
	case jsonstream.Object:
		dst, end = append(dst, '{'), '}'
	case jsonstream.Array:
		dst = append(dst, '[')
	case jsonstream.Null:
		return dst, false
	case jsonstream.String:
		return append(dst, v.Raw()...), v.Text() != ""
	default:
		return append(dst, v.Raw()...), true
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		below, of := (*field)(nil), m
		if m != nil && (f == nil || !f.list && !f.dict) {
			below = m.byName[e.Name()]
			if below == nil || c.typed && below.of != nil && below.of.name == "SecurityScheme" {
				c.lose(e)
				continue
			}
			of = below.of
		}
		before, kept := len(dst), false
		dst = jsonstream.AppendComma(dst)
		if end == '}' {
			dst = append(append(dst, e.RawName()...), ':')
		}
		if dst, kept = c.append(dst, e, below, of); !kept {
			c.lose(e)
			dst = dst[:before]
		}
	}
	if len(dst) == start+1 {
		return dst[:start], false
	}
	return append(dst, end), true
}

// An otherForm is a text that a signer may have signed instead of the payload.
type otherForm struct {
	payload string // in base64url
	problem string // for a signature over payload
}

// formsOf returns the other forms of a card.
func formsOf(card jsonstream.Value) []otherForm {
	var all []otherForm
	for _, typed := range []bool{false, true} {
		if text, lost := sdkForm(card, typed); text != nil {
			all = append(all, otherForm{encodePayload(text), "the signature is valid for the form that @a2a-js/sdk signs instead of the form of section 8.4.1, without " +
				shownPointers(lost) + ", which is not protected: remove it, or have the card signed according to the specification"})
		}
	}
	return all
}

// shownPointers lists some pointers.
func shownPointers(pointers []string) string {
	const maxShown = 3
	if len(pointers) == 0 {
		return "the empty values"
	}
	var shown []string
	for _, p := range pointers[:min(len(pointers), maxShown)] {
		shown = append(shown, finding.Pointer(p))
	}
	text := strings.Join(shown, ", ")
	if len(pointers) > maxShown {
		text += ", …"
	}
	return text
}
