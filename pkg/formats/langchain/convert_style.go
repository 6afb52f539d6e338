package langchain

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The forms of messages.
const (
	formFlat        = "flat"
	formRole        = "role"
	formStored      = "stored"
	formConstructor = "constructor"
)

// A style describes how a program writes messages: their form, the first module of their classes
// for constructors, and the members that all messages have even if empty.
type style struct {
	form, module string
	idle         []string
}

// idleMembers are the members that a program writes in all messages or in none, with their empty
// values. The type is also in the form.
var idleMembers = []struct {
	name string
	kind jsonstream.Kind // of a value that indicates that the program writes the member
}{
	{"type", jsonstream.String}, {"additional_kwargs", jsonstream.Object}, {"response_metadata", jsonstream.Object},
	{"name", jsonstream.Null}, {"id", jsonstream.Null}, {"example", jsonstream.False},
}

func styleOf(message tree.Node) style {
	s := style{form: formFlat}
	if !message.Is(jsonstream.Object) {
		return s
	}
	fields, _ := fieldsOf(message)
	switch {
	case message.Get("lc") != tree.None:
		s.form = formConstructor
		if message.At("/id/0").Text() == "langchain" {
			s.module = "langchain"
		}
	case message.Get("role") != tree.None:
		s.form = formRole
	case fields != message:
		s.form = formStored
	}
	for _, m := range idleMembers {
		if fields.Get(m.name).Is(m.kind) && (m.name != "type" || fields != message) {
			s.idle = append(s.idle, m.name)
		}
	}
	return s
}

// String returns the style as words, "" for the default style.
func (s style) String() string {
	words := append([]string{s.form}, s.idle...)
	if s.module != "" {
		words = append(words, s.module)
	}
	if len(words) == 1 && s.form == formFlat {
		return ""
	}
	return strings.Join(words, " ")
}

func parseStyle(text string) style {
	s := style{form: formFlat}
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			s.form = word
		case word == "langchain":
			s.module = word
		default:
			s.idle = append(s.idle, word)
		}
	}
	return s
}

func (s style) has(name string) bool { return slices.Contains(s.idle, name) }

// classes maps message types to class names.
var classes = map[string]string{"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}

// roles maps message types to roles.
var roles = map[string]string{"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}

// wrap returns the message with a type and fields, in the style.
func (s style) wrap(kind string, fields []tree.Member) tree.Node {
	switch fields = append(fields, s.fill(kind, fields)...); s.form {
	case formConstructor:
		path := []tree.Node{tree.String("langchain_core"), tree.String("messages"), tree.String(classes[kind])}
		if s.module != "" {
			path = []tree.Node{tree.String(s.module), tree.String("schema"), path[1], path[2]}
		}
		return chat.Object("lc", tree.Int(1), "type", tree.String(formConstructor), "id", tree.Array(path...), "kwargs", tree.Object(fields...))
	case formStored:
		return chat.Object("type", constants[kind], "data", tree.Object(fields...))
	case formRole:
		return tree.Object(slices.Insert(fields, 0, tree.Member{Name: "role", Value: tree.String(roles[kind])})...)
	default:
		fields = slices.DeleteFunc(fields, func(m tree.Member) bool { return m.Name == "type" })
		return tree.Object(slices.Insert(fields, 0, tree.Member{Name: "type", Value: constants[kind]})...)
	}
}

// fill returns the empty members of the style that fields lack.
func (s style) fill(kind string, fields []tree.Member) (idle []tree.Member) {
	add := func(name string, value tree.Node) {
		if !slices.ContainsFunc(fields, func(m tree.Member) bool { return m.Name == name }) {
			idle = append(idle, tree.Member{Name: name, Value: value})
		}
	}
	for _, name := range s.idle {
		switch name {
		case "type":
			add(name, constants[kind])
		case "additional_kwargs", "response_metadata":
			add(name, tree.Object())
		case "name", "id":
			add(name, tree.Null())
		case "example":
			if kind == "human" || kind == "ai" {
				add(name, tree.Bool(false))
			}
		}
	}
	if kind == "ai" && (s.has("additional_kwargs") || s.form == formConstructor) {
		add("tool_calls", tree.Array())
		add("invalid_tool_calls", tree.Array())
	}
	if kind == "tool" && s.has("name") {
		add("artifact", tree.Null())
		add("status", tree.String("success"))
	}
	return idle
}
