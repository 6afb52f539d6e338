package build

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An InputError reports a state or a parent that no message can be built from.
type InputError struct {
	Input    string              // "state" or "parent"
	Pointer  string              // JSON Pointer into it, "" for its root
	Position jsonstream.Position // of that value, or of the innermost one around it that is there
	Problem  string              // what is wrong, what was found, what to do: without the place
	Err      error               // the cause, or nil
}

// Error gives the input, the pointer and the problem; not the position.
func (e *InputError) Error() string {
	if e.Pointer == "" {
		return e.Input + ": " + e.Problem
	}
	return e.Input + ": " + e.Pointer + ": " + e.Problem
}

func (e *InputError) Unwrap() error { return e.Err }

// An input is a document that members of the message come from.
type input struct {
	name string
	root jsonstream.Value
}

func (in input) fail(pointer, format string, args ...any) *InputError {
	around := pointer
	for !in.root.At(around).Exists() && around != "" {
		around = around[:strings.LastIndexByte(around, '/')]
	}
	return &InputError{
		Input:    in.name,
		Pointer:  pointer,
		Position: in.root.At(around).Position(),
		Problem:  fmt.Sprintf(format, args...),
	}
}

func (in input) expect(pointer string, v jsonstream.Value, kind jsonstream.Kind) error {
	if found := v.Kind(); found != kind {
		return in.fail(pointer, "expected %s, found %s", withArticle(kind), withArticle(found))
	}
	return nil
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
func (in input) get(name string, kind jsonstream.Kind) (jsonstream.Value, error) {
	v := in.root.Get(name)
	if !v.Exists() {
		return v, nil
	}
	return v, in.expect("/"+name, v, kind)
}

// list returns the elements of a member, none if it is absent.
func (in input) list(name string) ([]jsonstream.Value, error) {
	v, err := in.get(name, jsonstream.Array)
	if err != nil {
		return nil, err
	}
	var list []jsonstream.Value
	for _, element := range v.Elements() {
		list = append(list, element)
	}
	return list, nil
}

// number returns the exact value of a number that must be there.
func (in input) number(pointer string) (message.Decimal, error) {
	v := in.root.At(pointer)
	if err := in.expect(pointer, v, jsonstream.Number); err != nil {
		return message.Decimal{}, err
	}
	d, err := message.Number(v.Raw()).Decimal()
	if err != nil {
		return message.Decimal{}, in.fail(pointer, "cannot be added exactly: %v", err)
	}
	return d, nil
}

// appendArray appends an array of values as they are.
func appendArray(dst []byte, list []jsonstream.Value) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v.Raw()...)
	}
	return append(dst, ']')
}
