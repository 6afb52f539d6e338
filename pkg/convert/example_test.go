package convert_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleConvert converts a history. Data without a place in the target is carried, and the report lists
// the fate of every member.
func ExampleConvert() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(
		`{"input_history":"Refund order 17.","pre_handoff_items":[],"new_items":[{"role":"assistant","content":"One moment."}]}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	r, err := convert.Convert(doc, format.SW4RMContext, convert.Options{})
	if err != nil {
		panic(err) // convert.ErrFormat, or convert.SourceErrors
	}
	made, err := jsonstream.Parse(jsonstream.NewRaw(r.Text), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", made.Root().Get("conversation_history").Raw())
	// Output: [{"role":"user","content":"Refund order 17."},{"role":"assistant","content":"One moment."}]
}
