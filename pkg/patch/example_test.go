package patch_test

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

func read(text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	return doc
}

func ExamplePatch_Apply() {
	p, err := patch.Parse(read(`[{"op":"test","path":"/status","value":"open"},{"op":"replace","path":"/status","value":"done"}]`), patch.Auto)
	if err != nil {
		panic(err)
	}
	for _, text := range []string{`{"budget":0.10,"status":"open"}`, `{"status":"lost"}`} {
		doc, err := p.Apply(read(text), jsonstream.Limits{})
		if failed := (*patch.OpError)(nil); errors.As(err, &failed) {
			fmt.Println(failed)
			continue
		}
		fmt.Printf("%s\n", doc.Raw().Bytes)
	}
	// Output:
	// {"budget":0.10,"status":"done"}
	// operation 1 (test /status): the value is "lost", not "open"
}
