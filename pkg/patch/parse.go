package patch

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An operation is an element of a JSON Patch (RFC 6902, section 4).
type operation struct {
	op         string
	path, from string
	value      jsonstream.Value
	element    jsonstream.Value
}

// needs are the operations, each with the member that it requires in addition to its path.
var needs = map[string]string{"add": "value", "remove": "", "replace": "value", "move": "from", "copy": "from", "test": "value"}

// A FormatError reports an invalid patch. Its text is for people and omits the position.
type FormatError struct {
	jsonstream.Position        // of the fault, in the patch
	Problem             string // the fault, the value found, the remedy
}

func (e *FormatError) Error() string { return e.Problem }

func formatError(at jsonstream.Value, format string, args ...any) *FormatError {
	return &FormatError{at.Position(), fmt.Sprintf(format, args...)}
}

// Parse parses a patch of type t from a document, which it keeps. The error is a [*FormatError].
func Parse(doc *jsonstream.Document, t Type) (*Patch, error) {
	root := doc.Root()
	isArray := root.Kind() == jsonstream.Array
	if t == Merge || t == Auto && !isArray {
		return &Patch{merge: root}, nil
	}
	if !isArray {
		return nil, formatError(root, "a JSON Patch is an array of operations: found %s", finding.KindName(root.Kind()))
	}
	p := &Patch{}
	for i, element := range root.Elements() {
		o, err := parseOperation(element)
		if err != nil {
			err.Problem = fmt.Sprintf("operation %d: %s", i+1, err.Problem)
			return nil, err
		}
		p.operations = append(p.operations, o)
	}
	return p, nil
}

// parseOperation parses an operation. Members that it does not define are ignored.
func parseOperation(element jsonstream.Value) (o operation, err *FormatError) {
	o = operation{element: element, value: element.Get("value")}
	if element.Kind() != jsonstream.Object {
		return o, formatError(element, "must be an object: found %s", finding.KindName(element.Kind()))
	}
	if o.op, err = stringMember(element, "op"); err != nil {
		return o, err
	}
	needed, known := needs[o.op]
	if !known {
		return o, formatError(element.Get("op"), "unknown operation %s: use add, remove, replace, move, copy or test", finding.Quote(o.op))
	}
	if o.path, err = pointerMember(element, "path"); err != nil {
		return o, err
	}
	switch needed {
	case "from":
		if o.from, err = pointerMember(element, "from"); err != nil {
			return o, err
		}
	case "value":
		if !o.value.Exists() {
			return o, formatError(element, "%s needs the member \"value\"", o.op)
		}
	}
	if o.op == "move" && strings.HasPrefix(o.path, o.from+"/") {
		return o, formatError(element, "a value cannot be moved into itself: from %s to %s", named(o.from), named(o.path))
	}
	return o, nil
}

// stringMember returns a member that must be a string.
func stringMember(element jsonstream.Value, name string) (string, *FormatError) {
	v := element.Get(name)
	switch v.Kind() {
	case jsonstream.String:
		return v.Text(), nil
	case jsonstream.Absent:
		return "", formatError(element, "needs the member %q", name)
	default:
		return "", formatError(v, "%q must be a string: found %s", name, finding.KindName(v.Kind()))
	}
}

// pointerMember returns a member that must be a JSON Pointer.
func pointerMember(element jsonstream.Value, name string) (string, *FormatError) {
	text, err := stringMember(element, name)
	if err != nil {
		return "", err
	}
	if strings.Count(text, "/") > jsonstream.MaxDepth {
		return "", formatError(element.Get(name), "%q names a place more than %d levels deep", name, jsonstream.MaxDepth)
	}
	if _, ok := jsonstream.SplitPointer(text); !ok {
		return "", formatError(element.Get(name), "%q must be a JSON Pointer: found %s; it begins with / and has ~ as ~0", name, finding.Quote(text))
	}
	return text, nil
}
