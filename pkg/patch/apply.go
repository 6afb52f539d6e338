package patch

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func (o operation) failed(index int, err error) *OpError {
	return &OpError{Position: o.element.Position(), Index: index, Op: o.op, Pointer: o.path, Err: err}
}

// apply applies an operation.
func (r *run) apply(o operation) error {
	switch o.op {
	case "add":
		return r.add(o.path, jsonstream.NewDraft(o.value))
	case "remove":
		_, err := r.remove(o.path)
		return err
	case "replace":
		return r.replace(o.path, o.value)
	case "move":
		return r.move(o.from, o.path)
	case "copy":
		return r.copy(o.from, o.path)
	default:
		return r.test(o.path, o.value)
	}
}

func (r *run) add(pointer string, d *jsonstream.Draft) error {
	if pointer == "" {
		r.root = d
		return nil
	}
	holder, token, err := r.holder(pointer)
	if err != nil || holder.Insert(token, d) {
		return err
	}
	if _, ok := jsonstream.ArrayIndex(token); !ok {
		return notIndex(token)
	}
	return fmt.Errorf("the place does not exist: %s", length(holder))
}

func (r *run) remove(pointer string) (*jsonstream.Draft, error) {
	if pointer == "" {
		return nil, errors.New("the root cannot be removed: replace it")
	}
	holder, token, err := r.holder(pointer)
	if err != nil {
		return nil, err
	}
	return take(holder, token)
}

// take removes a value from an object or array.
func take(holder *jsonstream.Draft, token string) (*jsonstream.Draft, error) {
	if d := holder.Take(token); d != nil {
		return d, nil
	}
	return nil, missing(holder, token)
}

func (r *run) replace(pointer string, value jsonstream.Value) error {
	d, err := r.find(pointer)
	if err == nil {
		d.Replace(jsonstream.NewDraft(value))
	}
	return err
}

func (r *run) move(from, to string) error {
	if from == to {
		_, err := r.find(from)
		return err
	}
	d, err := r.remove(from)
	if err != nil {
		return fmt.Errorf("from %s: %w", named(from), err)
	}
	return r.add(to, d)
}

var errCopies = &LimitError{"the values that the patch copies are longer than the limit for a document", jsonstream.ErrTooLarge}

func (r *run) copy(from, to string) error {
	d, err := r.find(from)
	if err != nil {
		return fmt.Errorf("from %s: %w", named(from), err)
	}
	v := d.Value()
	if !v.Exists() { // A changed value becomes a document of its own, as small as others.
		doc, err := r.document(d)
		if err != nil && !errors.Is(err, jsonstream.ErrTooLarge) {
			return err
		}
		if err != nil {
			return errCopies
		}
		v = doc.Root()
	}
	if r.spare -= int64(len(v.Raw())); r.spare < 0 {
		return errCopies
	}
	return r.add(to, jsonstream.NewDraft(v))
}

// find returns the value at a pointer. The error describes why there is none.
func (r *run) find(pointer string) (*jsonstream.Draft, error) {
	tokens, _ := jsonstream.SplitPointer(pointer) // Parse has checked it
	return r.walk(tokens, len(tokens))
}

// holder returns the object or array that holds the place of a pointer, which is not the root, and the
// pointer's last token.
func (r *run) holder(pointer string) (*jsonstream.Draft, string, error) {
	tokens, _ := jsonstream.SplitPointer(pointer) // Parse has checked it
	last := len(tokens) - 1
	d, err := r.walk(tokens, last)
	if err == nil {
		err = holds(d, tokens[:last])
	}
	return d, tokens[last], err
}

// walk follows the first n tokens of a pointer.
func (r *run) walk(tokens []string, n int) (*jsonstream.Draft, error) {
	d := r.root
	for i, token := range tokens[:n] {
		next := d.Child(token)
		if next == nil {
			err := holds(d, tokens[:i])
			if err == nil {
				err = missing(d, token)
				if i < len(tokens)-1 {
					err = fmt.Errorf("at %s: %w", named(join(tokens[:i+1])), err)
				}
			}
			return nil, err
		}
		d = next
	}
	return d, nil
}

// join returns the pointer of some tokens, long enough for an error.
func join(tokens []string) string {
	pointer := ""
	for _, token := range tokens {
		if pointer = jsonstream.AppendPointer(pointer, token); len(pointer) > 256 {
			break
		}
	}
	return pointer
}

// holds returns an error if a value cannot hold other values.
func holds(d *jsonstream.Draft, tokens []string) error {
	if k := d.Kind(); k != jsonstream.Object && k != jsonstream.Array {
		return fmt.Errorf("%s is %s, which has no members or elements", named(join(tokens)), finding.KindName(k))
	}
	return nil
}

// missing returns the error for a token that an object or array does not have.
func missing(d *jsonstream.Draft, token string) error {
	if d.Kind() == jsonstream.Object {
		return errors.New("the member does not exist")
	}
	if token == "-" {
		return errors.New("- is the place after the last element, where no value is")
	}
	if _, ok := jsonstream.ArrayIndex(token); !ok {
		return notIndex(token)
	}
	return fmt.Errorf("the element does not exist: %s", length(d))
}

func notIndex(token string) error {
	return fmt.Errorf("%s is not an index of an array: digits, without leading zeros", finding.Quote(token))
}

// length describes the length of an array.
func length(d *jsonstream.Draft) string {
	switch n := d.Len(); n {
	case 0:
		return "the array is empty"
	case 1:
		return "the array has 1 element"
	default:
		return fmt.Sprintf("the array has %d elements", n)
	}
}
