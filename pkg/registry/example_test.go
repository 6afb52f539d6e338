package registry_test

import (
	"fmt"
	"log"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
)

func Example() {
	r, err := registry.Embedded()
	if err != nil {
		log.Fatal(err)
	}
	s, err := r.Find("handoff-chunk")
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := registry.Bundle(s.Document(), s.URL(), r.Load, jsonstream.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name, s.Version, bundle.Root().Get("$id").Text() == s.ID)
	// Output: handoff-chunk 1 true
}
