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

// A Vault holds what was redacted. It is safe for concurrent use.
type Vault struct {
	key     *Key
	lines   map[string][]line // by digest
	all     func() (values, error)
	damaged []LineError
}

// A LineError says what is wrong with a line of a vault, from which nothing can be restored.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// errNoEntry is the error of a line that is none of [Result.Entry].
var errNoEntry = errors.New("is no entry of a vault: it was cut off or changed")

// OpenVault reads a vault, whose lines are [Result.Entry], and decrypts all. [Vault.Damaged] has those
// of which nothing can be restored. If that is all that there is, the error is the [*LineError] of the
// first: of another key it wraps [ErrKey].
func OpenVault(text []byte, key *Key) (*Vault, error) {
	v := &Vault{key: key, lines: map[string][]line{}}
	var order []line
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue // what a process begins after one that was killed
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

// Damaged returns what is wrong with lines of the vault, in their order.
func (v *Vault) Damaged() []LineError { return v.damaged }

func parseLine(raw []byte) (l line, err error) {
	if json.Unmarshal(raw, &l, json.RejectUnknownMembers(true)) != nil || l.Digest == "" || l.Sealed == "" {
		return l, errNoEntry
	}
	return l, nil
}

// values are what replacements stand for, in all messages.
type values struct {
	known   map[string]string
	several map[string]bool // replacements that stand for different values: nobody knows which is meant
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

// sameValue reports whether two values are spellings of one. A replacement that keeps the form of a
// value is for one spelling.
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

// A Restored is a message that was put back.
type Restored struct {
	Text []byte
	// Exact reports that it is the original, byte for byte. Otherwise the message has changed
	// since it was redacted, or is another one: the replacements in it were put back.
	Exact bool
	// Values is how many places were put back.
	Values int
	// Missing are the replacements in the message for which the vault has no value, or several.
	Missing []string
	// Originals is how many different messages the vault has that were redacted to this one, if there
	// is more than one: Text is the last.
	Originals int
}

// Restore puts back what was redacted in a message.
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

// original returns the message that the entries of a redacted one have.
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

// A replacer puts values in the place of their replacements.
type replacer struct {
	limits  jsonstream.Limits // of JSON in strings
	values  values
	begins  map[string][]string // replacements by their first three bytes, the longest first
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

// minReplacement is the length of the shortest replacement that is looked for in messages
// that have changed: a shorter one can be there by chance.
const minReplacement = 8

// tokens matches replacements that keep no format: those of a key, and the numbered ones of the classes
// that are known without a policy.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	labels := []string{label(Hidden)}
	for _, class := range privacy.Classes() {
		labels = append(labels, label(class))
	}
	return regexp.MustCompile(fmt.Sprintf("<(?:[A-Z][A-Z0-9_]*_[%s]{%d}|(?:%s)_[1-9][0-9]*)>", alphabet, tagLength, strings.Join(labels, "|")))
})

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
	quoted, _ := jsontext.AppendQuote(nil, text) // it is UTF-8: it was read from JSON
	return quoted
}
