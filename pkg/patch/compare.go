package patch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// test compares values as in RFC 6902, section 4.6.
func (r *run) test(pointer string, want jsonstream.Value) error {
	d, err := r.find(pointer)
	if err != nil {
		return err
	}
	if v := d.Value(); v.Exists() && !longer(v, want) && equal.Values(v, want) {
		return nil
	}
	err = r.differ(d, want)
	if at := (*difference)(nil); errors.As(err, &at) && len(at.path) > 0 {
		slices.Reverse(at.path)
		tokens, _ := jsonstream.SplitPointer(pointer)
		return fmt.Errorf("at %s: %w", named(join(append(tokens, at.path...))), err)
	}
	return err
}

// longer reports whether v is so much longer than other that comparing them would cost more than other's
// length justifies. Strings are then different: an escape has six characters for one.
func longer(v, other jsonstream.Value) bool { return len(v.Raw()) > 8*len(other.Raw())+256 }

// A difference is an error that describes the difference of two values.
type difference struct {
	path    []string // from the compared values to the differing ones, last token first
	problem string
}

func (d *difference) Error() string { return d.problem }

// below moves a difference below a token.
func below(err error, token string) error {
	if d := (*difference)(nil); errors.As(err, &d) {
		d.path = append(d.path, token)
	}
	return err
}

// differ returns the difference between a draft and a value, nil if they are equal. It takes time
// proportional to the size of the value.
func (r *run) differ(d *jsonstream.Draft, want jsonstream.Value) error {
	if d.Kind() != want.Kind() {
		return different(d, want)
	}
	switch v := d.Value(); d.Kind() {
	case jsonstream.Object:
		for name, w := range want.Members() {
			child := d.Child(name)
			if child == nil {
				return below(&difference{problem: missing(d, name).Error()}, name)
			}
			if err := r.differ(child, w); err != nil {
				return below(err, name)
			}
		}
		if has := want.Len(); d.Len() > has {
			return &difference{problem: fmt.Sprintf("the object has %d members, not %d", d.Len(), has)}
		}
		return nil
	case jsonstream.Array:
		if has := want.Len(); has != d.Len() {
			return &difference{problem: fmt.Sprintf("%s, not %d", length(d), has)}
		}
		w := want.First()
		for _, child := range d.Children() {
			if err := r.differ(child, w); err != nil {
				return below(err, strconv.Itoa(w.Index()))
			}
			w = w.Next()
		}
		return nil
	case jsonstream.String:
		if longer(v, want) {
			return different(d, want)
		}
	case jsonstream.Number:
		if longer(v, want) {
			if r.spare -= int64(len(v.Raw())); r.spare < 0 {
				return &LimitError{"the values that the patch compares are longer than the limit for a document", jsonstream.ErrTooLarge}
			}
		}
	}
	if !equal.Values(d.Value(), want) {
		return different(d, want)
	}
	return nil
}

func different(d *jsonstream.Draft, want jsonstream.Value) error {
	have := finding.KindName(d.Kind())
	if v := d.Value(); v.Exists() {
		have = finding.Literal(v)
	}
	return &difference{problem: fmt.Sprintf("the value is %s, not %s", have, finding.Literal(want))}
}

// named returns a pointer as a phrase.
func named(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return finding.Shorten(finding.Pointer(pointer))
}
