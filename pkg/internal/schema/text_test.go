package schema

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/internal/stringformat"
)

// The library uses the formats of package stringformat, which has its own tests, so that comparisons with the
// library are about schemas only.
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

// FuzzFormats compares UUIDs with the library. Package rfc3339 tests the times.
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
