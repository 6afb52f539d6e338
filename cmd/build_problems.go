package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// A rejection is why a message that was built would be rejected.
type rejection []finding.Finding

func (r rejection) Error() string { return finding.Details(r) }

// A problem keeps a state from becoming a message.
type problem struct {
	pointer string
	offset  int64 // in the state; the largest there is for what has no place in it
	err     error
}

// nowhere is behind all places.
const nowhere = 1<<63 - 1

// problems returns all that is wrong with a state, in the order of its text: what its schema
// has found, and what there is beside. failure is why no message was made of a state that its
// schema has passed.
func (b *builder) problems(d input.Document, state *jsonstream.Document, findings []finding.Finding, failure error) error {
	var list []problem
	known := map[string]bool{} // the pointers that have a problem
	suggested := suggestions(findings)
	for _, err := range build.Check(state, b.Options) {
		p := problem{offset: nowhere, err: cli.Reject(b.placed(d, err))}
		if at := (*build.InputError)(nil); errors.As(err, &at) {
			if missing := !state.Root().At(at.Pointer).Exists(); missing && suggested[strings.TrimPrefix(at.Pointer, "/")] {
				continue
			}
			p.pointer = at.Pointer
			if at.Input == "state" {
				known[at.Pointer], p.offset = true, at.Position.Offset
			}
			if flag := agentFlags[at.Pointer]; flag != "" && !state.Root().At(at.Pointer).Exists() {
				p.err = fmt.Errorf("%w, or name it with %s", b.placed(d, err), flag)
			}
		}
		list = append(list, p)
	}
	for _, f := range append(findings, misnamed(state, findings)...) {
		if known[f.Pointer] && f.Pointer != "" || suggested[missingMember(f)] {
			continue
		}
		b.malformed.Store(true)
		err := cli.Reject(fmt.Errorf("%s:%d:%d: %s%s", d.Source.Name, f.Line, f.Column, f.PlacedMessage(), build.Advice(f)))
		list = append(list, problem{f.Pointer, f.Offset, err})
	}
	var rejected rejection
	if errors.As(failure, &rejected) {
		for _, f := range rejected {
			if !slices.ContainsFunc(list, func(p problem) bool { return p.pointer != "" && strings.HasPrefix(f.Pointer, p.pointer) }) {
				err := cli.Reject(fmt.Errorf("%s: the message would be rejected: %s: %s", d.Source.Name, f.Reason, f.PlacedMessage()))
				list = append(list, problem{f.Pointer, nowhere, err})
			}
		}
	} else if failure != nil && len(list) == 0 {
		return cli.Reject(b.placed(d, failure))
	}
	slices.SortStableFunc(list, func(p, q problem) int { return cmp.Compare(p.offset, q.offset) })
	errs := make([]error, len(list))
	for i, p := range list {
		errs[i] = p.err
	}
	return errors.Join(errs...)
}

// agentFlags are the flags that name the agents which a state does not.
var agentFlags = map[string]string{"/fromAgent": "--from ID@VERSION", "/toAgent": "--to TYPE"}

// suggestions returns the members that findings about unknown ones suggest: that these are
// missing is no problem of its own.
func suggestions(findings []finding.Finding) map[string]bool {
	names := map[string]bool{}
	for _, f := range findings {
		if name := build.Meant(f); name != "" {
			names[name] = true
		}
	}
	return names
}

// misnamed returns what is wrong below members that have another name than they should: it would
// be found when they have theirs.
func misnamed(state *jsonstream.Document, findings []finding.Finding) []finding.Finding {
	var list []finding.Finding
	for _, f := range findings {
		v, name := state.Root().At(f.Pointer), build.Meant(f)
		if name == "" || v.Kind() != jsonstream.Array && build.Advice(f) != "" { // which shows all of an object
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
			meant := below
			meant.Pointer = "/" + name + strings.TrimPrefix(below.Pointer, f.Pointer)
			below.Message += build.Advice(meant)
			list = append(list, below)
		}
	}
	return list
}

// missingMember returns the member of the state that a finding misses, "" if it is about
// something else.
func missingMember(f finding.Finding) string {
	text, ok := strings.CutPrefix(f.Message, "the required member ")
	if !ok || f.Pointer != "" {
		return ""
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return ""
	}
	name, _ := strconv.Unquote(quoted)
	return name
}

// placed puts before an error the place in the state or the parent that it is
// about.
func (b *builder) placed(d input.Document, err error) error {
	name := d.Source.Name
	var at *build.InputError
	if exhausted := (*build.ExhaustedError)(nil); errors.As(err, &exhausted) {
		return fmt.Errorf("%s: %w, or hand over all the same with --allow-exhausted", name, err)
	}
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if at.Input == "parent" {
		name = b.parent
	}
	return fmt.Errorf("%s:%d:%d: %s", name, at.Position.Line, at.Position.Column, strings.TrimPrefix(at.Error(), at.Input+": "))
}
