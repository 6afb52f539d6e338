package validate

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A Schema is a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12 (the default), with formats asserted. It
// adds the format semver-range and the keyword uniqueKeys, an array of JSON Pointers whose values must
// differ between the elements of an array. It is safe for concurrent use.
type Schema struct {
	program func() (*schema.Program, error)
	runs    sync.Pool // of *schema.Run
	url     string
}

// MaxSchemas is the maximum number of objects in the texts of a schema for [CompileSchema], including the
// schemas that it refers to.
const MaxSchemas = schema.MaxObjects

// CompileSchema compiles the schema text, whose URL is the base of its references. load reads referenced
// schemas. The schemas of json-schema.org and of package schemas are always available without it; with a
// nil load, other references are errors. A number that [jsonstream.SafeNumber] rejects is a
// [*jsonstream.NumberError]; more than [MaxSchemas] objects in all texts are an error too.
func CompileSchema(schemaURL string, text []byte, load func(url string) ([]byte, error)) (*Schema, error) {
	doc, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	if _, err := url.Parse(schemaURL); err != nil {
		return nil, err
	}
	program, err := schema.Compile(schemaURL, doc, schema.Options{Formats: stringFormats, Load: func(ref string) (*jsonstream.Document, error) {
		if strings.HasPrefix(ref, schemas.Base) {
			return embeddedDocument(ref)
		}
		if load == nil {
			return nil, errors.New("references to other schemas are not followed here")
		}
		text, err := load(ref)
		if err != nil {
			return nil, err
		}
		return parseSchema(text)
	}})
	if err != nil {
		return nil, schemaProblem(err)
	}
	return newSchema(schemaURL, func() (*schema.Program, error) { return program, nil }), nil
}

// schemaProblem describes why a schema does not compile.
func schemaProblem(err error) error {
	if invalid := (*schema.InvalidError)(nil); errors.As(err, &invalid) {
		f := findingOf(invalid.Cause)
		return fmt.Errorf("not a JSON Schema: %s: %s", f.Pointer, f.Message)
	}
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		return err
	}
	return fmt.Errorf("not a usable JSON Schema: %w", err)
}

// Part returns the schema at a JSON Pointer of the text of s.
func (s *Schema) Part(pointer string) (*Schema, error) {
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	at.Fragment = pointer
	doc, err := parseSchema(fmt.Appendf(nil, `{"$ref":"%s"}`, at))
	if err != nil {
		return nil, err
	}
	part, err := schema.Compile("handoff:///part", doc, schema.Options{Formats: stringFormats, Trusted: true, Load: func(url string) (*jsonstream.Document, error) {
		if doc := program.Document(url); doc != nil {
			return doc, nil
		}
		return nil, errors.New("not part of the schema")
	}})
	if err != nil {
		return nil, schemaProblem(err)
	}
	return newSchema(s.url, func() (*schema.Program, error) { return part, nil }), nil
}

// parseSchema parses a schema's text. A syntax error includes the position.
func parseSchema(text []byte) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	return doc, withPlace(err)
}

// withPlace prefixes a syntax error with its position.
func withPlace(err error) error {
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
	}
	return err
}

// EmbeddedSchema returns a schema of package schemas. It is compiled on first use. The only error is an
// unknown name.
func EmbeddedSchema(name string) (*Schema, error) {
	doc, err := embeddedDocument(name)
	if err != nil {
		return nil, err
	}
	return newSchema(schemas.Base+name, sync.OnceValues(func() (*schema.Program, error) {
		return schema.Compile(schemas.Base+name, doc, schema.Options{Formats: stringFormats, Load: embeddedDocument, Trusted: true})
	})), nil
}

func embeddedDocument(name string) (*jsonstream.Document, error) {
	text, err := schemas.Read(name)
	if err != nil {
		return nil, err
	}
	return parseSchema(text)
}

// newSchema returns a schema, compiled by program on first use.
func newSchema(schemaURL string, program func() (*schema.Program, error)) *Schema {
	s := &Schema{program: program, url: schemaURL}
	s.runs.New = func() any {
		if program, err := s.program(); err == nil {
			return program.NewRun()
		}
		return (*schema.Run)(nil)
	}
	return s
}

// Streams returns nil if documents can be checked in one pass while they are read. Otherwise the error
// names the part of the schema whose subschemas must be applied one by one, which takes longer.
func (s *Schema) Streams() error {
	program, err := s.program()
	if err != nil {
		return err
	}
	return program.Streams()
}

// Check returns the violations of the schema in v: one finding per cause, ordered by place, at most a
// thousand.
func (s *Schema) Check(v jsonstream.Value) []finding.Finding {
	findings, _ := s.check(v)
	return findings
}

// check is Check, and also reports whether v may have a member that the schema does not name: see
// [schema.Run.Unnamed].
func (s *Schema) check(v jsonstream.Value) (findings []finding.Finding, unnamed bool) {
	run := s.runs.Get().(*schema.Run)
	defer s.runs.Put(run)
	valid := run != nil && run.Valid(v)
	unnamed = run == nil || run.Unnamed()
	if unsafe := numbersOverLimit(v); valid || len(unsafe) > 0 {
		return unsafe, unnamed
	}
	program, err := s.program()
	if err != nil { // impossible: the tests compile all embedded schemas
		return []finding.Finding{schemaFinding("schema", "the schema cannot be applied: "+err.Error()).On(v)}, unnamed
	}
	return findingsOf(program.Explain(v, maxFindings)), unnamed
}

// schemaPrefix is the prefix of the rule IDs of JSON Schema keywords.
const schemaPrefix = string(finding.Schema) + "/"

func schemaFinding(keyword, problem string) finding.Finding {
	return finding.Finding{Layer: finding.Schema, Reason: SchemaInvalid, Severity: finding.Error, Rule: schemaPrefix + keyword, Message: problem}
}

// numberLimit is the rule about numbers that [jsonstream.SafeNumber] rejects.
const numberLimit = "number-limit"

// numbersOverLimit reports the numbers that [jsonstream.SafeNumber] rejects.
func numbersOverLimit(v jsonstream.Value) []finding.Finding {
	var findings []finding.Finding
	for n := range v.All() {
		if n.Kind() == jsonstream.Number && !jsonstream.SafeNumber(n.Raw()) {
			findings = append(findings, schemaFinding(numberLimit, fmt.Sprintf(
				"a number of more than %d digits or with an exponent beyond ±%d: found %s; write it as a string",
				jsonstream.MaxDigits, jsonstream.MaxExponent, finding.QuoteValue(n))).On(n))
			if len(findings) == maxFindings {
				break
			}
		}
	}
	return findings
}

// stringFormats are additional formats.
var stringFormats = map[string]func(text string) bool{
	"semver-range":      isSemverRange,
	"date-time":         rfc3339.IsDateTime[string],
	"date":              rfc3339.IsDate[string],
	"time":              rfc3339.IsTime[string],
	"iso8601-date-time": iso8601.IsDateTime[string],
}

func isSemverRange(s string) bool {
	_, err := semver.ParseRange(s)
	return err == nil
}
