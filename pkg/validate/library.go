package validate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// MaxSchemas is how many objects a schema may have, with those that it refers to. The
// time that the schema library takes grows with their square, and so many take it
// half a minute.
const MaxSchemas = 1 << 15

var errLibrary = errors.New("the schema library failed on it: leave out keywords that the drafts of JSON Schema do not have, such as regexProperties")

// guard calls the schema library. All calls go through it, since a panic of the library
// must not end a run.
func guard(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errLibrary
		}
	}()
	return call()
}

// checkSize reports what the library must not see: it fails on such numbers (a nil
// dereference, or seconds of arithmetic), and its time is quadratic.
func (s *Schema) checkSize(root jsonstream.Value) error {
	if err := jsonstream.CheckNumbers(root); err != nil {
		return err
	}
	for v := range root.All() {
		if v.Kind() == jsonstream.Object {
			s.objects++
		}
	}
	if s.objects > MaxSchemas {
		return fmt.Errorf("more than %d objects, with those of the schemas that it refers to: split the schema, or leave out what is not used", MaxSchemas)
	}
	return nil
}

// checkDrafts reports a $schema that leads back to itself through other documents: the
// library follows it until the stack is full.
func (s *Schema) checkDrafts(url string) error {
	seen := map[*jsonstream.Document]bool{}
	for doc := s.documents[url]; doc != nil; doc = s.documents[url] {
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

// mostCount stands for all greater counts: no document has that many characters,
// elements or members.
const mostCount = math.MaxInt32

// libraryText returns the text of a schema with counts that are ints for the library,
// which does not notice that others overflow.
func libraryText(doc *jsonstream.Document) []byte {
	text := doc.Raw().Bytes
	var out []byte
	done := 0
	eachCount(doc.Root(), func(v jsonstream.Value) {
		number, _ := new(big.Rat).SetString(string(v.Raw()))
		if !number.IsInt() || number.Cmp(big.NewRat(mostCount, 1)) <= 0 {
			return
		}
		begin := int(v.Position().Offset - doc.Raw().Start.Offset)
		out = fmt.Append(append(out, text[done:begin]...), mostCount)
		done = begin + len(v.Raw())
	})
	return append(out, text[done:]...)
}

// eachCount calls f with the numbers of a schema that count something, in order.
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
