package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/rfc3339"
	"github.com/eaapl/handoff/schemas"
)

const schemaURL = "https://example.com/schema.json"

func parse(t testing.TB, text []byte) *jsonstream.Document {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return d
}

// verdict follows one document.
func verdict(r *Run, v jsonstream.Value) Verdict {
	v.Follow(r)
	return r.Verdict()
}

func (v Verdict) String() string {
	return [...]string{"undecided", "valid", "invalid"}[v]
}

func options() Options {
	return Options{Formats: map[string]func(string) bool{
		"semver-range": isSemverRange,
		"date-time":    rfc3339.IsDateTime[string],
		"date":         rfc3339.IsDate[string],
		"time":         rfc3339.IsTime[string],
	}}
}

func isSemverRange(text string) bool {
	_, err := semver.NewConstraint(text)
	return err == nil && strings.TrimSpace(text) != ""
}

// A reference is what programs have to agree with.
type reference struct {
	schema   *jsonschema.Schema
	document jsonstream.Value
}

// newReference compiles a schema with the library, in the vocabulary of package validate.
func newReference(url string, text []byte) (ref reference, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the library failed: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		text, err := schemas.Read(url)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	for name, holds := range options().Formats {
		c.Formats[name] = func(v any) bool {
			text, ok := v.(string)
			return !ok || holds(text)
		}
	}
	c.RegisterExtension("uniqueKeys", nil, uniqueKeysCompiler{})
	if err := c.AddResource(url, bytes.NewReader(text)); err != nil {
		return reference{}, err
	}
	document, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return reference{}, err
	}
	ref.document = document.Root()
	ref.schema, err = c.Compile(url)
	return ref, err
}

// verdict is [Undecided] where the library fails.
func (ref reference) verdict(v jsonstream.Value) (verdict Verdict) {
	defer func() {
		if r := recover(); r != nil {
			verdict = Undecided
		}
	}()
	dec := json.NewDecoder(bytes.NewReader(v.Raw()))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return Undecided
	}
	if ref.schema.Validate(value) != nil {
		return Invalid
	}
	return Valid
}

// hasUnsafeNumber reports whether there is a number that neither decides about.
func hasUnsafeNumber(v jsonstream.Value) bool {
	for n := range v.All() {
		if n.Kind() == jsonstream.Number && !jsonstream.SafeNumber(n.Raw()) {
			return true
		}
	}
	return false
}

type uniqueKeysCompiler struct{}

func (uniqueKeysCompiler) Compile(_ jsonschema.CompilerContext, schema map[string]any) (jsonschema.ExtSchema, error) {
	keyword, ok := schema["uniqueKeys"]
	if !ok {
		return nil, nil
	}
	pointers, ok := keyword.([]any)
	if !ok {
		return nil, errors.New("uniqueKeys must be an array of JSON Pointers")
	}
	var keys uniqueKeys
	for _, p := range pointers {
		pointer, _ := p.(string)
		tokens, ok := jsonstream.SplitPointer(pointer)
		if !ok || len(tokens) != 1 {
			return nil, errors.New("not a JSON Pointer to a member")
		}
		keys = append(keys, tokens[0])
	}
	return keys, nil
}

type uniqueKeys []string

func (keys uniqueKeys) Validate(ctx jsonschema.ValidationContext, v any) error {
	elements, _ := v.([]any)
	for _, key := range keys {
		seen := map[string]bool{}
		for _, element := range elements {
			object, _ := element.(map[string]any)
			if text, ok := object[key].(string); ok {
				if seen[text] {
					return ctx.Error("uniqueKeys", "repeated")
				}
				seen[text] = true
			}
		}
	}
	return nil
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("%s is not here", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}
