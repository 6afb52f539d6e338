package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A FieldError reports a member whose type differs from section 5.2, or a field without a JSON form.
type FieldError struct {
	Pointer string // the member's JSON Pointer, "" for the whole value
	Problem string
}

func (e *FieldError) Error() string {
	if e.Pointer == "" {
		return e.Problem
	}
	return e.Pointer + ": " + e.Problem
}

var (
	rawMessage = reflect.TypeFor[json.RawMessage]()
	target     = reflect.TypeFor[ToAgent]()
	number     = reflect.TypeFor[Number]()
)

// A codec writes and reads the types of [Fields] as JSON. It is for one call.
type codec map[reflect.Type]layout

// A layout is the JSON layout of a struct: a member for each field in order, then the members of the field
// Unknown.
type layout struct {
	members []member
	unknown int // the index of the field Unknown
}

type member struct {
	name  string
	index int
	omit  bool // omitted if empty
}

func (c codec) layout(t reflect.Type) layout {
	if l, ok := c[t]; ok {
		return l
	}
	var l layout
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if option == "unknown" {
			l.unknown = i
			continue
		}
		l.members = append(l.members, member{name, i, option == "omitzero"})
	}
	c[t] = l
	return l
}

// find returns the index of a member, -1 if the type does not name it. next is its most likely index.
func (l layout) find(name string, next int) int {
	for i := range l.members {
		if at := (next + i) % len(l.members); l.members[at].name == name {
			return at
		}
	}
	return -1
}

// marshal returns v as compact JSON. The error is a [*FieldError].
func marshal(v any) ([]byte, error) { return codec{}.append(nil, reflect.ValueOf(v)) }

func (c codec) append(dst []byte, v reflect.Value) ([]byte, error) {
	switch v.Type() {
	case rawMessage:
		if v.Len() == 0 {
			return append(dst, "null"...), nil
		}
		value, err := parseValue(v.Bytes())
		return jsonstream.AppendCompact(dst, value.Raw()), err
	case number:
		text := v.String()
		value, err := parseValue([]byte(text))
		if err != nil || value.Kind() != jsonstream.Number || len(value.Raw()) != len(text) {
			return nil, &FieldError{Problem: fmt.Sprintf("expected a number, found %.40q", text)}
		}
		return append(dst, text...), nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return c.append(dst, v.Elem())
	case reflect.Slice:
		return c.appendArray(dst, v)
	case reflect.Struct:
		return c.appendObject(dst, v)
	default:
		dst, err := jsontext.AppendQuote(dst, v.String())
		if err != nil {
			return nil, &FieldError{Problem: "not valid UTF-8"}
		}
		return dst, nil
	}
}

func (c codec) appendArray(dst []byte, v reflect.Value) ([]byte, error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = c.append(dst, v.Index(i)); err != nil {
			return nil, within(strconv.Itoa(i), err)
		}
	}
	return append(dst, ']'), nil
}

func (c codec) appendObject(dst []byte, v reflect.Value) ([]byte, error) {
	l := c.layout(v.Type())
	dst = append(dst, '{')
	for _, m := range l.members {
		field := v.Field(m.index)
		if m.omit && field.IsZero() {
			continue
		}
		dst = append(append(append(dst, '"'), m.name...), `":`...)
		var err error
		if dst, err = c.append(dst, field); err != nil {
			return nil, within(m.name, err)
		}
		dst = append(dst, ',')
	}
	if unknown := v.Field(l.unknown).Bytes(); len(unknown) > 0 {
		object, err := parseValue(unknown)
		if err != nil || object.Kind() != jsonstream.Object {
			return nil, &FieldError{Problem: "the unknown members are not a JSON object"}
		}
		for name, value := range object.Members() {
			if l.find(name, 0) >= 0 {
				return nil, within(jsonstream.AppendPointer("", name)[1:], &FieldError{Problem: "is among the unknown members: set its field instead"})
			}
			dst = append(append(dst, value.RawName()...), ':')
			dst = append(jsonstream.AppendCompact(dst, value.Raw()), ',')
		}
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), '}'), nil
}

// within adds the token of the enclosing member or element to an error's pointer.
func within(token string, err error) error {
	e := err.(*FieldError)
	return &FieldError{"/" + token + e.Pointer, e.Problem}
}

// parseValue reads a JSON text that is part of a message. The error is a [*FieldError].
func parseValue(text []byte) (jsonstream.Value, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return jsonstream.Value{}, &FieldError{Problem: "not a JSON value: " + err.Error()}
	}
	return doc.Root(), nil
}

// unmarshal sets the value that into points to from a JSON text. As encoding/json requires, null changes
// nothing.
func unmarshal(text []byte, into any) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil || doc.Root().Kind() == jsonstream.Null {
		return err
	}
	return codec{}.decode(doc.Root(), reflect.ValueOf(into).Elem())
}

// decode stores v in into, with copies of its bytes. The error is a [*FieldError].
func (c codec) decode(v jsonstream.Value, into reflect.Value) error {
	switch into.Type() {
	case rawMessage:
		into.SetBytes(bytes.Clone(v.Raw()))
		return nil
	case number:
		if v.Kind() != jsonstream.Number {
			return expected("a number", v)
		}
		into.SetString(string(v.Raw()))
		return nil
	}
	switch into.Kind() {
	case reflect.Pointer:
		if v.Kind() == jsonstream.Null {
			into.SetZero()
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		return c.decode(v, into.Elem())
	case reflect.Slice:
		return c.decodeArray(v, into)
	case reflect.Struct:
		return c.decodeObject(v, into)
	default:
		if v.Kind() != jsonstream.String {
			return expected("a string", v)
		}
		into.SetString(strings.Clone(v.Text()))
		return nil
	}
}

func (c codec) decodeArray(v jsonstream.Value, into reflect.Value) error {
	if v.Kind() != jsonstream.Array {
		return expected("an array", v)
	}
	n := v.Len()
	into.Set(reflect.MakeSlice(into.Type(), n, n))
	for i, element := range v.Elements() {
		if into.Type().Elem() == target && element.Kind() == jsonstream.String {
			into.Index(i).Set(reflect.ValueOf(ToAgent{AgentType: strings.Clone(element.Text())}))
			continue
		}
		if err := c.decode(element, into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c codec) decodeObject(v jsonstream.Value, into reflect.Value) error {
	if v.Kind() != jsonstream.Object {
		return expected("an object", v)
	}
	into.SetZero()
	l := c.layout(into.Type())
	var unknown []byte
	next := 0
	for name, value := range v.Members() {
		if at := l.find(name, next); at >= 0 {
			if err := c.decode(value, into.Field(l.members[at].index)); err != nil {
				return err
			}
			next = at + 1
			continue
		}
		unknown = append(append(append(append(unknown, ','), value.RawName()...), ':'), value.Raw()...)
	}
	if unknown != nil {
		unknown[0] = '{'
		into.Field(l.unknown).SetBytes(append(unknown, '}'))
	}
	return nil
}

func expected(what string, v jsonstream.Value) error {
	return &FieldError{v.Pointer(), fmt.Sprintf("expected %s, found %s", what, v.Kind())}
}
