package validate

import (
	"sync"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/macp"
	"github.com/eaapl/handoff/schemas"
)

// formatSchemas load the schemas of the formats beside the canonical one, each when
// it is first used.
var formatSchemas = map[format.Format]func() *Schema{
	format.SW4RMContext:  embedded(schemas.SW4RMContext),
	format.SW4RMRequest:  embedded(schemas.SW4RMRequest),
	format.SW4RMResponse: embedded(schemas.SW4RMResponse),
	format.MACP:          embedded(schemas.MACPTranscript),
	format.OpenAI:        embedded(schemas.OpenAIInputData),
}

// checkFormatSchema is the schema layer of a format beside the canonical one.
func checkFormatSchema(root jsonstream.Value, f format.Format) []Finding {
	if f == format.MACP && macp.IsFixture(root) {
		return []Finding{schemaFinding("fixture", "a conformance fixture, which says what is to happen, and not a transcript: found messages with the member \"expect\"; replay it with handoff macp check").on(root.Get("messages"))}
	}
	return formatSchemas[f]().Check(root)
}

func embedded(name string) func() *Schema {
	return sync.OnceValue(func() *Schema {
		s, err := EmbeddedSchema(name)
		if err != nil {
			panic("embedded schema " + name + ": " + err.Error()) // the package's own tests compile it
		}
		return s
	})
}
