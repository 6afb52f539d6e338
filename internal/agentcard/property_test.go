package agentcard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

// A generator draws cards according to the table of fields.
type generator struct {
	// full cards have no empty values and no unknown members: the SDKs sign the text that the
	// specification requires.
	full bool
}

// pieces are parts of texts with several JSON representations, or with another order in UTF-16
// than in UTF-8.
var pieces = rapid.SampledFrom([]string{"a", "Agent", " ", "é", "e\u0301", "😀", "\ufb33", "\u2028", "\x7f", "\x00", "\n", `\`, `"`, "/", "<&>", "0", "https://x.example/", "null", "\u0080"})

func (g generator) text(t *rapid.T, label string) string {
	least := 0
	if g.full {
		least = 1
	}
	return strings.Join(rapid.SliceOfN(pieces, least, 4).Draw(t, label), "")
}

func quote(t *rapid.T, text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// message draws the JSON of a message. Its members are in any order.
func (g generator) message(t *rapid.T, m *messageType) string {
	var members []string
	add := func(f *field) {
		members = append(members, quote(t, f.name)+rapid.SampledFrom([]string{":", " : "}).Draw(t, "colon")+g.field(t, f))
	}
	var choice []*field
	for _, f := range m.fields {
		switch {
		case f.name == signatures:
		case f.oneof:
			choice = append(choice, f)
		case f.required && g.full || rapid.Bool().Draw(t, f.name):
			add(f)
		}
	}
	if choice != nil && (g.full || rapid.IntRange(0, 9).Draw(t, "no choice") > 0) {
		add(rapid.SampledFrom(choice).Draw(t, "choice"))
	}
	if len(members) == 0 && g.full { // not empty
		i := 0
		for m.fields[i].name == signatures {
			i++
		}
		add(m.fields[i])
	}
	if !g.full && rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
		members = append(members, `"x-own":`+g.any(t, 0))
	}
	return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
}

// field draws the value of a field.
func (g generator) field(t *rapid.T, f *field) string {
	least := 0
	if g.full {
		least = 1
	} else if rapid.IntRange(0, 19).Draw(t, "null") == 0 {
		return "null"
	}
	switch {
	case f.list:
		var elements []string
		for range rapid.IntRange(least, 2).Draw(t, "length") {
			elements = append(elements, g.item(t, f))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case f.dict:
		var members []string
		for i := range rapid.IntRange(least, 2).Draw(t, "length") {
			members = append(members, quote(t, fmt.Sprint(i)+g.text(t, "name"))+":"+g.item(t, f))
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return g.item(t, f)
	}
}

// item draws an element of a field, or its whole value.
func (g generator) item(t *rapid.T, f *field) string {
	switch f.kind {
	case text:
		return quote(t, g.text(t, f.name))
	case truth:
		if g.full && !f.optional {
			return "true"
		}
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, f.name)
	case anyData:
		return `{"p":` + g.any(t, 0) + "}"
	default:
		return g.message(t, f.of)
	}
}

// any draws any JSON.
func (g generator) any(t *rapid.T, depth int) string {
	kinds := []string{"text", "number", "bool", "list", "object"}
	if depth > 2 {
		kinds = kinds[:3]
	}
	if !g.full {
		kinds = append(kinds, "null", "empty")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		return quote(t, g.text(t, "text"))
	case "number":
		return rapid.SampledFrom([]string{"0", "-0", "1", "1.50", "1e2", "1E+21", "1e-7", "0.000001", "333333333.3333333", "4.5", "-9007199254740991", "5e-324"}).Draw(t, "number")
	case "bool":
		return "false"
	case "list":
		return "[" + g.any(t, depth+1) + "," + g.any(t, depth+1) + "]"
	case "object":
		return "{" + quote(t, "a"+g.text(t, "name")) + ":" + g.any(t, depth+1) + `,"":` + g.any(t, depth+1) + "}"
	case "null":
		return "null"
	default:
		return rapid.SampledFrom([]string{`""`, "{}", "[]"}).Draw(t, "empty")
	}
}

// TestPropertySign checks that a signed card verifies with unchanged content, and that its payload is a
// fixed point: the payload, read as a card, has the same payload.
func TestPropertySign(t *testing.T) {
	keys := []sign.Key{keyOf(t, rfc7515Key, "ec"), keyOf(t, rfc8037Key, "ed")}
	v := verifierOf(t, public(keys[0]), public(keys[1]))
	rapid.Check(t, func(t *rapid.T) {
		g := generator{full: rapid.Bool().Draw(t, "full")}
		card := g.message(t, cardType())
		doc := mustParse(t, card)
		payload, err := Payload(doc.Root())
		if err != nil {
			t.Skip(err) // a number
		}
		if again, err := Payload(mustParse(t, string(payload)).Root()); err != nil || !bytes.Equal(again, payload) {
			t.Fatalf("the payload of the payload is another: %v\n%s\n%s", err, payload, again)
		}
		for i, k := range keys {
			text, err := Sign(doc, k, SignOptions{})
			if err != nil {
				t.Fatal(err)
			}
			doc = mustParse(t, string(text))
			if again, err := Payload(doc.Root()); err != nil || !bytes.Equal(again, payload) {
				t.Fatalf("%v\n%s", err, again)
			}
			all, err := v.Verify(doc)
			if err != nil || len(all) != i+1 || !all[i].Holds() {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		if back, err := jsonstream.Remove(doc, "/"+signatures); err == nil && !sameWithoutSpace(back, []byte(card)) {
			t.Fatalf("got\n%s, want\n%s", back, card)
		}
	})
}

// sameWithoutSpace compares JSON without white space.
func sameWithoutSpace(a, b []byte) bool {
	return bytes.Equal(jsonstream.AppendCompact(nil, a), jsonstream.AppendCompact(nil, b))
}

func mustParse(t *rapid.T, text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

// change changes, adds or removes one value of a card that is not a default value.
func change(t *rapid.T, doc *jsonstream.Document) string {
	var values []jsonstream.Value
	for v := range doc.Root().All() {
		if !strings.HasPrefix(v.Pointer(), "/"+signatures) {
			values = append(values, v)
		}
	}
	v := rapid.SampledFrom(values).Draw(t, "value")
	if v.Kind() == jsonstream.Object && (v.Pointer() == "" || rapid.Bool().Draw(t, "add")) {
		text, err := jsonstream.Set(doc, v.Pointer()+"/~1added", []byte(rapid.SampledFrom([]string{`""`, "null", "[]", "0"}).Draw(t, "added")))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text, err := jsonstream.Set(doc, v.Pointer(), []byte(rapid.SampledFrom([]string{`"changed"`, "17", `{"changed": 1}`}).Draw(t, "with")))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPropertyTampered checks that every change and every addition invalidates a signature, except for
// default values.
func TestPropertyTampered(t *testing.T) {
	k := keyOf(t, rfc8037Key, "ed")
	v := verifierOf(t, public(k))
	rapid.Check(t, func(t *rapid.T) {
		card := mustParse(t, generator{full: rapid.Bool().Draw(t, "full")}.message(t, cardType()))
		text, err := Sign(card, k, SignOptions{})
		if err != nil {
			t.Skip(err)
		}
		tampered := change(t, mustParse(t, string(text)))
		if _, err := v.Verify(mustParse(t, tampered)); err == nil {
			t.Fatalf("verifies:\n%s\nwas signed as\n%s", tampered, text)
		}
	})
}

// TestPropertySDKForm checks that the form of the SDKs equals the payload for cards without empty
// values.
func TestPropertySDKForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := mustParse(t, generator{full: true}.message(t, cardType())).Root()
		payload, err := Payload(root)
		if err != nil {
			t.Skip(err)
		}
		text, lost := sdkForm(root, false)
		if !bytes.Equal(text, payload) || len(lost) > 0 {
			t.Fatalf("%q is not signed\n%s\n%s", lost, text, payload)
		}
	})
}

// FuzzCard checks that Check, Sign and Verify do not panic, that a signed card verifies, and that every
// finding has a place and a message.
func FuzzCard(f *testing.F) {
	for _, r := range Rules() {
		f.Add([]byte(r.Bad))
		f.Add([]byte(r.Good))
	}
	for _, seed := range []string{sample, `{}`, `[]`, `{"signatures":[{"protected":"e30"}]}`, `{"securitySchemes":{"":{"mtlsSecurityScheme":null}},"capabilities":{"extensions":[{"params":{"a":[null]}}]}}`} {
		f.Add([]byte(seed))
	}
	k := keyOf(f, rfc8037Key, "ed")
	v := verifierOf(f, public(k))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{MaxDepth: 100})
		if err != nil {
			return
		}
		for _, one := range Check(doc) {
			if one.Message == "" || one.Line == 0 || severities()[one.Rule] != one.Severity || strings.ContainsAny(one.Message, "\n\x1b") {
				t.Fatalf("%q: %+v", text, one)
			}
		}
		if _, err := v.Verify(doc); err != nil && err.Error() == "" {
			t.Fatalf("%q: no reason", text)
		}
		signed, err := Sign(doc, k, SignOptions{Replace: true})
		if err != nil {
			return
		}
		if _, err := v.Verify(parse(t, string(signed))); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, signed)
		}
	})
}
