package validate

import (
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// formatSchemas load the schemas of the formats, each when it is first used.
var formatSchemas = map[format.Format]func() *Schema{
	format.EAAPL:         embedded(schemas.Message),
	format.SW4RMContext:  embedded(schemas.SW4RMContext),
	format.SW4RMRequest:  embedded(schemas.SW4RMRequest),
	format.SW4RMResponse: embedded(schemas.SW4RMResponse),
	format.MACP:          embedded(schemas.MACPTranscript),
	format.OpenAI:        embedded(schemas.OpenAIInputData),
}

func schemaOf(f format.Format) *Schema { return formatSchemas[f]() }

// checkSchema is the schema layer. run is that of the message's schema over it, nil if
// there was none.
func checkSchema(root jsonstream.Value, f format.Format, o Options, run *schema.Run) []finding.Finding {
	switch {
	case o.Schema != nil:
		return o.Schema.check(root, run)
	case f == format.EAAPL:
		return checkMessageSchema(root, o.Receiver, run)
	case f == format.MACP && macp.IsFixture(root):
		return []finding.Finding{schemaFinding("fixture", "a conformance fixture, which says what is to happen, and not a transcript: found messages with the member \"expect\"; replay it with handoff macp check").On(root.Get("messages"))}
	}
	return schemaOf(f).check(root, run)
}

func embedded(name string) func() *Schema {
	return sync.OnceValue(func() *Schema {
		s, err := EmbeddedSchema(name)
		if err != nil {
			panic("embedded schema " + name + ": " + err.Error())
		}
		return s
	})
}
