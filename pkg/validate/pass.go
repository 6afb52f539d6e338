package validate

import (
	"errors"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A pass reads one message after another and checks each against its schema while reading.
// The schema must be chosen before the format is known: the pass guesses that of the
// previous message.
type pass struct {
	own    *Schema // the caller's, or nil
	skips  bool    // the schema layer is off
	parser message.Parser
	runs   map[*Schema]*schema.Run // nil for a schema without a program
	guess  *Schema
}

func newPass(o Options) *pass {
	p := &pass{own: o.Schema, skips: !o.runs(finding.Schema), runs: map[*Schema]*schema.Run{}}
	p.guess = p.schema(o.Formats[0])
	return p
}

// schema returns the schema of messages in a format.
func (p *pass) schema(f format.Format) *Schema {
	if p.own != nil {
		return p.own
	}
	return schemaOf(f)
}

// parse parses raw and follows it with the schema that it probably has.
func (p *pass) parse(raw jsonstream.Raw, limits jsonstream.Limits) (*message.Message, *jsonstream.SyntaxError) {
	var follower jsonstream.Follower
	if run := p.run(p.guess); run != nil && !p.skips {
		follower = run
	}
	m, err := p.parser.Parse(raw, message.Options{Limits: limits}, follower)
	if err != nil {
		var damage *jsonstream.SyntaxError
		errors.As(err, &damage) // it is never anything else
		return nil, damage
	}
	return m, nil
}

// verdict returns the run of the message's own schema over it, or nil if it was not run.
func (p *pass) verdict(m *message.Message, f format.Format) *schema.Run {
	if p.skips {
		return nil
	}
	s := p.schema(f)
	run := p.run(s)
	if s != p.guess && run != nil {
		m.Root().Follow(run)
	}
	p.guess = s
	return run
}

func (p *pass) run(s *Schema) *schema.Run {
	run, ok := p.runs[s]
	if !ok {
		run = s.newRun()
		p.runs[s] = run
	}
	return run
}
