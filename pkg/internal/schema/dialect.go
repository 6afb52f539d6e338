package schema

import (
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A dialect is the set of keywords that a schema resource uses.
type dialect struct {
	version int // the draft: 4, 6, 7, 2019 or 2020
	// vocabularies are the vocabularies of a metaschema with $vocabulary, by the last part of their
	// URLs; nil means all of the draft.
	vocabularies map[string]bool
	custom       string // the URL of a metaschema not of json-schema.org, or ""
}

// latest returns the dialect of schemas without $schema.
func latest() *dialect { return &dialect{version: 2020} }

// standardDialect returns the dialect of a json-schema.org metaschema, nil if it is not one of the
// five.
func standardDialect(metaschema string) *dialect {
	_, name, _ := strings.Cut(strings.TrimSuffix(metaschema, "#"), "://json-schema.org/")
	if name == "schema" { // the latest
		return latest()
	}
	for _, version := range []int{2020, 2019, 7, 6, 4} {
		if name == metaschemaPath(version) {
			return &dialect{version: version}
		}
	}
	return nil
}

// metaschemaPath returns the path of a draft's metaschema.
func metaschemaPath(version int) string {
	switch version {
	case 2020:
		return "draft/2020-12/schema"
	case 2019:
		return "draft/2019-09/schema"
	default:
		return "draft-0" + strconv.Itoa(version) + "/schema"
	}
}

// has reports whether a keyword is defined in the dialect. "dependencies" and "definitions" are
// defined in all drafts, as in most validators.
func (d *dialect) has(keyword string) bool {
	since, until := 4, 2020
	switch keyword {
	case "id":
		until = 4
	case "$id", "const", "contains", "propertyNames":
		since = 6
	case "if", "then", "else":
		since = 7
	case "$anchor", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		since = 2019
	case "$recursiveRef", "$recursiveAnchor":
		since, until = 2019, 2019
	case "prefixItems", "$dynamicRef", "$dynamicAnchor":
		since = 2020
	case "additionalItems":
		until = 2019
	}
	return since <= d.version && d.version <= until && (d.vocabularies == nil || d.vocabularies[d.vocabulary(keyword)])
}

// vocabulary returns the vocabulary of a keyword. Formats and annotations count as core: formats
// are asserted in every dialect.
func (d *dialect) vocabulary(keyword string) string {
	switch keyword {
	case "unevaluatedItems", "unevaluatedProperties":
		if d.version == 2020 {
			return "unevaluated"
		}
		return "applicator"
	case "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
		"maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired":
		return "validation"
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "properties", "patternProperties",
		"additionalProperties", "propertyNames", "items", "prefixItems", "additionalItems", "contains":
		return "applicator"
	default:
		return "core"
	}
}

// idKeyword returns the keyword that identifies a resource.
func (d *dialect) idKeyword() string {
	if d.version == 4 {
		return "id"
	}
	return "$id"
}

// refExcludes reports whether keywords beside $ref are ignored.
func (d *dialect) refExcludes() bool { return d.version <= 7 }

// dialectOf returns the dialect of a resource by its $schema, or fallback if it has none.
func (c *compiler) dialectOf(root jsonstream.Value, fallback *dialect) *dialect {
	schema := root.Get("$schema")
	if !schema.Exists() {
		return fallback
	}
	return c.dialect(root, schema.Text(), map[string]bool{})
}

// dialect returns the dialect with a metaschema. asked are the metaschemas that led to this one.
func (c *compiler) dialect(from jsonstream.Value, metaschema string, asked map[string]bool) *dialect {
	if d := standardDialect(metaschema); d != nil {
		return d
	}
	address, _, _ := strings.Cut(metaschema, "#")
	if asked[address] {
		c.reject("$schema", from, "leads back to itself: name a draft of JSON Schema, such as https://json-schema.org/draft/2020-12/schema")
		return latest()
	}
	asked[address] = true
	text, err := c.read(address)
	if err != nil {
		c.fail(fmt.Errorf("%s: $schema: %s: %w", c.locate(from), address, err))
		return latest()
	}
	root := text.Root()
	base := latest()
	if schema := root.Get("$schema"); schema.Exists() {
		base = c.dialect(from, schema.Text(), asked)
	}
	d := &dialect{version: base.version, vocabularies: base.vocabularies, custom: address}
	if declared := root.Get("$vocabulary"); declared.Exists() && d.version >= 2019 {
		d.vocabularies = map[string]bool{"core": true}
		for name, required := range declared.Members() {
			_, vocabulary, known := strings.Cut(name, "://json-schema.org/"+strings.TrimSuffix(metaschemaPath(d.version), "schema")+"vocab/")
			if !known && required.Kind() == jsonstream.True {
				c.reject("$schema", from, address+" requires the unknown vocabulary "+name)
			}
			d.vocabularies[vocabulary] = true
		}
	}
	return d
}

// standardFiles are the metaschemas published by json-schema.org.
//
//go:embed metaschemas
var standardFiles embed.FS

var errNoSchema = errors.New("no such schema")

// standardSchema returns a metaschema, or a part of one.
func standardSchema(address string) (*jsonstream.Document, error) {
	_, name, ok := strings.Cut(address, "://json-schema.org/")
	if !ok {
		return nil, errNoSchema
	}
	if name == "schema" {
		name = metaschemaPath(2020)
	}
	text, err := standardFiles.ReadFile("metaschemas/" + name + ".json")
	if err != nil {
		return nil, errNoSchema
	}
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
}

// standardPrograms are the programs of the json-schema.org metaschemas, by version.
var standardPrograms sync.Map // of func() (*Program, error)

// metaschemas returns the programs that check the schemas of a dialect.
func (c *compiler) metaschemas(d *dialect) ([]*Program, error) {
	compile, _ := standardPrograms.LoadOrStore(d.version, sync.OnceValues(func() (*Program, error) {
		return compileStandard(d.version)
	}))
	standard, err := compile.(func() (*Program, error))()
	if err != nil || d.custom == "" {
		return []*Program{standard}, err
	}
	text, err := c.read(d.custom)
	if err != nil {
		return nil, err
	}
	custom, err := Compile(d.custom, text, Options{Load: c.read, Trusted: true})
	return []*Program{standard, custom}, err
}

func compileStandard(version int) (*Program, error) {
	address := "https://json-schema.org/" + metaschemaPath(version)
	text, err := standardSchema(address)
	if err != nil {
		return nil, err
	}
	return Compile(address, text, Options{Trusted: true})
}
