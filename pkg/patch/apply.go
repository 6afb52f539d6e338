package patch

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// apply does what an operation says.
func (t *tree) apply(o operation) error {
	switch o.op {
	case "add":
		return t.add(o.path, node{value: o.value})
	case "remove":
		_, err := t.remove(o.path)
		return err
	case "replace":
		return t.replace(o.path, o.value)
	case "move":
		return t.move(o.from, o.path)
	case "copy":
		return t.copy(o.from, o.path)
	default:
		return t.test(o.path, o.value)
	}
}

func (t *tree) add(pointer string, n node) error {
	if pointer == "" {
		t.root = n
		return nil
	}
	c, token, err := t.holder(pointer)
	if err != nil {
		return err
	}
	return c.add(token, n)
}

func (t *tree) remove(pointer string) (node, error) {
	if pointer == "" {
		return node{}, errors.New("the root cannot be removed: replace it")
	}
	c, token, err := t.holder(pointer)
	if err != nil {
		return node{}, err
	}
	return c.remove(token)
}

func (t *tree) replace(pointer string, value jsonstream.Value) error {
	n, err := t.find(pointer)
	if err == nil {
		*n = node{value: value}
	}
	return err
}

func (t *tree) move(from, to string) error {
	if from == to {
		_, err := t.find(from)
		return err
	}
	n, err := t.remove(from)
	if err != nil {
		return fmt.Errorf("from %s: %w", named(from), err)
	}
	return t.add(to, n)
}

func (t *tree) copy(from, to string) error {
	n, err := t.find(from)
	if err != nil {
		return fmt.Errorf("from %s: %w", named(from), err)
	}
	copied, err := t.copied(n)
	if err != nil {
		return err
	}
	return t.add(to, copied)
}

// test compares as RFC 6902, section 4.6, has it.
func (t *tree) test(pointer string, want jsonstream.Value) error {
	n, err := t.find(pointer)
	if err != nil {
		return err
	}
	if n.open == nil && !longer(n.value, want) && equal.Values(n.value, want) {
		return nil
	}
	err = t.differ(n, want)
	if d := (*difference)(nil); errors.As(err, &d) && len(d.path) > 0 {
		place := pointer
		for i := len(d.path) - 1; i >= 0 && len(place) < 2*mostShown; i-- {
			place = jsonstream.AppendPointer(place, d.path[i])
		}
		return fmt.Errorf("at %s: %w", shorten(place), err)
	}
	return err
}

// longer reports whether a value is so much longer than another one that to
// compare them would cost more than the other one's length accounts for. Strings
// are then different: an escape is six characters for one.
func longer(v, other jsonstream.Value) bool { return len(v.Raw()) > 8*len(other.Raw())+256 }

// A difference is an error that tells how two values differ.
type difference struct {
	path    []string // from the values that were compared to those that differ, last token first
	problem string
}

func (d *difference) Error() string { return d.problem }

// differ returns how the node differs from a value, nil if they are equal. It
// takes no longer than the value accounts for.
func (t *tree) differ(n *node, want jsonstream.Value) error {
	if n.kind() != want.Kind() {
		return different(n, want)
	}
	c := n.expand()
	switch n.kind() {
	case jsonstream.Object:
		return t.differObject(c, want)
	case jsonstream.Array:
		if has := want.Len(); has != c.elements.count {
			return &difference{problem: fmt.Sprintf("%s, not %d", c.length(), has)}
		}
		for i, v := range want.Elements() {
			if err := t.differ(c.elements.at(i), v); err != nil {
				return below(err, strconv.Itoa(i))
			}
		}
		return nil
	case jsonstream.Number:
		if longer(n.value, want) {
			if err := t.spend(len(n.value.Raw()), "what the patch compares"); err != nil {
				return err
			}
		}
	case jsonstream.String:
		if longer(n.value, want) {
			return different(n, want)
		}
	}
	if !equal.Values(n.value, want) {
		return different(n, want)
	}
	return nil
}

func (t *tree) differObject(c *container, want jsonstream.Value) error {
	same := 0
	for name, v := range want.Members() {
		n, err := c.child(name)
		if err != nil {
			return below(&difference{problem: err.Error()}, name)
		}
		if err := t.differ(n, v); err != nil {
			return below(err, name)
		}
		same++
	}
	if len(c.places) > same {
		return &difference{problem: fmt.Sprintf("the object has %d members, not %d", len(c.places), same)}
	}
	return nil
}

func different(n *node, want jsonstream.Value) error {
	have := article(n.kind())
	if n.open == nil {
		have = excerpt(n.value)
	}
	return &difference{problem: fmt.Sprintf("the value is %s, not %s", have, excerpt(want))}
}

// below places a difference under a token.
func below(err error, token string) error {
	if d := (*difference)(nil); errors.As(err, &d) {
		d.path = append(d.path, token)
	}
	return err
}
