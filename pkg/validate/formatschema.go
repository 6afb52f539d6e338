package validate

import (
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// formatSchemas load the schemas of the formats, each on first use.
var formatSchemas = sync.OnceValue(func() map[format.Format]func() *Schema {
	all := map[format.Format]func() *Schema{}
	for _, d := range formats.All() {
		all[d.Name] = sync.OnceValue(func() *Schema { return load(d) })
	}
	return all
})

func schemaOf(f format.Format) *Schema { return formatSchemas()[f]() }

// load returns the schema of a format. It panics if the schema does not compile, which is a bug.
func load(d *format.Descriptor) *Schema {
	s, err := EmbeddedSchema(d.Schema)
	if d.SchemaText != nil {
		s, err = CompileSchema("file:///"+string(d.Name), d.SchemaText, nil)
	}
	if err != nil {
		panic("schema of " + string(d.Name) + ": " + err.Error())
	}
	return s
}

// checkSchema runs the schema layer.
func checkSchema(root jsonstream.Value, f format.Format, o Options) []finding.Finding {
	switch {
	case o.Schema != nil:
		return o.Schema.Check(root)
	case f == format.EAAPL:
		found := checkMessageSchema(root, o)
		if len(found) == 0 {
			return nil
		}
		if isUnknown(root, o) {
			return []finding.Finding{unknownDocument(root)}
		}
		if refused := refusedFormat(root, o); refused != "" {
			return []finding.Finding{refusedDocument(root, refused)}
		}
		return found
	}
	d := formats.Named(f)
	if d.Schema == "" && d.SchemaText == nil {
		return nil
	}
	if lookalike := d.Lookalike; lookalike != nil {
		if kind, problem, at := lookalike(root); kind != "" {
			return []finding.Finding{schemaFinding(kind, problem).On(at)}
		}
	}
	return schemaOf(f).Check(root)
}
