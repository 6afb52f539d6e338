package exchange

import (
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The forms in which a view says that a value was written.
const (
	FormRaw    = "raw"    // as it is
	FormBase64 = "base64" // an object, as a string
	FormInline = "inline" // an object, which should be a string
	FormList   = "list"
	FormString = "string" // of the one turn in a list
)

// Opened returns the view of a value, and the form that it was written in.
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

// Shut is the inverse of [Open], also for lists that a format opens. Other values stay as
// they are.
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

// UserMessage returns a turn of the user.
func UserMessage(content tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "role", Value: tree.String("user")}, tree.Member{Name: "content", Value: content})
}
