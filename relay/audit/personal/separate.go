package personal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/schemas"
)

// named are the members that identify a handoff in records. They are recorded despite any policy: ids must
// not be personal data.
var named = [...]string{
	"/handoffId", "/taskId", "/parentHandoffId", "/fromAgent/agentId", "/toAgent/agentType", "/receiverList", "/signatureKeyId", "/traceparent",
	"/costTracking/costSpentSoFarUSD", "/costTracking/costBudgetRemainingUSD", "/costTracking/tokenSpent",
}

// signature is the pointer of the signature, with which guesses of a signed message could be checked.
const signature = "/signature"

// digestClass is the class of digests, with which guesses of their input could be checked.
const digestClass privacy.Class = "digest"

// A separator finds personal data.
type separator struct {
	limits  jsonstream.Limits
	subject string
	policy  privacy.Policy // defines personal data, and data that must not stay beside it
	scanner *privacy.Scanner
}

func newSeparator(scanner *privacy.Scanner, limits jsonstream.Limits) (*separator, error) {
	p := scanner.Policy()
	for i, pointer := range p.Always {
		tokens, _ := jsonstream.SplitPointer(pointer)
		for _, other := range named {
			if name, _ := jsonstream.SplitPointer(other); covers(tokens, name) {
				return nil, fmt.Errorf("policy: /always/%d: %q contains %s, which identifies the handoff in records: name the other values in it instead", i, pointer, other)
			}
		}
	}
	if tokens, _ := jsonstream.SplitPointer(p.Subject); p.Subject != "" {
		for _, other := range named {
			if name, _ := jsonstream.SplitPointer(other); covers(tokens, name) || covers(name, tokens) {
				return nil, fmt.Errorf("policy: /subject: %q is or contains %s, which records store: use the place of another value", p.Subject, other)
			}
		}
	}
	p.Never = append(slices.Clone(p.Never), named[:]...)
	p.Always = slices.Clone(p.Always)
	if p.Subject != "" {
		p.Always = append(p.Always, p.Subject)
	}
	p.Always = append(p.Always, signature)
	p.Patterns = append(slices.Clone(p.Patterns), privacy.PatternPolicy{Class: digestClass, Pattern: `sha256:[0-9a-f]{64}`, Score: 1})
	all, err := privacy.New(p)
	return &separator{limits, p.Subject, p, all}, err
}

// covers reports whether a pattern matches the pointer of a value or of a value that contains it.
func covers(pattern, pointer []string) bool {
	if len(pattern) > len(pointer) {
		return false
	}
	for i, token := range pattern {
		if token != "*" && token != pointer[i] {
			return false
		}
	}
	return true
}

// A Part is the personal data of a message, separated from it.
type Part struct {
	// Text is the stored text of the message, with replacements.
	Text []byte

	kind, id string // of the data subject
	content  content
	log      string // set with the key
	key      *Key
}

// wholeMessage is the stored text of a message that cannot be parsed, or not redacted completely.
const wholeMessage = `"<MESSAGE>"`

// separate returns the personal data of a message, nil if there is none and nothing is quoted. m is nil if
// raw is not a message.
func (s *separator) separate(raw []byte, m *message.Message, quoted bool) *Part {
	var part *Part
	if m == nil {
		part = whole(raw)
	} else {
		part = s.apart(raw, m)
	}
	if part == nil && quoted {
		part = &Part{Text: raw}
	}
	if part == nil {
		return nil
	}
	part.kind, part.id = s.subjectOf(raw, m)
	part.content.Salt = make([]byte, sha256.Size)
	rand.Read(part.content.Salt) // never fails
	return part
}

// subjectOf returns the data subject of a message.
func (s *separator) subjectOf(raw []byte, m *message.Message) (kind, id string) {
	if m != nil {
		if s.subject != "" {
			switch v := m.Root().At(s.subject); v.Kind() {
			case jsonstream.String:
				id = strings.Clone(v.Text())
			case jsonstream.Number:
				id = string(v.Raw())
			}
		}
		if id != "" {
			return ofSubject, id
		}
		if id := m.HandoffID(); id != "" {
			return ofHandoff, strings.Clone(id)
		}
	}
	sum := sha256.Sum256(raw)
	return ofMessage, hex.EncodeToString(sum[:])
}

// whole separates a whole message.
func whole(raw []byte) *Part {
	p := &Part{Text: []byte(wholeMessage)}
	p.take([]redact.Change{{Start: 0, End: len(wholeMessage), Before: bytes.Clone(raw)}},
		[]redact.Datum{{Class: redact.Hidden, Value: strings.ToValidUTF8(string(raw), "\uFFFD")}})
	return p
}

