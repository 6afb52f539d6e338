package redact

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// A Vault holds redacted values. It is safe for concurrent use.
type Vault struct {
	key     *Key
	lines   map[string][]line // by digest
	all     func() (values, error)
	damaged []LineError
}

// A LineError reports an unusable line of a vault.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// errNoEntry reports a line that is not a [Result.Entry].
var errNoEntry = errors.New("is not an entry of a vault: it was cut off or changed")

// OpenVault reads and decrypts a vault, whose lines are [Result.Entry]. Unusable lines are in
// [Vault.Damaged]. If all lines are unusable, the error is the [*LineError] of the first; it wraps
// [ErrKey] for another key.
func OpenVault(text []byte, key *Key) (*Vault, error) {
	v := &Vault{key: key, lines: map[string][]line{}}
	var order []line
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue // a process that follows a killed one begins with a line feed
		}
		l, err := parseLine(raw)
		if err == nil {
			_, err = key.open(l)
		}
		if err != nil {
			v.damaged = append(v.damaged, LineError{number, err})
			continue
		}
		v.lines[l.Digest] = append(v.lines[l.Digest], l)
		order = append(order, l)
	}
	if len(order) == 0 && len(v.damaged) > 0 {
		return nil, &v.damaged[0]
	}
	v.all = sync.OnceValues(func() (values, error) {
		all := values{known: map[string]string{}, several: map[string]bool{}}
		for _, l := range order {
			e, err := key.open(l)
			if err != nil {
				return values{}, err
			}
			for replacement, value := range e.Values {
				all.add(replacement, value)
			}
		}
		return all, nil
	})
	return v, nil
}

// Damaged returns the errors of unusable lines, in their order.
func (v *Vault) Damaged() []LineError { return v.damaged }

func parseLine(raw []byte) (l line, err error) {
	if json.Unmarshal(raw, &l, json.RejectUnknownMembers(true)) != nil || l.Digest == "" || l.Sealed == "" {
		return l, errNoEntry
	}
	return l, nil
}

// values has the original value of each replacement, for all messages.
type values struct {
	known   map[string]string
	several map[string]bool // ambiguous replacements, with different values
}

func (a values) add(replacement, value string) {
	before, ok := a.known[replacement]
	switch {
	case a.several[replacement]:
	case ok && !sameValue(replacement, before, value):
		a.several[replacement] = true
		delete(a.known, replacement)
	case len(value) > len(before):
		a.known[replacement] = value
	}
}

// sameValue reports whether two values are spellings of the same value. A replacement that keeps
// the format of a value stands for one spelling.
func sameValue(replacement, a, b string) bool {
	if a == b || !strings.HasPrefix(replacement, "<") {
		return a == b
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	return letters(a) == letters(b)
}

// A Restored is a restored message.
type Restored struct {
	Text []byte
	// Exact reports that Text is the original, byte for byte. Otherwise the message was changed
	// after redaction, or is another one, and only its replacements were restored.
	Exact bool
	// Values is the number of restored places.
	Values int
	// Missing are the replacements in the message without a value, or with several, in the vault.
	Missing []string
	// Originals is the number of different originals of this redacted message in the vault, if more
	// than one: Text is the last.
	Originals int
}

// Restore restores the redacted values of a message.
func (v *Vault) Restore(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (Restored, error) {
	text := doc.Raw().Bytes
	if lines := v.lines[v.key.digest(text)]; lines != nil {
		return v.original(text, lines)
	}
	all, err := v.all()
	if err != nil {
		return Restored{}, err
	}
	if f == "" {
		f, _ = formats.Detect(doc.Root())
	}
	r := newReplacer(all, limits)
	restored := r.document(doc, history.Carriers(doc.Root(), f), 0)
	return Restored{Text: restored, Values: r.count, Missing: slices.Sorted(maps.Keys(r.missing))}, nil
}

// original returns the original of a redacted message from its entries.
func (v *Vault) original(text []byte, lines []line) (r Restored, err error) {
	var different [][]byte
	for _, l := range lines {
		e, err := v.key.open(l)
		if err != nil {
			return Restored{}, err
		}
		original, fits := Restore(text, e.Undo)
		if !fits {
			return Restored{}, ErrKey
		}
		r.Text, r.Values = original, len(e.Undo)
		if !slices.ContainsFunc(different, func(b []byte) bool { return bytes.Equal(b, original) }) {
			different = append(different, original)
		}
	}
	if r.Exact = len(different) == 1; !r.Exact {
		r.Originals = len(different)
	}
	return r, nil
}

// A replacer restores values in place of their replacements.
type replacer struct {
	limits  jsonstream.Limits // for JSON in strings
	values  values
	begins  map[string][]string // replacements by their first three bytes, longest first
	count   int
	missing map[string]bool // replacements without a value
}

func newReplacer(all values, limits jsonstream.Limits) *replacer {
	r := &replacer{limits: limits, values: all, begins: map[string][]string{}, missing: map[string]bool{}}
	for _, replacements := range []iter.Seq[string]{maps.Keys(all.known), maps.Keys(all.several)} {
		for replacement := range replacements {
			if len(replacement) >= minReplacement {
				r.begins[replacement[:3]] = append(r.begins[replacement[:3]], replacement)
			}
		}
	}
	for _, list := range r.begins {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return r
}

// minReplacement is the minimum length of a replacement that is searched for in changed messages: a
// shorter one may occur by chance.
const minReplacement = 8

// tokens matches replacements that do not keep the format: keyed ones, and numbered ones of the
// classes known without a policy.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	labels := []string{label(Hidden)}
	for _, class := range privacy.Classes() {
		labels = append(labels, label(class))
	}
	return regexp.MustCompile(fmt.Sprintf("<(?:[A-Z][A-Z0-9_]*_[%s]{%d}|(?:%s)_[1-9][0-9]*)>", alphabet, tagLength, strings.Join(labels, "|")))
})

// document returns a document with the values restored in its strings, and in JSON and base64 in
// them.
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

// carried returns a base64 string with the values restored in its content.
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

// quoted returns a text with the values restored, in quotes.
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
	if strings.Contains(text, "<") {
		for _, replacement := range tokens().FindAllString(text, -1) {
			if _, known := r.values.known[replacement]; !known {
				r.missing[replacement] = true
			}
		}
	}
	var b strings.Builder
	at := 0
	for i := 0; i+minReplacement <= len(text); i++ {
		for _, replacement := range r.begins[text[i:i+3]] {
			if strings.HasPrefix(text[i:], replacement) {
				if r.values.several[replacement] {
					r.missing[replacement] = true
					i += len(replacement) - 1
					break
				}
				b.WriteString(text[at:i])
				b.WriteString(r.values.known[replacement])
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
	quoted, _ := jsontext.AppendQuote(nil, text) // text is valid UTF-8: it was read from JSON
	return quoted
}
