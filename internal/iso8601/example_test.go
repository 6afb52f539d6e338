package iso8601_test

import (
	"fmt"

	"github.com/eaapl/handoff/internal/iso8601"
)

func ExampleParse() {
	t, form, ok := iso8601.Parse("20260612T0930+0200")
	fmt.Println(t, form == iso8601.Other, ok)
	fmt.Println(iso8601.Rewrite("2025-01-15T10:30"))
	// Output:
	// 2026-06-12 07:30:00 +0000 UTC true true
	// 2025-01-15T10:30:00Z
}
