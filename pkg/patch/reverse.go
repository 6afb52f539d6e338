package patch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrNotResult reports a document that the patch does not lead to.
var ErrNotResult = errors.New("the patch does not lead to this document, so that it cannot be undone here")

// Reverse returns the document that the patch makes result of. Members that come
// back stand behind the others.
//
// A removed or replaced value is known if a test of the same path stands directly
// before the operation; without it, the error is an [*OpError] wrapping
// [ErrIrreversible]. An operation that adds, moves or copies to a member is taken to
// have made it, unless there is such a test. Merge patches are not reversible.
// What comes out is checked: if the patch does not lead from there to result, the
// error is [ErrNotResult]. Other errors are those of Apply.
func (p *Patch) Reverse(result *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, error) {
	if p.merge.Exists() {
		return nil, fmt.Errorf("a merge patch cannot be undone: %w", ErrIrreversible)
	}
	t := newTree(result, limits)
	for i := len(p.operations) - 1; i >= 0; i-- {
		o := p.operations[i]
		var old jsonstream.Value
		if i > 0 && p.operations[i-1].op == "test" && p.operations[i-1].path == o.path {
			old = p.operations[i-1].value
		}
		if err := t.undo(o, old); err != nil {
			return nil, o.failed(i, fmt.Errorf("cannot be undone: %w", err))
		}
	}
	doc, err := t.document()
	if err != nil {
		return nil, err
	}
	again, err := p.Apply(doc, limits)
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		return nil, err
	}
	if err != nil || !equal.Values(again.Root(), result.Root()) {
		return nil, ErrNotResult
	}
	return doc, nil
}

// undo takes back an operation. old is what stood at its path before, absent if
// that is not known.
func (t *tree) undo(o operation, old jsonstream.Value) error {
	switch o.op {
	case "test":
		return t.test(o.path, o.value)
	case "remove":
		if !old.Exists() {
			return ErrIrreversible
		}
		return t.add(o.path, node{value: old})
	case "replace":
		if !old.Exists() {
			return ErrIrreversible
		}
		return t.replace(o.path, old)
	case "move":
		if o.from == o.path {
			return nil
		}
		n, replaced, err := t.undoAdd(o.path, old)
		if err != nil || replaced && strings.HasPrefix(o.from, o.path+"/") {
			return err // the old value holds what was moved
		}
		return t.add(o.from, n)
	default: // add, copy
		_, _, err := t.undoAdd(o.path, old)
		return err
	}
}

// undoAdd takes away what was added and returns it, and whether it had replaced
// the old value, which is put back.
func (t *tree) undoAdd(pointer string, old jsonstream.Value) (added node, replaced bool, err error) {
	if pointer == "" && !old.Exists() {
		return node{}, false, ErrIrreversible
	}
	if pointer != "" {
		c, token, err := t.holder(pointer)
		if err != nil {
			return node{}, false, err
		}
		if c.kind == jsonstream.Array && token == "-" && c.elements.count > 0 {
			token = strconv.Itoa(c.elements.count - 1)
		}
		if c.kind == jsonstream.Array || !old.Exists() {
			added, err := c.remove(token)
			return added, false, err
		}
	}
	n, err := t.find(pointer)
	if err != nil {
		return node{}, false, err
	}
	added, *n = *n, node{value: old}
	return added, true, nil
}
