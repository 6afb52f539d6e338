package exchange

import (
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The original forms of a value, as recorded in a view.
const (
	FormRaw    = "raw"    // unchanged
	FormBase64 = "base64" // an object encoded as a string
	FormInline = "inline" // an object where a string is expected
	FormList   = "list"
	FormString = "string" // the only turn of a list, as a string
)

// Opened returns the view of a value with its original form.
func Opened(form string, value tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "form", Value: tree.String(form)}, tree.Member{Name: "value", Value: value})
}

// Open returns the view of an object that may be encoded.
func Open(n tree.Node) tree.Node {
	if n.Is(jsonstream.Object) {
		return Opened(FormInline, n)
	}
	if value, ok := n.Decode(); ok && value.Is(jsonstream.Object) {
		return Opened(FormBase64, value)
	}
	return Opened(FormRaw, n)
}

// Shut is the inverse of [Open], also for lists that a format opens. Other values are returned
// unchanged.
func Shut(n tree.Node) tree.Node {
	value := n.Get("value")
	if value == tree.None {
		return n
	}
	switch n.Get("form").Text() {
	case FormBase64:
		return value.Encode()
	case FormString:
		if content := value.At("/0/content"); content.Is(jsonstream.String) && tree.Same(value, tree.Array(UserMessage(content))) {
			return content
		}
	}
	return value
}

// UserMessage returns a user turn.
func UserMessage(content tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "role", Value: tree.String("user")}, tree.Member{Name: "content", Value: content})
}