func (p *Part) take(changes []redact.Change, data []redact.Datum) {
	for _, c := range changes {
		p.content.Undo = append(p.content.Undo, undo(c))
	}
	p.content.Data = make([]Datum, len(data))
	for i, d := range data {
		p.content.Data[i] = Datum{d.Pointer, d.Class, d.Value}
		if d.Pointer == signature {
			p.content.Data[i].Class = digestClass
		}
	}
}

// apart separates the data that the policy names. If there is any, it also separates digests, the signature,
// and other occurrences of the same data.
func (s *separator) apart(raw []byte, m *message.Message) *Part {
	doc := m.Document()
	o := redact.Options{Scanner: s.scanner, Apart: true, Limits: s.limits}
	r, err := redact.Message(doc, o)
	if err != nil {
		return whole(raw)
	}
	if !slices.ContainsFunc(r.Data, func(d redact.Datum) bool { return d.Class != digestClass && d.Pointer != signature }) {
		return nil // a digest alone is not personal data
	}
	if values := s.again(raw, r); values != nil {
		if o.Scanner, err = s.with(values); err == nil {
			r, err = redact.Message(doc, o)
		}
		if err != nil {
			return whole(raw)
		}
	}
	if original, ok := redact.Restore(r.Text, r.Undo); !ok || !bytes.Equal(original, raw) {
		return whole(raw)
	}
	p := &Part{Text: r.Text}
	p.take(r.Undo, r.Data)
	return p
}

// minAgain is the minimum length of a value whose other occurrences are searched in the message, in bytes,
// and maxAgain the maximum number of such values.
const (
	minAgain = 4
	maxAgain = 200
)

// again returns the values that the policy names by pointer, and that may occur elsewhere in the message.
func (s *separator) again(raw []byte, r redact.Result) (values []string) {
	hidden := bytes.Contains(raw, []byte(`\u`)) || r.Format != format.EAAPL // in an escape sequence or in base64
	add := func(value string) {
		if len(value) >= minAgain && len(values) < maxAgain && (hidden || strings.ContainsAny(value, "\"\\/\n\t\r\b\f") || bytes.Contains(r.Text, []byte(value))) && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	for _, d := range r.Data {
		if d.Class != redact.Hidden || d.Pointer == signature {
			continue
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(d.Value)), s.limits)
		if err != nil { // a string that is not JSON
			add(d.Value)
			continue
		}
		for v := range doc.Root().All() {
			switch v.Kind() {
			case jsonstream.String:
				add(strings.Clone(v.Text()))
			case jsonstream.Number:
				add(string(v.Raw()))
			}
		}
	}
	return values
}

// with returns a scanner that also finds all occurrences of values.
func (s *separator) with(values []string) (*privacy.Scanner, error) {
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // longer values before their prefixes
	for i, value := range values {
		values[i] = regexp.QuoteMeta(value)
	}
	p := s.policy
	p.Patterns = append(slices.Clone(p.Patterns), privacy.PatternPolicy{Class: redact.Hidden, Pattern: strings.Join(values, "|"), Score: 1})
	return privacy.New(p)
}

// Withheld replaces a text that may quote a message.
const Withheld = "the value found is withheld, because it may show personal data"

// Withhold moves the texts of a record's findings to the personal data.
func (p *Part) Withhold(d *audit.Details) {
	p.content.Findings = d.Findings
	if d.Findings == nil {
		return
	}
	kept := make([]audit.Finding, len(d.Findings))
	for i, f := range d.Findings {
		f.Message, f.Pointer = Withheld, Told(f.Pointer)
		kept[i] = f
	}
	d.Findings = kept
}

// Told returns the part of a pointer that may be shown: indexes and names of members in the schema, up to the
// first other name, which comes from the message and may be personal data.
func Told(pointer string) string {
	tokens, _ := jsonstream.SplitPointer(pointer)
	told, inList := "", false
	for _, token := range tokens {
		_, err := strconv.Atoi(token)
		isList, isName := schemaNames()[token]
		if !isName && (err != nil || !inList) {
			break
		}
		told, inList = told+"/"+token, isList
	}
	return told
}

// schemaNames are the names of all members in the schema of messages. The value reports whether the member is
// an array.
var schemaNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	text, err := schemas.Read(schemas.Message)
	if err != nil {
		panic(err) // the schema is embedded
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for v := range doc.Root().All() {
		if v.Parent().Name() == "properties" {
			names[v.Name()] = v.Get("items").Kind() != jsonstream.Absent
		}
	}
	return names
})
