package patch

import (
	"testing"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// FuzzPatch applies any patch to any document: the result is a document or an error, and an undone
// patch gives the same result when it is applied again.
func FuzzPatch(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `[{"op":"add","path":"/a/0","value":{}},{"op":"move","from":"/a/2/b","path":"/a/-"}]`)
	f.Add(`{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]},{"op":"remove","path":"/a"}]`)
	f.Add(`{"~1":{"":1.0}}`, `[{"op":"copy","from":"","path":"/~01/"},{"op":"replace","path":"","value":[]}]`)
	f.Add(`{"\u0061":1}`, `{"a":null,"b":{"c":null,"d":[null]}}`)
	limits := jsonstream.Limits{MaxBytes: 1 << 16, MaxDepth: 32}
	f.Fuzz(func(t *testing.T, document, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(document)), limits)
		if err != nil {
			return
		}
		patch, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), limits)
		if err != nil {
			return
		}
		p, err := Parse(patch, Auto)
		if err != nil {
			return
		}
		before := string(doc.Root().Raw())
		result, err := p.Apply(doc, limits)
		if string(doc.Root().Raw()) != before {
			t.Fatal("the document was changed")
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		back, err := p.Reverse(result, limits)
		if err != nil {
			return
		}
		if again, err := p.Apply(back, limits); err != nil || !equal.Values(again.Root(), result.Root()) {
			t.Fatalf("%s and back: %s: %v", result.Root().Raw(), back.Root().Raw(), err)
		}
	})
}
