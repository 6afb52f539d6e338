package formats_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleDetect detects the format of a message by the names of its members.
func ExampleDetect() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"input_history":"Hi","pre_handoff_items":[],"new_items":[]}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	fmt.Println(formats.Detect(doc.Root()))
	// Output: openai true
}
