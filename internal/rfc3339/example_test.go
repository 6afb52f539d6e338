package rfc3339_test

import (
	"fmt"

	"github.com/eaapl/handoff/internal/rfc3339"
)

// A leap second is a time; an hour of one digit is not, though time.Parse takes it.
func ExampleParse() {
	for _, text := range []string{"1998-12-31T15:59:60-08:00", "2026-06-12T9:30:00Z"} {
		t, ok := rfc3339.Parse(text)
		fmt.Println(t.UTC(), ok)
	}
	// Output:
	// 1999-01-01 00:00:00 +0000 UTC true
	// 0001-01-01 00:00:00 +0000 UTC false
}
