package diff

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// A NullError reports a null member of the new document, which a merge patch cannot express:
// there, null means removal. Its text is for people and does not repeat the place.
type NullError struct {
	jsonstream.Position        // of the null, in the new document
	Pointer             string // JSON Pointer to it
}

func (e *NullError) Error() string { return "a merge patch cannot set null" }

// MergePatch returns the merge patch (RFC 7386), on one line, that turns a into b, from the
// result of [Compare] with the same options. Arrays are replaced as a whole, including the
// elements that the options leave out. If b has a null that would have to be set, the error is
// a [*NullError].
//
// The patch has been applied to a, and the result compared with b.
func MergePatch(a, b *jsonstream.Document, e *Edit, o Options) ([]byte, error) {
	relation := o.relation()
	var text []byte
	var err error
	switch {
	case e == nil && a.Root().Kind() == jsonstream.Object:
		text = []byte("{}")
	case e == nil:
		text = jsonstream.AppendCompact(nil, a.Root().Raw()) // replaced by itself
	case b.Root().Kind() == jsonstream.Null:
		text = []byte("null")
	default:
		text, err = appendMerge(nil, relation, e)
	}
	if err == nil {
		err = leadsTo(a, b, relation, text, patch.Merge)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// appendMerge appends the merge patch for a value that changed.
func appendMerge(dst []byte, r equal.Relation, e *Edit) ([]byte, error) {
	if e.Edits == nil || e.New.Kind() != jsonstream.Object {
		return appendWhole(dst, r, e.New)
	}
	dst = append(dst, '{')
	for i, inner := range e.Edits {
		name := inner.Old.Name()
		if inner.Kind == Added {
			name = inner.New.Name()
		}
		dst = appendName(dst, i, name)
		if inner.Kind == Removed {
			dst = append(dst, "null"...)
			continue
		}
		below, _ := r.Below(name)
		var err error
		if dst, err = appendMerge(dst, below, inner); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendName(dst []byte, before int, name string) []byte {
	if before > 0 {
		dst = append(dst, ',')
	}
	return append(appendQuote(dst, name), ':')
}

// appendWhole appends a value that is added, or that replaces a value other than an object.
func appendWhole(dst []byte, r equal.Relation, v jsonstream.Value) ([]byte, error) {
	switch v.Kind() {
	case jsonstream.Null:
		return nil, &NullError{v.Position(), v.Pointer()}
	case jsonstream.Object:
	default:
		return jsonstream.AppendCompact(dst, v.Raw()), nil
	}
	dst = append(dst, '{')
	for i, child := range r.Children(v) {
		dst = appendName(dst, i, child.Value.Name())
		var err error
		if dst, err = appendWhole(dst, child.Relation, child.Value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
