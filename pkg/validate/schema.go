package validate

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A Schema is a JSON Schema, draft 2020-12 unless it names another, whose
// formats are asserted. Besides the standard formats it knows semver-range, and
// besides the standard keywords uniqueKeys: the values at these JSON Pointers
// differ between the elements of the array. It is safe for concurrent use.
type Schema struct {
	program func() (*schema.Program, error)
	runs    sync.Pool       // of *schema.Run, nil for a schema without a program
	library *schema.Library // for what the program does not cover
	url     string          // of the library
}

// MaxSchemas is how many objects a schema for [CompileSchema] may have, with those that
// it refers to.
const MaxSchemas = schema.MaxObjects

// CompileSchema compiles the schema text, whose URL is the base of its references.
// Referenced schemas are read with load, except for those of package schemas, which are
// always available; with a nil load, all others are errors. A number that
// [jsonstream.SafeNumber] rejects is a [*jsonstream.NumberError]; more than [MaxSchemas]
// objects in all texts are an error too.
func CompileSchema(schemaURL string, text []byte, load func(url string) ([]byte, error)) (*Schema, error) {
	doc, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	if _, err := url.Parse(schemaURL); err != nil {
		return nil, err
	}
	library, err := schema.NewLibrary(schemaURL, doc, schema.Options{Formats: stringFormats, Load: func(ref string) (*jsonstream.Document, error) {
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
		return nil, err
	}
	s := newSchema(schemaURL, doc, func(url string) (*jsonstream.Document, error) { return library.Document(url), nil })
	s.library, s.url = library, schemaURL
	return s, nil
}

// Part returns the schema at a JSON Pointer of the text that s was compiled from, with
// [CompileSchema].
func (s *Schema) Part(pointer string) (*Schema, error) {
	at, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	at.Fragment = pointer
	text := fmt.Appendf(nil, `{"$ref":"%s"}`, at)
	doc, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	const partURL = "handoff:///part"
	part := newSchema(partURL, doc, func(url string) (*jsonstream.Document, error) { return s.library.Document(url), nil })
	if part.Streams() == nil {
		return part, nil
	}
	return CompileSchema(partURL, text, func(url string) ([]byte, error) {
		if doc := s.library.Document(url); doc != nil {
			return doc.Raw().Bytes, nil
		}
		return nil, errors.New("not part of the schema")
	})
}

// parseSchema parses a schema's text. A syntax error says where it is.
func parseSchema(text []byte) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	return doc, withPlace(err)
}

// withPlace puts the place before a syntax error.
func withPlace(err error) error {
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
	}
	return err
}

// EmbeddedSchema returns a schema of package schemas. It is compiled on first use. The only
// error is that there is no such schema.
func EmbeddedSchema(name string) (*Schema, error) {
	doc, err := embeddedDocument(name)
	if err != nil {
		return nil, err
	}
	return newSchema(schemas.Base+name, doc, embeddedDocument), nil
}

func embeddedDocument(name string) (*jsonstream.Document, error) {
	text, err := schemas.Read(name)
	if err != nil {
		return nil, err
	}
	return parseSchema(text)
}

func newSchema(schemaURL string, doc *jsonstream.Document, load func(url string) (*jsonstream.Document, error)) *Schema {
	s := &Schema{program: sync.OnceValues(func() (*schema.Program, error) {
		return schema.Compile(schemaURL, doc, schema.Options{Formats: stringFormats, Load: load})
	})}
	s.runs.New = func() any {
		if program, err := s.program(); err == nil {
			return program.NewRun()
		}
		return (*schema.Run)(nil)
	}
	return s
}

// Streams reports whether the schema is checked by a program. If it is not, the error says
// which part of the schema needs the schema library.
func (s *Schema) Streams() error {
	_, err := s.program()
	return err
}

// Check reports how v breaks the schema: one finding per cause, ordered by place, at most a
// thousand.
func (s *Schema) Check(v jsonstream.Value) []finding.Finding {
	findings, _ := s.check(v)
	return findings
}

// check is Check, which also reports whether v may have a member that the schema does not
// name: see [schema.Run.Unnamed].
func (s *Schema) check(v jsonstream.Value) (findings []finding.Finding, unnamed bool) {
	run := s.runs.Get().(*schema.Run)
	defer s.runs.Put(run)
	valid := run != nil && run.Valid(v)
	unnamed = run == nil || run.Unnamed()
	if unsafe := numbersOverLimit(v); valid || len(unsafe) > 0 {
		return unsafe, unnamed
	}
	causes, err := s.explain(v)
	if err != nil {
		return []finding.Finding{schemaFinding("schema", "the schema cannot be applied: "+err.Error()).On(v)}, unnamed
	}
	return findingsOf(causes), unnamed
}

func (s *Schema) explain(v jsonstream.Value) ([]schema.Cause, error) {
	program, err := s.program()
	switch {
	case err == nil:
		return program.Explain(v, maxFindings), nil
	case s.library == nil:
		return nil, err // impossible: the tests compile all embedded schemas
	default:
		return s.library.Explain(v, maxFindings)
	}
}

// schemaPrefix makes the ID of a rule of a keyword of JSON Schema.
const schemaPrefix = string(finding.Schema) + "/"

func schemaFinding(keyword, problem string) finding.Finding {
	return finding.Finding{Layer: finding.Schema, Reason: SchemaInvalid, Severity: finding.Error, Rule: schemaPrefix + keyword, Message: problem}
}

// numberLimit is the rule of numbers that [jsonstream.SafeNumber] rejects.
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

// stringFormats are those in addition to the standard ones, and the times, of which the library
// accepts some that RFC 3339 does not allow.
var stringFormats = map[string]func(text string) bool{
	"semver-range":      isSemverRange,
	"date-time":         rfc3339.IsDateTime[string],
	"date":              rfc3339.IsDate[string],
	"time":              rfc3339.IsTime[string],
	"iso8601-date-time": iso8601.IsDateTime[string],
}

func isSemverRange(s string) bool {
	_, err := semver.NewConstraint(s)
	return err == nil && strings.TrimSpace(s) != ""
}
