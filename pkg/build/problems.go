package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// The inputs of a [Problem].
const (
	State  = "state"
	Parent = "parent"
)

// The fields of [Options] that can solve a [Problem].
const (
	OptionFrom           = "From"
	OptionTo             = "To"
	OptionAllowExhausted = "AllowExhausted"
)

// A Problem is a fault that prevents a state from becoming a message that its receiver accepts.
type Problem struct {
	Input    string              // State or Parent; "" without a place in them, such as for a fault of the options
	Pointer  string              // JSON Pointer into the input, "" for its root
	Position jsonstream.Position // of that value, or of the innermost existing one around it; zero without an Input
	Text     string              // the fault, the value found and the remedy, after the pointer: one line
	Rule     string              // the ID of the broken rule, of the schema if it is in the state; "" for none
	Option   string              // the field of [Options] that is another remedy, such as OptionFrom; "" for none
}

// Problems are all faults of a state, or of a parent, without duplicates: first those with a place, in the
// order of the text.
type Problems []Problem

func (list Problems) Error() string {
	texts := make([]string, len(list))
	for i, p := range list {
		if texts[i] = p.Text; p.Input != "" {
			texts[i] = p.Input + ": " + p.Text
		}
	}
	return strings.Join(texts, "; ")
}

// stateSchema is the schema of states, parents checks parent messages, and receiver checks the result.
var (
	stateSchema = sync.OnceValues(func() (*validate.Schema, error) { return validate.EmbeddedSchema(schemas.State) })
	parents     = sync.OnceValue(func() *validate.Validator {
		return validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
	})
	receiver = sync.OnceValue(func() *validate.Validator {
		return validate.New(validate.Options{Layers: []finding.Layer{finding.Schema, finding.Completeness}})
	})
)

// Checked is [Message] for any state, valid or not: its receiver accepts the message by schema and
// completeness, or else the error is [Problems]. Any other error is that of ctx. Checked is safe for
// concurrent use if o.Random is.
func Checked(ctx context.Context, state *jsonstream.Document, o Options) (*message.Message, error) {
	schema, err := stateSchema()
	if err != nil {
		return nil, err // impossible: the schema is embedded
	}
	if findings := schema.Check(state.Root()); len(findings) > 0 {
		return nil, problems(state, o, findings)
	}
	m, err := Message(state, o)
	if err != nil {
		list := problems(state, o, nil)
		if len(list) == 0 {
			list = Problems{problemOf(err)} // of the overrides
		}
		return nil, list
	}
	r, err := receiver().Validate(ctx, m)
	if err != nil {
		return nil, err
	}
	if !r.Valid {
		return nil, problems(state, o, nil).andRejected(r.Findings)
	}
	return m, nil
}

// CheckParent checks a message for [Options].Parent by its schema. The error is [Problems], in the order of
// the text, or that of ctx.
func CheckParent(ctx context.Context, m *message.Message) error {
	r, err := parents().Validate(ctx, m)
	if err != nil || r.Valid {
		return err
	}
	var list Problems
	for _, f := range r.Findings {
		list = append(list, problemAt(Parent, f))
	}
	return list
}

// problems returns the faults of a state with these findings of its schema.
func problems(state *jsonstream.Document, o Options, findings []finding.Finding) Problems {
	var list Problems
	known := map[string]bool{} // pointers into the state that have a problem
	all := misnamed(state, findings)
	suggested := map[string]bool{} // members present under other names, which are not reported as missing
	for _, f := range findings {
		suggested[meant(f)] = true
		f.Message += advice(f)
		all = append(all, f)
	}
	delete(suggested, "")
	for _, err := range check(state, o) {
		p := problemOf(err)
		if p.Input == State {
			if !state.Root().At(p.Pointer).Exists() && suggested[strings.TrimPrefix(p.Pointer, "/")] {
				continue
			}
			known[p.Pointer] = true
		}
		list = append(list, p)
	}
	for _, f := range all {
		if f.Pointer == "" && !suggested[f.Missing] || f.Pointer != "" && !known[f.Pointer] {
			list = append(list, problemAt(State, f))
		}
	}
	slices.SortStableFunc(list, func(p, q Problem) int { return cmp.Compare(p.order(), q.order()) })
	return list
}

// order returns the sort key of a problem: its offset in the state; others come last.
func (p Problem) order() int64 {
	if p.Input == State {
		return p.Position.Offset
	}
	return 1<<63 - 1
}

// problemAt returns the problem for a finding in an input.
func problemAt(input string, f finding.Finding) Problem {
	return Problem{Input: input, Pointer: f.Pointer, Position: f.Position(), Text: f.PlacedMessage(), Rule: f.Rule}
}

// problemOf returns the problem for an error of [Message].
func problemOf(err error) Problem {
	p := Problem{Text: err.Error()}
	if errors.As(err, new(*ExhaustedError)) {
		p.Option = OptionAllowExhausted
	}
	if at := (*InputError)(nil); errors.As(err, &at) {
		p = Problem{Input: at.Input, Pointer: at.Pointer, Position: at.Position, Text: strings.TrimPrefix(at.Error(), at.Input+": "), Option: at.option}
	}
	return p
}

// misnamed returns the findings below misnamed members, each with a remedy. The schema cannot report them
// until the names are right.
func misnamed(state *jsonstream.Document, findings []finding.Finding) []finding.Finding {
	var list []finding.Finding
	for _, f := range findings {
		v, name := state.Root().At(f.Pointer), meant(f)
		if name == "" || v.Kind() != jsonstream.Array && advice(f) != "" { // advice shows a whole object
			continue
		}
		schema, err := validate.CompileSchema("handoff:///member", fmt.Appendf(nil, `{"$ref":"%s%s#/properties/%s"}`, schemas.Base, schemas.State, name), nil)
		if err != nil {
			continue
		}
		for _, below := range schema.Check(v) {
			if below.Pointer == f.Pointer {
				continue // f has the remedy
			}
			named := below
			named.Pointer = "/" + name + strings.TrimPrefix(below.Pointer, f.Pointer)
			below.Message += advice(named)
			list = append(list, below)
		}
	}
	return list
}

// andRejected adds the reasons to reject the message that no problem covers.
func (list Problems) andRejected(findings []finding.Finding) Problems {
	for _, f := range findings {
		said := slices.ContainsFunc(list, func(p Problem) bool { return p.Pointer != "" && strings.HasPrefix(f.Pointer, p.Pointer) })
		if f.Severity == finding.Error && !said {
			list = append(list, Problem{Text: fmt.Sprintf("the message would be rejected: %s: %s", f.Reason, f.PlacedMessage()), Rule: f.Rule})
		}
	}
	return list
}
