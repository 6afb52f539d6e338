package agentcard

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// fieldList has a line for each field, with its declaration.
//
//go:embed fields.txt
var fieldList string

// A messageType is a message of a2a.proto.
type messageType struct {
	name   string
	fields []*field
	byName map[string]*field
}

// A field is the declaration of a member in a2a.proto.
type field struct {
	name string // in JSON
	kind kind
	of   *messageType // of kind message, and of a list or map of messages
	list bool         // a repeated field: an array
	dict bool         // a map: an object

	required   bool // google.api.field_behavior is REQUIRED
	optional   bool // declared optional: presence is explicit
	oneof      bool // at most one of these may be present
	deprecated bool
}

// A kind is the type of a field, of its elements or of a map's values.
type kind string

const (
	text    kind = "string"
	truth   kind = "bool"
	anyData kind = "google.protobuf.Struct" // any object
	message kind = "message"
)

// cardType returns the AgentCard.
var cardType = sync.OnceValue(func() *messageType {
	types := map[string]*messageType{}
	typeOf := func(name string) *messageType {
		if types[name] == nil {
			types[name] = &messageType{name: name, byName: map[string]*field{}}
		}
		return types[name]
	}
	for line := range strings.Lines(fieldList) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		f := &field{name: words[1]}
		value := words[2]
		if inner, ok := strings.CutPrefix(value, "map<string,"); ok {
			f.dict, value = true, strings.TrimSuffix(inner, ">")
		}
		switch f.kind = kind(value); f.kind {
		case text, truth, anyData:
		default:
			f.kind, f.of = message, typeOf(value)
		}
		for _, word := range words[3:] {
			switch word {
			case "repeated":
				f.list = true
			case "REQUIRED":
				f.required = true
			case "optional":
				f.optional = true
			case "oneof":
				f.oneof = true
			case "deprecated":
				f.deprecated = true
			default:
				panic(fmt.Sprintf("fields.txt: %q", line)) // fields.txt is part of the program
			}
		}
		m := typeOf(words[0])
		m.fields = append(m.fields, f)
		m.byName[f.name] = f
	}
	return types["AgentCard"]
})

// zero returns the JSON text of the field's default value, which protobuf cannot distinguish from absence. A
// message has none: it is present or absent.
func (f *field) zero() (text string, ok bool) {
	switch {
	case f.list:
		return "[]", true
	case f.dict:
		return "{}", true
	case f.kind == truth:
		return "false", true
	case f.kind == message || f.kind == anyData:
		return "", false
	default:
		return `""`, true
	}
}

// isZero reports whether v is the field's default value.
func (f *field) isZero(v jsonstream.Value) bool {
	switch {
	case f.list:
		return v.Kind() == jsonstream.Array && v.Len() == 0
	case f.dict:
		return v.Kind() == jsonstream.Object && v.Len() == 0
	case f.kind == truth:
		return v.Kind() == jsonstream.False
	case f.kind == text:
		return v.Kind() == jsonstream.String && v.Text() == ""
	default:
		return false
	}
}

// expected describes the JSON of the field, or of one element of it, for a sentence.
func (f *field) expected(element bool) string {
	switch {
	case f.list && !element:
		return "an array"
	case f.dict && !element, f.kind == message, f.kind == anyData:
		return "an object"
	case f.kind == truth:
		return "true or false"
	default:
		return "a string"
	}
}

// hasType reports whether v has the JSON type of the field, or of one element of it.
func (f *field) hasType(v jsonstream.Value, element bool) bool {
	switch f.expected(element) {
	case "an array":
		return v.Kind() == jsonstream.Array
	case "an object":
		return v.Kind() == jsonstream.Object
	case "a string":
		return v.Kind() == jsonstream.String
	default:
		return v.Kind() == jsonstream.True || v.Kind() == jsonstream.False
	}
}

// items yields the values of the field: the elements of a list, the values of a map, or v itself.
func (f *field) items(v jsonstream.Value, yield func(jsonstream.Value)) {
	switch {
	case f.list:
		for _, e := range v.Elements() {
			yield(e)
		}
	case f.dict:
		for _, e := range v.Members() {
			yield(e)
		}
	default:
		yield(v)
	}
}

// misspelled returns the intended name of a member: the name of a field in the spelling of
// protobuf (supported_interfaces) or with other capitals, "" if there is none.
func (m *messageType) misspelled(name string) string {
	fold := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	i := slices.IndexFunc(m.fields, func(f *field) bool { return fold(f.name) == fold(name) })
	if i < 0 {
		return ""
	}
	return m.fields[i].name
}
