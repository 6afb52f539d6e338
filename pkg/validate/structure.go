package validate

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Fixture is the rule about a conformance fixture, which is not a message.
const Fixture = "schema/fixture"

// Structure returns the findings about missing members and wrong types, by the schema of the message's own
// format, and about unknown roles; for a [Fixture], only that finding. It skips other values with only a wrong form
// (a pattern, a range, a list of words) and Unix timestamps of SW4RM, which a conversion keeps.
func Structure(ctx context.Context, m *message.Message, of format.Format, limits jsonstream.Limits) ([]finding.Finding, error) {
	schema := Options{Formats: []format.Format{of}, Layers: []finding.Layer{finding.Schema}, Limits: limits}
	result, err := New(schema).Validate(ctx, m)
	var all []finding.Finding
	for _, f := range result.Findings {
		if f.Rule == Fixture {
			return append(all, f), err
		}
		if isStructural(f) {
			all = append(all, f)
		}
	}
	return all, err
}

// sw4rmTime matches the places of timestamps that are normalised.
var sw4rmTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/context_snapshot)?/conversation_history/[0-9]+/timestamp$`)
})

func isStructural(f finding.Finding) bool {
	switch f.Rule {
	case "schema/required":
		return true
	case "schema/type":
		return !sw4rmTime().MatchString(f.Pointer) || !strings.Contains(f.Message, "found the number")
	case "schema/enum": // who speaks
		return strings.HasSuffix(f.Pointer, "/role")
	case "schema/anyOf", "schema/oneOf":
		return !strings.HasPrefix(f.Message, "only one of") // a member in two spellings
	default:
		return false
	}
}
