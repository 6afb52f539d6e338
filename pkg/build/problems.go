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

// What a [Problem] is about.
const (
	State  = "state"
	Parent = "parent"
)

// The fields of [Options] that help against a [Problem].
const (
	OptionFrom           = "From"
	OptionTo             = "To"
	OptionAllowExhausted = "AllowExhausted"
)

// A Problem is one thing that keeps a state from becoming a message that its receiver accepts.
type Problem struct {
	Input    string              // State or Parent; "" for what has no place in them, as what is wrong with the options
	Pointer  string              // JSON Pointer into the input, "" for its root
	Position jsonstream.Position // of that value, or of the innermost one around it that is there; without an Input zero
	Text     string              // what is wrong, what was found, what to do, after the pointer: one line
	Rule     string              // the ID of the rule that it breaks, of the schema if it is in the state; "" for none
	Option   string              // which field of [Options] helps as well, such as OptionFrom; "" for none
}

// Problems are all that is wrong with a state, or with a parent, each once, in the order of its text; then what has no
// place in it.
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

// stateSchema is that of states, parents checks what came with them, and receiver what becomes of them.
var (
	stateSchema = sync.OnceValues(func() (*validate.Schema, error) { return validate.EmbeddedSchema(schemas.State) })
	parents     = sync.OnceValue(func() *validate.Validator {
		return validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
	})
	receiver = sync.OnceValue(func() *validate.Validator {
		return validate.New(validate.Options{Layers: []finding.Layer{finding.Schema, finding.Completeness}})
	})
)

// Checked is [Message] for a state that may have anything wrong with it: the message is one that
// its receiver accepts by its schema and its completeness, and else the error is [Problems]. Any
// other error is that of ctx. It is safe for concurrent use if o.Random is.
func Checked(ctx context.Context, state *jsonstream.Document, o Options) (*message.Message, error) {
	schema, err := stateSchema()
	if err != nil {
		return nil, err // impossible: it is embedded
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

// CheckParent checks what is to be [Options].Parent: its schema. If something is wrong, the error is
// [Problems], in the order of its text. Any other error is that of ctx.
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

// problems returns what is wrong with a state, whose schema has these findings.
func problems(state *jsonstream.Document, o Options, findings []finding.Finding) Problems {
	var list Problems
	known := map[string]bool{} // the pointers into the state that have a problem
	all := misnamed(state, findings)
	suggested := map[string]bool{} // the members that are there under other names: that they are missing is no problem
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

// order is by places in the state; what has none is last.
func (p Problem) order() int64 {
	if p.Input == State {
		return p.Position.Offset
	}
	return 1<<63 - 1
}

// problemAt returns the problem that a finding in an input is.
func problemAt(input string, f finding.Finding) Problem {
	return Problem{Input: input, Pointer: f.Pointer, Position: f.Position(), Text: f.PlacedMessage(), Rule: f.Rule}
}

// problemOf returns the problem that an error of [Message] is about.
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

// misnamed returns what is wrong below members that have another name than they should, with what
// to write: it would be found when they have theirs.
func misnamed(state *jsonstream.Document, findings []finding.Finding) []finding.Finding {
	var list []finding.Finding
	for _, f := range findings {
		v, name := state.Root().At(f.Pointer), meant(f)
		if name == "" || v.Kind() != jsonstream.Array && advice(f) != "" { // which shows all of an object
			continue
		}
		schema, err := validate.CompileSchema("handoff:///member", fmt.Appendf(nil, `{"$ref":"%s%s#/properties/%s"}`, schemas.Base, schemas.State, name), nil)
		if err != nil {
			continue
		}
		for _, below := range schema.Check(v) {
			if below.Pointer == f.Pointer {
				continue // f says what to write
			}
			named := below
			named.Pointer = "/" + name + strings.TrimPrefix(below.Pointer, f.Pointer)
			below.Message += advice(named)
			list = append(list, below)
		}
	}
	return list
}

// andRejected adds why the message would be rejected, as far as the problems do not say it.
func (list Problems) andRejected(findings []finding.Finding) Problems {
	for _, f := range findings {
		said := slices.ContainsFunc(list, func(p Problem) bool { return p.Pointer != "" && strings.HasPrefix(f.Pointer, p.Pointer) })
		if f.Severity == finding.Error && !said {
			list = append(list, Problem{Text: fmt.Sprintf("the message would be rejected: %s: %s", f.Reason, f.PlacedMessage()), Rule: f.Rule})
		}
	}
	return list
}
