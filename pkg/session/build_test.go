package session

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// stateSchema checks states, and validator checks messages without the scanners.
var (
	stateSchema, _ = validate.EmbeddedSchema(schemas.State)
	validator      = validate.New(validate.Options{Layers: []finding.Layer{finding.Schema, finding.Completeness, finding.Budget}})
)

// buildable returns the message of a state, and the faults of both.
func buildable(state []byte) ([]byte, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(state), jsonstream.Unlimited())
	if err != nil {
		return state, err
	}
	if findings := stateSchema.Check(doc.Root()); len(findings) > 0 {
		return state, fmt.Errorf("state: %s", findings[0].PlacedMessage())
	}
	m, err := build.Message(doc, build.Options{From: message.FromAgent{AgentID: "a", AgentVersion: "1.0.0"}, To: message.ToAgent{AgentType: "b"}, Random: rand.Reader})
	if err != nil {
		return state, err
	}
	r, err := validator.Validate(context.Background(), m)
	if err == nil && !r.Valid {
		err = fmt.Errorf("message: %s", r.Findings[0].PlacedMessage())
	}
	return m.Raw(), err
}
