package jsonstream_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func ExampleParse() {
	text := "{\"budget\": 0.10,\n \"steps\": [{\"id\": \"s1\"}]}"
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for v := range doc.Root().All() {
		if at := v.Position(); v.Kind() == jsonstream.String || v.Kind() == jsonstream.Number {
			fmt.Printf("%d:%d %s is %s\n", at.Line, at.Column, v.Pointer(), v.Raw())
		}
	}
	// Output:
	// 1:12 /budget is 0.10
	// 2:19 /steps/0/id is "s1"
}

func ExampleDraft() {
	text := `{ "budget": 0.10,  "steps": [ "a", "c" ] }`
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	draft := jsonstream.NewDraft(doc.Root())
	if err := draft.Set("/steps/-", []byte(`"d"`)); err != nil {
		panic(err)
	}
	if err := draft.Remove("/steps/0"); err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", draft.Bytes())
	// Output:
	// { "budget": 0.10,  "steps": [ "c" ,"d"] }
}
