package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/rfc3339"
	"github.com/eaapl/handoff/schemas"
)

// A Schema is a JSON Schema, draft 2020-12 unless it names another, whose
// stringFormats are asserted. Besides the standard formats it knows semver-range, and
// besides the standard keywords uniqueKeys: the values at these JSON Pointers
// differ between the elements of the array. It is safe for concurrent use.
type Schema struct {
	documents map[string]*jsonstream.Document // the schema's texts, by URL
	objects   int                             // in all of them
	ours      bool                            // of package schemas: goes no deeper than it names members

	acceptance
	library func() *jsonschema.Schema // words what is wrong
}

// CompileSchema compiles the schema text, whose own URL serves to resolve the
// references in it. What they name is read with load, except for the schemas
// of package schemas, which are always at hand; a nil load refuses the rest.
// A number that [jsonstream.SafeNumber] rejects is a [*jsonstream.NumberError];
// more than [MaxSchemas] objects in all texts are an error too.
func CompileSchema(schemaURL string, text []byte, load func(url string) ([]byte, error)) (*Schema, error) {
	s := &Schema{documents: map[string]*jsonstream.Document{}}
	doc, err := s.add(schemaURL, text)
	if err != nil {
		return nil, err
	}
	compiled, err := s.compile(schemaURL, load)
	if err != nil {
		return nil, err
	}
	// The library goes by the schema's $id, where it has one.
	location, _, _ := strings.Cut(compiled.Location, "#")
	s.documents[location] = doc
	s.library = func() *jsonschema.Schema { return compiled }
	s.acceptance = newAcceptance(schemaURL, doc, func(url string) (*jsonstream.Document, error) {
		if doc := s.documents[url]; doc != nil { // the library has read all there are
			return doc, nil
		}
		return nil, fmt.Errorf("no schema is at %s", url)
	})
	return s, nil
}

// compile compiles with the schema library what was added under the URL.
func (s *Schema) compile(schemaURL string, load func(url string) ([]byte, error)) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(ref string) (io.ReadCloser, error) {
		text, err := readSchema(ref, load)
		if err != nil {
			return nil, err
		}
		doc, err := s.add(ref, text)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(libraryText(doc))), nil
	}
	for name, holds := range stringFormats {
		c.Formats[name] = func(v any) bool {
			text, ok := v.(string)
			return !ok || holds(text)
		}
	}
	c.RegisterExtension("uniqueKeys", nil, uniqueKeysCompiler{})
	var compiled *jsonschema.Schema
	err := guard(func() (err error) {
		if err = c.AddResource(schemaURL, bytes.NewReader(libraryText(s.documents[schemaURL]))); err == nil {
			compiled, err = c.Compile(schemaURL)
		}
		return err
	})
	if err != nil {
		return nil, schemaProblem(err)
	}
	return compiled, nil
}

func readSchema(ref string, load func(url string) ([]byte, error)) ([]byte, error) {
	if strings.HasPrefix(ref, schemas.Base) {
		return schemas.Read(ref)
	}
	if load == nil {
		return nil, errors.New("references to other schemas are not followed here")
	}
	return load(ref)
}

// add keeps a schema's text, to word findings from.
func (s *Schema) add(schemaURL string, text []byte) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return nil, withPlace(err)
	}
	if err := s.checkSize(doc.Root()); err != nil {
		return nil, err
	}
	s.documents[schemaURL] = doc
	base, err := url.Parse(schemaURL)
	if err != nil {
		return nil, err
	}
	if id, err := base.Parse(doc.Root().Get("$id").Text()); err == nil {
		id.Fragment = ""
		s.documents[id.String()] = doc
	}
	return doc, s.checkDrafts(schemaURL)
}

// withPlace puts the place before a syntax error.
func withPlace(err error) error {
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
	}
	return err
}

