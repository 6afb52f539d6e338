package build

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// The examples in errors and a completed skeleton are valid by the schema.
func TestShapesAreValid(t *testing.T) {
	schema, err := validate.EmbeddedSchema(schemas.State)
	if err != nil {
		t.Fatal(err)
	}
	filled := Skeleton(Draft{BudgetUSD: "0.40"})
	filled = []byte(strings.ReplaceAll(string(filled), "<fill in: its version, as in 1.0.0>", "1.0.0"))
	for name, text := range map[string]string{"shapes": shapes, "skeleton": string(filled)} {
		if findings := schema.Check(document(t, text).Root()); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
		}
	}
	for _, member := range ours() {
		if !document(t, shapes).Root().Get(member).Exists() {
			t.Errorf("there is no example of %s", member)
		}
	}
}

// Each placeholder of a skeleton prevents the creation of a message.
func TestSkeletonIsNoMessage(t *testing.T) {
	doc := document(t, string(Skeleton(Draft{})))
	named := map[string]bool{}
	for _, err := range check(doc, Options{}) {
		named[strings.TrimPrefix(strings.SplitN(err.Error(), ": ", 3)[1], "/")] = true
	}
	for v := range doc.Root().All() {
		if v.Kind() == jsonstream.String && strings.HasPrefix(v.Text(), placeholder) && !named[strings.TrimPrefix(v.Pointer(), "/")] {
			t.Errorf("%s is not named in %v", v.Pointer(), named)
		}
	}
	if m, err := Message(doc, Options{}); err == nil {
		t.Errorf("made %s", m.Raw())
	}
}
