package redact

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Vault holds what was redacted. It is safe for concurrent use.
type Vault struct {
	key   *Key
	lines map[string]line // by digest; of several, the last
	all   func() (map[string]string, error)
}

// OpenVault reads a vault, whose lines are [Result.Entry]. Lines that are no entry, because
// a program was ended while it wrote one, are ignored. The error is [ErrKey] if the key is
// not that of the last entry.
func OpenVault(text []byte, key *Key) (*Vault, error) {
	v := &Vault{key: key, lines: map[string]line{}}
	var order []line
	for raw := range bytes.Lines(text) {
		var l line
		if json.Unmarshal(raw, &l) == nil && l.Digest != "" {
			v.lines[l.Digest] = l
			order = append(order, l)
		}
	}
	if len(order) > 0 {
		if _, err := key.open(order[len(order)-1]); err != nil {
			return nil, err
		}
	}
	v.all = sync.OnceValues(func() (map[string]string, error) {
		values := map[string]string{}
		for i, l := range order {
			e, err := key.open(l)
			if err != nil {
				return nil, fmt.Errorf("entry %d: %w", i+1, err)
			}
			for replacement, value := range e.Values {
				if len(value) > len(values[replacement]) {
					values[replacement] = value
				}
			}
		}
		return values, nil
	})
	return v, nil
}

// A Restored is a message that was put back.
type Restored struct {
	Text []byte
	// Exact reports that it is the original, byte for byte. Otherwise the message has changed
	// since it was redacted, or is another one: the replacements in it were put back.
	Exact bool
	// Values is how many places were put back.
	Values int
}

// Restore puts back what was redacted in a message.
func (v *Vault) Restore(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (Restored, error) {
	text := doc.Raw().Bytes
	if l, ok := v.lines[v.key.digest(text)]; ok {
		e, err := v.key.open(l)
		if err != nil {
			return Restored{}, err
		}
		original, fits := Restore(text, e.Undo)
		if !fits {
			return Restored{}, ErrKey
		}
		return Restored{Text: original, Exact: true, Values: len(e.Undo)}, nil
	}
	values, err := v.all()
	if err != nil {
		return Restored{}, err
	}
	if f == "" {
		f, _ = formats.Detect(doc.Root())
	}
	r := newReplacer(values, limits)
	restored := r.document(doc, history.Carriers(doc.Root(), f), 0)
	return Restored{Text: restored, Values: r.count}, nil
}

// A replacer puts values in the place of their replacements.
type replacer struct {
	limits jsonstream.Limits // of JSON in strings
	values map[string]string
	begins map[string][]string // replacements by their first three bytes, the longest first
	count  int
}

func newReplacer(values map[string]string, limits jsonstream.Limits) *replacer {
	r := &replacer{limits: limits, values: values, begins: map[string][]string{}}
	for replacement := range values {
		if len(replacement) >= minReplacement {
			r.begins[replacement[:3]] = append(r.begins[replacement[:3]], replacement)
		}
	}
	for _, list := range r.begins {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return r
}

// minReplacement is the length of the shortest replacement that is looked for in messages
// that have changed: a shorter one can be there by chance.
const minReplacement = 8

// document returns a document with the values put back in its strings, and in JSON and
// base64 in them.
func (r *replacer) document(doc *jsonstream.Document, carriers []jsonstream.Value, depth int) []byte {
	text := doc.Raw().Bytes
	var restored []byte
	at := 0
	for v := range doc.Root().All() {
		if name := v.RawName(); name != nil {
			if quoted, changed := r.quoted(v.Name(), depth); changed {
				restored = append(append(restored, text[at:v.NameOffset()]...), quoted...)
				at = v.NameOffset() + len(name)
			}
		}
		if v.Kind() != jsonstream.String {
			continue
		}
		quoted, changed := []byte(nil), false
		if slices.Contains(carriers, v) {
			quoted, changed = r.carried(v)
		} else {
			quoted, changed = r.quoted(v.Text(), depth)
		}
		if changed {
			restored = append(append(restored, text[at:v.Offset()]...), quoted...)
			at = v.Offset() + len(v.Raw())
		}
	}
	return append(restored, text[at:]...)
}

// carried returns a string in base64 with the values put back in its content.
func (r *replacer) carried(v jsonstream.Value) ([]byte, bool) {
	content, err := history.DecodeBytes(v)
	if err != nil {
		return nil, false
	}
	inner, err := jsonstream.Parse(jsonstream.NewRaw(content), r.limits)
	if err != nil {
		return nil, false
	}
	before := r.count
	restored := r.document(inner, nil, 0)
	if r.count == before {
		return nil, false
	}
	return history.EncodeBytes(v, restored), true
}

// quoted returns a text with the values put back, in quotes.
func (r *replacer) quoted(text string, depth int) ([]byte, bool) {
	if depth < 8 && text != "" && (text[0] == '{' || text[0] == '[') {
		if inner, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), r.limits); err == nil {
			before := r.count
			restored := r.document(inner, nil, depth+1)
			if r.count == before {
				return nil, false
			}
			return quote(string(restored)), true
		}
	}
	var b strings.Builder
	at := 0
	for i := 0; i+minReplacement <= len(text); i++ {
		for _, replacement := range r.begins[text[i:i+3]] {
			if strings.HasPrefix(text[i:], replacement) {
				b.WriteString(text[at:i])
				b.WriteString(r.values[replacement])
				at = i + len(replacement)
				i = at - 1
				r.count++
				break
			}
		}
	}
	if at == 0 {
		return nil, false
	}
	b.WriteString(text[at:])
	return quote(b.String()), true
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // it is UTF-8: it was read from JSON
	return quoted
}
