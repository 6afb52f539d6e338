package schema

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/internal/stringformat"
)

// The library decides formats as package stringformat does, whose tests hold it to the
// standards: what is compared here is what schemas make of that.
func init() {
	for name := range jsonschema.Formats {
		if matches := stringformat.Lookup(name); matches != nil {
			jsonschema.Formats[name] = func(v any) bool {
				text, isText := v.(string)
				return !isText || matches(text)
			}
		}
	}
}

// UUIDs are decided as the library decides; the times have a test of their own in
// package rfc3339.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{
		"6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "6F9619FF-8B86-4D01-B42D-00CF4FC964FF", "6f9619ff8b864d01b42d00cf4fc964ff", "6f9619ff-8b86-4d01-b42d-00cf4fc964fg", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := isUUID([]byte(text)), jsonschema.Formats["uuid"](text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}
