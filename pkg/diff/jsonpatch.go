package diff

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// ErrNoPatch reports that a patch would have to change values that the options leave out.
var ErrNoPatch = errors.New("no patch leads from one document to the other without a change of the ignored values: ignore fewer")

// JSONPatch returns the JSON Patch (RFC 6902), on one line, that turns a into b, from the
// result of [Compare] with the same options. If it would be many times as long as the
// documents, it replaces the root instead. An invertible patch tests each value before it
// removes or replaces it, so that it can be undone.
//
// The patch has been applied to a, and the result compared with b. Values of a that the
// options leave out are not changed, unless a value around them is removed or replaced. If no
// patch does both, the error is [ErrNoPatch].
func JSONPatch(a, b *jsonstream.Document, e *Edit, o Options, invertible bool) ([]byte, error) {
	relation := o.relation()
	for _, late := range []bool{false, true} { // the second differs only if the first fails
		w := operations{invertible: invertible, late: late, limit: 8*(len(a.Raw().Bytes)+len(b.Raw().Bytes)) + 1<<16}
		err := w.inside("", sides{relation, relation}, e)
		if err == nil {
			err = leadsTo(a, b, relation, w.text(), patch.JSON)
		}
		if err == nil {
			return w.text(), nil
		}
	}
	if len(o.Ignore)+len(o.Only) > 0 {
		return nil, ErrNoPatch
	}
	w := operations{invertible: invertible, limit: math.MaxInt}
	if err := w.replace("", a.Root(), b.Root()); err != nil {
		return nil, err
	}
	if err := leadsTo(a, b, relation, w.text(), patch.JSON); err != nil {
		return nil, err
	}
	return w.text(), nil
}

// leadsTo applies a patch to a and compares the result with b.
func leadsTo(a, b *jsonstream.Document, relation equal.Relation, text []byte, t patch.Type) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return fmt.Errorf("the patch that was made is damaged: %w", err)
	}
	p, err := patch.Parse(doc, t)
	if err != nil {
		return fmt.Errorf("the patch that was made is invalid: %w", err)
	}
	result, err := p.Apply(a, jsonstream.Unlimited())
	if err != nil {
		return fmt.Errorf("the patch that was made does not fit: %w", err)
	}
	if !relation.Equal(result.Root(), b.Root()) {
		return errors.New("the patch that was made gives another document")
	}
	return nil
}

// sides are the masks of an old value and of its new one. They differ inside arrays, where
// indices may change.
type sides struct{ old, new equal.Relation }

func (s sides) below(oldToken, newToken string) sides {
	s.old, _ = s.old.Below(oldToken)
	s.new, _ = s.new.Below(newToken)
	return s
}

// leftOut returns the members of the old object that are left out. One of them may be compared
// in the object's new place.
func (s sides) leftOut(object jsonstream.Value) map[string]jsonstream.Value {
	if s.old.Mask.Open() {
		return nil
	}
	members := make(map[string]jsonstream.Value)
	for name, member := range object.Members() {
		if _, counts := s.old.Below(name); !counts {
			members[name] = member
		}
	}
	return members
}

// operations is a JSON Patch under construction.
type operations struct {
	dst        []byte
	invertible bool
	late       bool // see placing
	limit      int  // maximum length in bytes, after which the patch is abandoned
}

var errLong = errors.New("the patch is longer than what it replaces")

// text returns the patch.
func (w *operations) text() []byte {
	if len(w.dst) == 0 {
		return []byte("[]")
	}
	return append(w.dst, ']')
}

// begin writes an operation up to its path.
func (w *operations) begin(op, path string) error {
	if len(w.dst) > w.limit {
		return errLong
	}
	separator := byte('[')
	if len(w.dst) > 0 {
		separator = ','
	}
	w.dst = append(w.dst, separator)
	w.dst = append(w.dst, `{"op":"`...)
	w.dst = append(w.dst, op...)
	w.dst = append(w.dst, `","path":`...)
	w.dst = appendQuote(w.dst, path)
	return nil
}

func (w *operations) withValue(op, path string, v jsonstream.Value) error {
	err := w.begin(op, path)
	w.dst = append(w.dst, `,"value":`...)
	w.dst = append(jsonstream.AppendCompact(w.dst, v.Raw()), '}')
	return err
}

func (w *operations) test(path string, v jsonstream.Value) error {
	if !w.invertible {
		return nil
	}
	return w.withValue("test", path, v)
}

func (w *operations) remove(path string, old jsonstream.Value) error {
	if err := w.test(path, old); err != nil {
		return err
	}
	err := w.begin("remove", path)
	w.dst = append(w.dst, '}')
	return err
}

func (w *operations) replace(path string, old, new jsonstream.Value) error {
	if err := w.test(path, old); err != nil {
		return err
	}
	return w.withValue("replace", path, new)
}

func (w *operations) move(from, to string) error {
	err := w.begin("move", to)
	w.dst = append(w.dst, `,"from":`...)
	w.dst = append(appendQuote(w.dst, from), '}')
	return err
}

// appendQuote appends a name or pointer of a document as a JSON string.
func appendQuote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // cannot fail: text comes from a document
	return dst
}

// inside writes the changes in the value at path.
func (w *operations) inside(path string, r sides, e *Edit) error {
	if e == nil || e.Kind == Moved && e.Edits == nil {
		return nil
	}
	if e.Edits == nil {
		return w.replace(path, e.Old, e.New)
	}
	if e.Old.Kind() == jsonstream.Array {
		return w.array(path, r, e)
	}
	leftOut := r.leftOut(e.Old)
	for _, inner := range e.Edits {
		var err error
		switch inner.Kind {
		case Added:
			name := inner.New.Name()
			if was, ok := leftOut[name]; ok {
				err = w.replace(jsonstream.AppendPointer(path, name), was, inner.New)
			} else {
				err = w.withValue("add", jsonstream.AppendPointer(path, name), inner.New)
			}
		case Removed:
			err = w.remove(jsonstream.AppendPointer(path, inner.Old.Name()), inner.Old)
		default:
			name := inner.Old.Name()
			err = w.inside(jsonstream.AppendPointer(path, name), r.below(name, name), inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array writes the changes in an array: removals, from the end; additions and moves, in
// the order of New; and last the changes inside elements.
func (w *operations) array(path string, r sides, e *Edit) error {
	p, err := newPlacing(r, e, w.late)
	if err != nil {
		return err
	}
	at := func(index int) string { return path + "/" + strconv.Itoa(index) }
	for _, old := range slices.Backward(p.removed) {
		if err := w.remove(at(old.Index()), old); err != nil {
			return err
		}
	}
	type change struct {
		edit   *Edit
		placed int
		behind int
	}
	var changes []change
	for placed, child := range r.new.Children(e.New) {
		edit := p.edits[child.Value.Index()]
		var err error
		switch {
		case edit == nil || edit.Kind == Changed:
			err = p.stays(edit)
		case edit.Kind == Added:
			err = w.withValue("add", at(p.insert(placed)), edit.New)
		default:
			if from, to := p.move(placed, edit.Old.Index()); from != to {
				err = w.move(at(from), at(to))
			}
		}
		if err != nil {
			return err
		}
		if edit != nil && edit.Kind != Added {
			changes = append(changes, change{edit, placed, p.last})
		}
	}
	for _, c := range changes {
		below := r.below(strconv.Itoa(c.edit.Old.Index()), strconv.Itoa(c.edit.New.Index()))
		if err := w.inside(at(c.placed+p.pending.before(c.behind)), below, c.edit); err != nil {
			return err
		}
	}
	return nil
}
