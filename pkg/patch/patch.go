// Package patch applies JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386)
// documents, and takes back what a JSON Patch did.
//
// What a patch does not name stays as it is: the text of numbers and strings and
// the order of members; only white space around it may go. A patch is applied as
// a whole or not at all. It takes time nearly linear in the sizes of the document
// and the patch, whatever the patch does.
package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Type tells the two kinds of patches apart.
type Type string

// The types of patches. Auto takes an array for a JSON Patch and all else for a
// merge patch: a merge patch that is an array has to be named.
const (
	Auto  Type = "auto"
	JSON  Type = "json"
	Merge Type = "merge"
)

// A Patch says how to change a document. It is immutable and safe for concurrent
// use.
type Patch struct {
	operations []operation
	merge      jsonstream.Value // absent if this is a JSON Patch
}

// An operation is an element of a JSON Patch (RFC 6902, section 4).
type operation struct {
	op         string
	path, from string
	value      jsonstream.Value
	element    jsonstream.Value
}

// ErrIrreversible reports a patch that does not say what it removes or replaces.
var ErrIrreversible = errors.New("the patch does not say what stood there: make it with handoff diff -f jsonpatch --invertible")

// A FormatError reports a patch that is not one. Its text is for people and does
// not repeat the position.
type FormatError struct {
	jsonstream.Position        // of the fault, in the patch
	Problem             string // what is wrong, what was found, and what to do
}

func (e *FormatError) Error() string { return e.Problem }

// An OpError reports an operation of a JSON Patch that a document does not allow.
// Its text is for people and does not repeat the position.
type OpError struct {
	jsonstream.Position        // of the operation, in the patch
	Index               int    // of the operation, from 0
	Op                  string // its name
	Pointer             string // its path
	Err                 error  // what is wrong, and what was found
}

func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d (%s): %v", e.Index+1, strings.TrimSpace(e.Op+" "+shorten(e.Pointer)), e.Err)
}

func (e *OpError) Unwrap() error { return e.Err }

// A LimitError reports that what a patch makes would cost more than the limits
// allow.
type LimitError struct {
	Problem string
	Err     error // jsonstream.ErrTooLarge or jsonstream.ErrTooDeep
}

func (e *LimitError) Error() string { return e.Problem }

func (e *LimitError) Unwrap() error { return e.Err }

// Parse reads a patch of the type. It keeps the document. The error is a
// *FormatError.
func Parse(doc *jsonstream.Document, t Type) (*Patch, error) {
	root := doc.Root()
	isArray := root.Kind() == jsonstream.Array
	if t == Merge || t == Auto && !isArray {
		return &Patch{merge: root}, nil
	}
	if !isArray {
		return nil, &FormatError{root.Position(), fmt.Sprintf("a JSON Patch is an array of operations: found %s", article(root.Kind()))}
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

// parseOperation reads an operation. Members that it does not define are ignored.
func parseOperation(element jsonstream.Value) (operation, *FormatError) {
	o := operation{element: element, value: element.Get("value")}
	if element.Kind() != jsonstream.Object {
		return o, &FormatError{element.Position(), fmt.Sprintf("must be an object: found %s", article(element.Kind()))}
	}
	var err *FormatError
	if o.op, err = stringMember(element, "op"); err != nil {
		return o, err
	}
	needsValue, needsFrom := false, false
	switch o.op {
	case "remove":
	case "add", "replace", "test":
		needsValue = true
	case "move", "copy":
		needsFrom = true
	default:
		return o, &FormatError{element.Get("op").Position(),
			fmt.Sprintf("there is no operation %q: use add, remove, replace, move, copy or test", shorten(o.op))}
	}
	if o.path, err = memberPointer(element, "path"); err != nil {
		return o, err
	}
	if needsFrom {
		if o.from, err = memberPointer(element, "from"); err != nil {
			return o, err
		}
	}
	if needsValue && !o.value.Exists() {
		return o, &FormatError{element.Position(), fmt.Sprintf("%s needs the member \"value\"", o.op)}
	}
	if o.op == "move" && strings.HasPrefix(o.path, o.from+"/") {
		return o, &FormatError{element.Position(), fmt.Sprintf("a value cannot be moved into itself: from %s to %s", named(o.from), shorten(o.path))}
	}
	return o, nil
}

// stringMember returns a member that has to be a string.
func stringMember(element jsonstream.Value, name string) (string, *FormatError) {
	v := element.Get(name)
	switch v.Kind() {
	case jsonstream.String:
		return v.Text(), nil
	case jsonstream.Absent:
		return "", &FormatError{element.Position(), fmt.Sprintf("needs the member %q", name)}
	default:
		return "", &FormatError{v.Position(), fmt.Sprintf("%q must be a string: found %s", name, article(v.Kind()))}
	}
}

// memberPointer returns a member that has to be a JSON Pointer.
func memberPointer(element jsonstream.Value, name string) (string, *FormatError) {
	text, err := stringMember(element, name)
	if err != nil {
		return "", err
	}
	if strings.Count(text, "/") > jsonstream.MaxDepth {
		return "", &FormatError{element.Get(name).Position(), fmt.Sprintf("%q names a place more than %d levels deep", name, jsonstream.MaxDepth)}
	}
	if _, ok := jsonstream.SplitPointer(text); !ok {
		return "", &FormatError{element.Get(name).Position(),
			fmt.Sprintf("%q must be a JSON Pointer: found %q; it begins with / and has ~ as ~0", name, shorten(text))}
	}
	return text, nil
}

// Apply returns what the patch makes of a document, or an error: an [*OpError]
// where the document does not allow an operation, a [*LimitError] for a result
// over the limits. What the operations copy may not be longer, all together, than
// a document may be.
func (p *Patch) Apply(doc *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, error) {
	t := newTree(doc, limits)
	if p.merge.Exists() {
		t.root.merge(p.merge)
	}
	for i, o := range p.operations {
		if err := t.apply(o); err != nil {
			return nil, o.failed(i, err)
		}
	}
	return t.document()
}

func (o operation) failed(index int, err error) *OpError {
	return &OpError{Position: o.element.Position(), Index: index, Op: o.op, Pointer: o.path, Err: err}
}
