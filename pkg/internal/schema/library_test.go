package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Library is a schema of github.com/santhosh-tekuri/jsonschema/v5, of any draft and with any
// keyword. It decides whether a schema is valid. It needs memory for a tree of the document and for
// the errors of all faults. It is safe for concurrent use.
type Library struct {
	schema    *jsonschema.Schema
	documents map[string]*jsonstream.Document // by URL
}

// ErrLibrary reports that the library failed on a schema or document.
var ErrLibrary = errors.New("the schema library failed on it: leave out keywords that the drafts of JSON Schema do not have, such as regexProperties")

// guard calls the library. All calls use it, because a panic of the library must not end a run.
func guard(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = ErrLibrary
		}
	}()
	return call()
}

// NewLibrary compiles a schema, in the vocabulary of [Compile]. The error is the fault of the
// schema, the error of o.Load, or a [*jsonstream.NumberError] for a number that
// [jsonstream.SafeNumber] rejects.
func NewLibrary(schemaURL string, schema *jsonstream.Document, o Options) (*Library, error) {
	l := &Library{documents: map[string]*jsonstream.Document{}}
	if err := l.add(schemaURL, schema); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(ref string) (io.ReadCloser, error) {
		if o.Load == nil {
			return nil, errors.New("there is no other schema")
		}
		doc, err := o.Load(ref)
		if err != nil {
			return nil, err
		}
		if err := l.add(ref, doc); err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(libraryText(doc))), nil
	}
	for name, holds := range o.Formats {
		c.Formats[name] = func(v any) bool {
			text, ok := v.(string)
			return !ok || holds(text)
		}
	}
	c.RegisterExtension("uniqueKeys", nil, uniqueKeysCompiler{})
	err := guard(func() (err error) {
		if err = c.AddResource(schemaURL, bytes.NewReader(libraryText(schema))); err == nil {
			l.schema, err = c.Compile(schemaURL)
		}
		return err
	})
	if err != nil {
		return nil, schemaProblem(err)
	}
	// The library uses the schema's $id, if it has one.
	location, _, _ := strings.Cut(l.schema.Location, "#")
	l.documents[location] = schema
	return l, nil
}

// Document returns a schema document that the library has read, nil if there is none at the URL.
func (l *Library) Document(url string) *jsonstream.Document { return l.documents[url] }

// add keeps a schema document, unless it is harmful for the library: some numbers cause a nil
// dereference or seconds of arithmetic, its time is quadratic, and a $schema that leads back to
// itself overflows the stack.
func (l *Library) add(schemaURL string, doc *jsonstream.Document) error {
	if err := jsonstream.CheckNumbers(doc.Root()); err != nil {
		return err
	}
	l.documents[schemaURL] = doc
	base, err := url.Parse(schemaURL)
	if err != nil {
		return err
	}
	if id, err := base.Parse(doc.Root().Get("$id").Text()); err == nil {
		id.Fragment = ""
		l.documents[id.String()] = doc
	}
	return l.checkDrafts(schemaURL)
}

func (l *Library) checkDrafts(url string) error {
	seen := map[*jsonstream.Document]bool{}
	for doc := l.documents[url]; doc != nil; doc = l.documents[url] {
		url, _, _ = strings.Cut(doc.Root().Get("$schema").Text(), "#")
		if strings.Contains(url, "://json-schema.org/") {
			return nil
		}
		if seen[doc] {
			return errors.New("$schema: leads back to itself: name a draft of JSON Schema, such as https://json-schema.org/draft/2020-12/schema")
		}
		seen[doc] = true
	}
	return nil
}

// libraryText returns the text of a schema with counts that fit an int, because the library ignores
// overflows.
func libraryText(doc *jsonstream.Document) []byte {
	text := doc.Raw().Bytes
	var out []byte
	done := 0
	eachCount(doc.Root(), func(v jsonstream.Value) {
		if number := jsonstream.ParseDecimal(v.Raw()); !number.IsInteger() || number.Compare(&largestCount) <= 0 {
			return
		}
		begin := int(v.Position().Offset - doc.Raw().Start.Offset)
		out = fmt.Append(append(out, text[done:begin]...), maxCount)
		done = begin + len(v.Raw())
	})
	return append(out, text[done:]...)
}

var largestCount = jsonstream.ParseDecimal(fmt.Append(nil, maxCount))

// eachCount calls f with the numbers of a schema that are counts, in order.
func eachCount(schema jsonstream.Value, f func(jsonstream.Value)) {
	for _, element := range schema.Elements() {
		eachCount(element, f)
	}
	for keyword, v := range schema.Members() {
		switch keyword {
		case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
			if v.Kind() == jsonstream.Number {
				f(v)
			}
		case "const", "enum", "default", "examples": // data
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			for _, named := range v.Members() {
				eachCount(named, f)
			}
		default:
			eachCount(v, f)
		}
	}
}

// schemaProblem returns the reason why a schema does not compile.
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
	if wrapped := (*jsonschema.SchemaError)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if problem, named := strings.CutPrefix(err.Error(), "jsonschema: "); named {
		return errors.New("not a usable JSON Schema: " + problem)
	}
	return fmt.Errorf("not a usable JSON Schema: %w", err)
}

// uniqueKeysCompiler compiles the keyword uniqueKeys.
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
	elements, _ := v.([]any)
	for _, key := range keys {
		seen := map[string]bool{}
		for _, element := range elements {
			object, _ := element.(map[string]any)
			id, ok := object[key].(string)
			if ok && seen[id] {
				return ctx.Error("uniqueKeys", "two elements have the same %s", key)
			}
			if ok {
				seen[id] = true
			}
		}
	}
	return nil
}
