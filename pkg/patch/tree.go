package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A tree is a document that is being changed.
type tree struct {
	root   node
	limits jsonstream.Limits // none is 0
	spare  int64             // how many bytes more may be copied, or compared again and again
}

func newTree(doc *jsonstream.Document, limits jsonstream.Limits) *tree {
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = jsonstream.DefaultMaxBytes
	}
	if limits.MaxDepth <= 0 {
		limits.MaxDepth = jsonstream.DefaultMaxDepth
	}
	limits.MaxDepth = min(limits.MaxDepth, jsonstream.MaxDepth)
	return &tree{root: node{value: doc.Root()}, limits: limits, spare: limits.MaxBytes}
}

// document returns the document that the tree has become. The error is a
// *LimitError.
func (t *tree) document() (*jsonstream.Document, error) {
	text, err := t.append(nil, &t.root, t.limits.MaxDepth)
	if err != nil {
		return nil, err
	}
	return t.parse(text)
}

func (t *tree) parse(text []byte) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), t.limits)
	if cause := (*jsonstream.SyntaxError)(nil); errors.As(err, &cause) {
		return nil, &LimitError{"the result is " + cause.Problem, cause.Err}
	}
	return doc, err
}

// copied returns a copy of a node. What was changed below it becomes a document of
// its own: as small as the others.
func (t *tree) copied(n *node) (node, error) {
	if n.open == nil {
		return *n, t.spend(len(n.value.Raw()), "what the patch copies")
	}
	text, err := t.append(nil, n, t.limits.MaxDepth)
	if err != nil {
		return node{}, err
	}
	if err := t.spend(len(text), "what the patch copies"); err != nil {
		return node{}, err
	}
	doc, err := t.parse(text)
	if err != nil {
		return node{}, err
	}
	return node{value: doc.Root()}, nil
}

// spend counts bytes that the patch has read again.
func (t *tree) spend(bytes int, what string) error {
	if t.spare -= int64(bytes); t.spare < 0 {
		return &LimitError{what + " is longer than a document may be: raise --max-message-bytes", jsonstream.ErrTooLarge}
	}
	return nil
}

// find returns the place of a value, or why there is none. It stays valid until
// something is added or removed.
func (t *tree) find(pointer string) (*node, error) {
	tokens, _ := jsonstream.SplitPointer(pointer) // Parse has checked it
	return t.walk(pointer, tokens)
}

// holder returns the container above the place that a pointer names, which is not
// the root, and the last token of the pointer.
func (t *tree) holder(pointer string) (*container, string, error) {
	tokens, _ := jsonstream.SplitPointer(pointer) // Parse has checked it
	last := len(tokens) - 1
	n, err := t.walk(pointer, tokens[:last])
	if err != nil {
		return nil, "", err
	}
	c := n.expand()
	if c == nil {
		return nil, "", n.holdsNothing(begin(pointer, last))
	}
	return c, tokens[last], nil
}

// walk follows the first tokens of a pointer.
func (t *tree) walk(pointer string, tokens []string) (*node, error) {
	n := &t.root
	for i, token := range tokens {
		c := n.expand()
		if c == nil {
			return nil, n.holdsNothing(begin(pointer, i))
		}
		next, err := c.child(token)
		if err != nil && i < strings.Count(pointer, "/")-1 {
			err = fmt.Errorf("at %s: %w", shorten(begin(pointer, i+1)), err)
		}
		if err != nil {
			return nil, err
		}
		n = next
	}
	return n, nil
}

func (n *node) holdsNothing(pointer string) error {
	return fmt.Errorf("%s is %s, which holds nothing", named(pointer), article(n.kind()))
}

// begin returns the first tokens of a pointer.
func begin(pointer string, tokens int) string {
	for i := range len(pointer) {
		if pointer[i] == '/' {
			if tokens--; tokens < 0 {
				return pointer[:i]
			}
		}
	}
	return pointer
}

// append appends the text of a node, which may be nested so deep. What is not open is
// checked by who parses the text.
func (t *tree) append(dst []byte, n *node, depth int) ([]byte, error) {
	c := n.open
	if c == nil {
		return append(dst, n.value.Raw()...), nil
	}
	if depth == 0 {
		return nil, &LimitError{fmt.Sprintf("the result is nested more than %d levels deep: raise --max-depth", t.limits.MaxDepth), jsonstream.ErrTooDeep}
	}
	dst = append(dst, byte(c.kind))
	empty := len(dst)
	for name, child := range c.children {
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		if name != nil {
			dst = append(append(dst, name...), ':')
		}
		var err error
		if dst, err = t.append(dst, child, depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, byte(c.kind)+2), nil // the closing bracket lies two behind the opening one
}
