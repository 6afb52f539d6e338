package compat_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/compat"
)

// A smaller enum is a major change, and a document shows it.
func ExampleCompare() {
	older := document(`{"type":"object","properties":{"priority":{"enum":["low","high"]}}}`)
	newer := document(`{"type":"object","properties":{"priority":{"enum":["high"]}}}`)
	r, err := compat.Compare(older, newer)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Bump, "backward:", r.Backward, "forward:", r.Forward)
	for _, c := range r.Changes {
		fmt.Println(c.Pointer, c.Kind)
		fmt.Printf("%s is not valid any more: %s\n", c.Refused.Document, c.Refused.Problem)
	}
	// Output:
	// major backward: no forward: yes
	// /properties/priority/enum narrowed
	// {"priority":"low"} is not valid any more: must be one of "high": found "low"
}
