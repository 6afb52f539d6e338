package patch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrIrreversible reports a patch that does not have a removed or replaced value.
var ErrIrreversible = errors.New("the patch does not contain the old values")

// ErrNotResult reports a document that is not a result of the patch.
var ErrNotResult = errors.New("the document is not the result of this patch, so the patch cannot be undone")

// Reverse returns the document for which Apply returns result. Restored members come after the others.
//
// A removed or replaced value is known only from a test of the same path directly before the operation;
// without the test, the error is an [*OpError] wrapping [ErrIrreversible]. An operation that adds, moves or
// copies to a member is assumed to have created it, unless there is such a test. Merge patches are not
// reversible. Reverse checks its result: if the patch does not lead from it to result, the error is
// [ErrNotResult]. Reverse also returns the errors of Apply.
func (p *Patch) Reverse(result *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, error) {
	if p.merge.Exists() {
		return nil, fmt.Errorf("a merge patch cannot be undone: %w", ErrIrreversible)
	}
	r := newRun(result, limits)
	for i := len(p.operations) - 1; i >= 0; i-- {
		o := p.operations[i]
		var old jsonstream.Value
		if i > 0 && p.operations[i-1].op == "test" && p.operations[i-1].path == o.path {
			old = p.operations[i-1].value
		}
		if err := r.undo(o, old); err != nil {
			return nil, o.failed(i, fmt.Errorf("cannot be undone: %w", err))
		}
	}
	doc, err := r.document(r.root)
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

// undo undoes an operation. old is the value at its path before the operation, absent if unknown.
func (r *run) undo(o operation, old jsonstream.Value) error {
	switch o.op {
	case "test":
		return r.test(o.path, o.value)
	case "remove", "replace":
		if !old.Exists() {
			return ErrIrreversible
		}
		if o.op == "replace" {
			return r.replace(o.path, old)
		}
		return r.add(o.path, jsonstream.NewDraft(old))
	case "move":
		if o.from == o.path {
			return nil
		}
		d, replaced, err := r.undoAdd(o.path, old)
		if err != nil || replaced && strings.HasPrefix(o.from, o.path+"/") {
			return err // the old value holds the moved one
		}
		return r.add(o.from, d)
	default: // add, copy
		_, _, err := r.undoAdd(o.path, old)
		return err
	}
}

// undoAdd removes an added value and returns it. If it had replaced the old value, undoAdd restores that
// and reports it.
func (r *run) undoAdd(pointer string, old jsonstream.Value) (added *jsonstream.Draft, replaced bool, err error) {
	if pointer == "" && !old.Exists() {
		return nil, false, ErrIrreversible
	}
	if pointer != "" {
		holder, token, err := r.holder(pointer)
		if err != nil {
			return nil, false, err
		}
		isArray := holder.Kind() == jsonstream.Array
		if isArray && token == "-" && holder.Len() > 0 {
			token = strconv.Itoa(holder.Len() - 1)
		}
		if isArray || !old.Exists() {
			added, err := take(holder, token)
			return added, false, err
		}
	}
	d, err := r.find(pointer)
	if err != nil {
		return nil, false, err
	}
	taken := *d
	d.Replace(jsonstream.NewDraft(old))
	return &taken, true, nil
}
