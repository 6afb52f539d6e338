package build

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An InputError reports a state or a parent from which no message can be built.
type InputError struct {
	Input    string              // State or Parent
	Pointer  string              // JSON Pointer into it, "" for its root
	Position jsonstream.Position // of that value, or of the innermost existing one around it
	Problem  string              // the fault, the value found and the remedy, without the place
	Err      error               // the cause, or nil

	bySchema bool   // cannot occur in a document that has passed its schema
	option   string // the field of Options that is another remedy
}

// Error returns the input, the pointer and the problem, without the position.
func (e *InputError) Error() string {
	if e.Pointer == "" {
		return e.Input + ": " + e.Problem
	}
	return e.Input + ": " + e.Pointer + ": " + e.Problem
}

func (e *InputError) Unwrap() error { return e.Err }

// An input is a document that supplies members of the message.
type input struct {
	name string
	root jsonstream.Value
	note func(error)
}

// fail notes an error and returns it.
func (in input) fail(pointer, format string, args ...any) *InputError {
	e := &InputError{
		Input:    in.name,
		Pointer:  pointer,
		Position: in.root.Around(pointer).Position(),
		Problem:  fmt.Sprintf(format, args...),
	}
	in.note(e)
	return e
}

// expect notes an error unless a value is of a kind.
func (in input) expect(pointer string, v jsonstream.Value, kind jsonstream.Kind) {
	if found := v.Kind(); found != kind {
		in.fail(pointer, "expected %s, found %s", withArticle(kind), withArticle(found)).bySchema = true
	}
}

func withArticle(k jsonstream.Kind) string {
	switch k {
	case jsonstream.Absent, jsonstream.Null:
		return k.String()
	case jsonstream.Object, jsonstream.Array:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

// get returns a member that may be absent, but must not be of another kind.
func (in input) get(name string, kind jsonstream.Kind) jsonstream.Value {
	v := in.root.Get(name)
	if v.Exists() {
		in.expect("/"+name, v, kind)
	}
	return v
}

// list returns the elements of a member, none if it is absent.
func (in input) list(name string) []jsonstream.Value {
	var list []jsonstream.Value
	for _, element := range in.get(name, jsonstream.Array).Elements() {
		list = append(list, element)
	}
	return list
}

// number returns the exact value of a required number.
func (in input) number(pointer string) message.Decimal {
	v := in.root.At(pointer)
	if in.expect(pointer, v, jsonstream.Number); v.Kind() != jsonstream.Number {
		return message.Decimal{}
	}
	d, err := message.Number(v.Raw()).Decimal()
	if err != nil {
		in.fail(pointer, "cannot be added exactly: %v", err).bySchema = true
	}
	return d
}

// array returns the JSON text of an array of unchanged values.
func array(list []jsonstream.Value) []byte {
	dst := []byte{'['}
	for _, v := range list {
		dst = append(jsonstream.AppendComma(dst), v.Raw()...)
	}
	return append(dst, ']')
}
