package validate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// Quotes from a message or a schema do not make findings long.
func TestFindingsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var choices []string
	for i := range 1000 {
		choices = append(choices, fmt.Sprintf("%q", fmt.Sprint(strings.Repeat("c", 50), i)))
	}
	schema, err := validate.CompileSchema("test:schema", []byte(`{
		"additionalProperties": {"uniqueItems": true, "type": ["array", "object"]},
		"properties": {
			"choice": {"enum": [`+strings.Join(choices, ",")+`]},
			"constant": {"const": "`+long+`"},
			"pattern": {"pattern": "^`+strings.Repeat("a?", 1<<10)+`$"}
		}
	}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	validator := validate.New(validate.Options{Schema: schema})
	for name, text := range map[string]string{
		"duplicate member": `{"` + long + `":1,"` + long + `":2}`,
		"damage within":    `{"` + long + `":{"a":1,"a":2}}`,
		"equal elements":   `{"` + long + `":["a","a"]}`,
		"wrong type":       `{"a":"` + long + `"}`,
		"choice":           `{"choice":"` + long + `"}`,
		"constant":         `{"constant":"` + long + `y"}`,
		"pattern":          `{"pattern":"` + long + `"}`,
	} {
		_, r, err := validator.ValidateRaw(context.Background(), jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Valid || len(r.Findings) == 0 {
			t.Errorf("%s: valid", name)
		}
		for _, f := range r.Findings {
			if len(f.Message) > 3<<10 || len(f.Pointer) > 1<<10 {
				t.Errorf("%s: a message of %d bytes, a pointer of %d", name, len(f.Message), len(f.Pointer))
			}
		}
		if len(r.Details) > 12<<10 {
			t.Errorf("%s: details of %d bytes", name, len(r.Details))
		}
	}
}
