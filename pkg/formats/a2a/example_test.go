package a2a_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleWrap puts a handoff into a message of A2A, and extracts it with the same bytes.
func ExampleWrap() {
	handoff, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"schemaVersion":"2.0","handoffId":"6e7f936b-cafd-4624-8754-0bafc4e8acb3","share":0.10}`)), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := a2a.Wrap(handoff.Root(), a2a.WrapOptions{Envelope: a2a.Request, ContextID: "c-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := a2a.Unwrap(request.Root(), a2a.Handoff)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n%s\n", got.Pointer(), got.Raw())
	// Output:
	// /message/parts/0/data
	// {"schemaVersion":"2.0","handoffId":"6e7f936b-cafd-4624-8754-0bafc4e8acb3","share":0.10}
}