// EmbeddedSchema returns a schema of package schemas, which the package's tests have
// compiled. It is made ready on first use. The error is that there is no such schema.
func EmbeddedSchema(name string) (*Schema, error) {
	text, err := schemas.Read(name)
	if err != nil {
		return nil, err
	}
	s := &Schema{documents: map[string]*jsonstream.Document{}, ours: true}
	doc, err := s.add(schemas.Base+name, text)
	if err != nil {
		return nil, err
	}
	s.acceptance = newAcceptance(schemas.Base+name, doc, embeddedDocument)
	s.library = sync.OnceValue(func() *jsonschema.Schema {
		compiled, err := s.compile(schemas.Base+name, nil)
		if err != nil {
			panic("embedded schema " + name + ": " + err.Error())
		}
		return compiled
	})
	return s, nil
}

func embeddedDocument(url string) (*jsonstream.Document, error) {
	text, err := schemas.Read(url)
	if err != nil {
		return nil, err
	}
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
}

// schemaProblem words why a schema does not compile.
func schemaProblem(err error) error {
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		return number
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		return fmt.Errorf("not a JSON Schema: %s: %s", invalid.InstanceLocation, invalid.Message)
	}
	var wrapped *jsonschema.SchemaError
	if errors.As(err, &wrapped) {
		if problem, named := strings.CutPrefix(wrapped.Err.Error(), "jsonschema: "); named {
			return errors.New("not a usable JSON Schema: " + problem)
		}
		return fmt.Errorf("not a usable JSON Schema: %w", wrapped.Err)
	}
	return fmt.Errorf("not a usable JSON Schema: %w", err)
}

// schemaPrefix makes the ID of a rule of a keyword of JSON Schema.
const schemaPrefix = string(finding.Schema) + "/"

func schemaFinding(keyword, problem string) finding.Finding {
	return finding.Finding{Layer: finding.Schema, Reason: SchemaInvalid, Severity: finding.Error, Rule: schemaPrefix + keyword, Message: problem}
}

func numbersOverLimit(v jsonstream.Value) []finding.Finding {
	var findings []finding.Finding
	for n := range v.All() {
		if n.Kind() == jsonstream.Number && !jsonstream.SafeNumber(n.Raw()) {
			findings = append(findings, schemaFinding("number-limit", fmt.Sprintf(
				"a number of more than %d digits or with an exponent beyond ±%d: found %s; write it as a string",
				jsonstream.MaxDigits, jsonstream.MaxExponent, finding.QuoteValue(n))).On(n))
			if len(findings) == mostFindings {
				break
			}
		}
	}
	return findings
}

// stringFormats are those beside the standard ones, and the times, of which the library also
// takes some that RFC 3339 does not have.
var stringFormats = map[string]func(text string) bool{
	"semver-range": isSemverRange,
	"date-time":    rfc3339.IsDateTime[string],
	"date":         rfc3339.IsDate[string],
	"time":         rfc3339.IsTime[string],
}

func isSemverRange(s string) bool {
	_, err := semver.NewConstraint(s)
	return err == nil && strings.TrimSpace(s) != ""
}

// uniqueKeysCompiler reads the keyword uniqueKeys.
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
			return nil, fmt.Errorf("uniqueKeys: %v is not a JSON Pointer to a member", p)
		}
		keys = append(keys, tokens[0])
	}
	return keys, nil
}

// uniqueKeys are the members that must differ between the elements.
type uniqueKeys []string

func (keys uniqueKeys) Validate(ctx jsonschema.ValidationContext, v any) error {
	array, ok := v.([]any)
	if !ok {
		return nil
	}
	for _, key := range keys {
		seen := map[any]bool{}
		for _, element := range array {
			object, _ := element.(map[string]any)
			id, ok := object[key].(string)
			if ok && seen[id] {
				return ctx.Error("uniqueKeys", "two elements have the same %s", key)
			}
			seen[id] = seen[id] || ok
		}
	}
	return nil
}

// locate resolves the absolute location of a keyword to its place in the
// schema's text, absent if it is not there.
func (s *Schema) locate(absolute string) jsonstream.Value {
	base, fragment, _ := strings.Cut(absolute, "#")
	doc := s.documents[base]
	pointer, err := url.PathUnescape(fragment)
	if doc == nil || err != nil {
		return jsonstream.Value{}
	}
	return doc.Root().At(pointer)
}
