package diff

import (
	"encoding/base64"
	"strings"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	maxInside = 4 << 20 // bytes of a string that may hold a document
	maxNested = 3       // documents in strings of each other
)

// inside returns the change between the documents in two strings, or between a string and the
// object or array in its place, and whether they are equal.
func (c *comparison) inside(a, b jsonstream.Value) (e *Edit, same bool) {
	if a.Kind() != jsonstream.String && b.Kind() != jsonstream.String {
		return nil, false
	}
	old := document(a)
	if old == nil {
		return nil, false
	}
	new := document(b)
	if new == nil {
		return nil, false
	}
	if c.depth < maxNested {
		e = compare(old, new, Options{Exact: c.exact}, c.depth+1)
	}
	return e, e == nil && equal.Values(old.Root(), new.Root())
}

// document returns a value that is an object or array, or the object or array that a string
// holds as JSON text or its base64, as SW4RM's context_snapshot does. It is nil if there is
// none.
func document(v jsonstream.Value) *jsonstream.Document {
	if len(v.Raw()) > maxInside {
		return nil
	}
	text := v.Text()
	if v.Kind() != jsonstream.String {
		text = string(v.Raw())
		if !holdsJSON(text) {
			return nil
		}
	}
	if !holdsJSON(text) {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !holdsJSON(string(decoded)) {
			return nil
		}
		text = string(decoded)
	}
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return nil
	}
	return d
}

// holdsJSON reports whether a text begins like an object or array.
func holdsJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && (text[0] == '{' || text[0] == '[')
}
