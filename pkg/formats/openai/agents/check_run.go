package agents

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A RunChecker checks recorded runs against definitions. It is safe for concurrent use.
type RunChecker struct {
	d      *Definitions
	o      RunOptions
	inputs map[*Handoff]*validate.Schema
}

// NewRunChecker returns a checker of runs against the definitions. The error names an input
// type that is not a JSON Schema.
func (d *Definitions) NewRunChecker(o RunOptions) (*RunChecker, error) {
	c := &RunChecker{d: d, o: o, inputs: map[*Handoff]*validate.Schema{}}
	c.o.Window = cmp.Or(o.Window, DefaultWindow)
	c.o.MaxItems = cmp.Or(o.MaxItems, openai.DefaultMaxItems)
	for _, a := range d.Agents {
		for _, h := range a.Handoffs {
			if !h.inputType.Exists() || h.inputType.Len() == 0 {
				continue
			}
			s, err := validate.CompileSchema("file:///input_type.json", h.inputType.Raw(), func(url string) ([]byte, error) {
				return nil, fmt.Errorf("refers to %s: write the schema under $defs of the input type", finding.Quote(url))
			})
			if err != nil {
				return nil, fmt.Errorf("input_type of the handoff of %s to %s: %w", finding.Quote(a.Name), finding.Quote(h.Name), err)
			}
			c.inputs[h] = s
		}
	}
	return c, nil
}

// Check returns the deviations of a recorded run from the definitions, by [RunRules] and
// [openai.HandoffInput], in run order.
func (c *RunChecker) Check(data jsonstream.Value) []finding.Finding {
	r := runReport{RunChecker: c}
	for e := range c.d.events(data, c.o) {
		switch e.kind {
		case heard:
			r.last = nil
		case called:
			r.checkCall(e)
		case transfer:
			r.checkBounce(e)
			r.checkFilter(e)
		}
	}
	return r.found
}

// A runReport collects the findings of one run.
type runReport struct {
	*RunChecker
	last  *event // the last transfer since the last message of the user
	found []finding.Finding
}

func (r *runReport) report(rule string, at jsonstream.Value, format string, args ...any) {
	r.found = append(r.found, newFinding(rule, format, args...).On(at))
}

func (r *runReport) checkCall(e event) {
	name := e.Value.Get("name").Text()
	quoted := finding.Quote(name)
	owner, giver := r.d.owners[name], r.d.givers[name]
	switch {
	case e.by == nil: // the agent is not defined
	case len(e.handoffs) > 0:
		r.checkHandoff(e, quoted)
	case e.by.toolNames[name]:
	case giver != nil:
		r.report(ruleUnknownCall, e.At, "%s has no handoff %s, which belongs to %s: filter out the tool calls of earlier agents, or give it the handoff", finding.Quote(e.by.Name), quoted, finding.Quote(giver.From.Name))
	case strings.HasPrefix(name, tool.Prefix):
		r.report(ruleUnknownCall, e.At, "%s has no handoff %s, and no other agent has it: define it, or find out why the model called it", finding.Quote(e.by.Name), quoted)
	case owner != nil:
		r.report(ruleForeignTool, e.At, "%s has no tool %s, which belongs to %s: filter out the tool calls of earlier agents, or give it the tool", finding.Quote(e.by.Name), quoted, finding.Quote(owner.Name))
	}
}

// checkHandoff checks a call to one of the agent's handoffs.
func (r *runReport) checkHandoff(e event, name string) {
	var used *Handoff
	for _, h := range e.handoffs {
		if enabled, known := h.Enabled(r.o.Context); enabled || !known {
			used = h
			break
		}
	}
	if used == nil {
		why := "is_enabled is false"
		if condition := e.handoffs[0].condition; condition != nil {
			why = "not " + finding.Quote(condition.String())
		}
		r.report(ruleDisabledCall, e.At, "the handoff %s of %s is disabled (%s): the model did not get it", name, finding.Quote(e.by.Name), why)
		used = e.handoffs[0]
	}
	schema := r.inputs[used]
	if schema == nil {
		return
	}
	arguments := e.Value.Get("arguments")
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(cmp.Or(arguments.Text(), "{}"))), jsonstream.Limits{})
	if err != nil {
		return // openai.Check reports it
	}
	at := e.At
	if e.Value == e.At && arguments.Exists() {
		at = arguments // not in a summary
	}
	for _, problem := range schema.Check(doc.Root()) {
		f := finding.Finding{Rule: openai.HandoffInput, Layer: finding.Protocol, Severity: finding.Error}
		f.Message = fmt.Sprintf("the input of the handoff %s does not match its input_type: %s", name, problem.PlacedMessage())
		r.found = append(r.found, f.On(at))
	}
}

// checkFilter reports a handoff that passes on a long history without a filter.
func (r *runReport) checkFilter(e event) {
	if e.taken != nil && !e.taken.filtered && e.place > r.o.MaxItems {
		r.report(ruleUnfiltered, e.At, "%s hands over %d items to %s, more than %d, and the definition has no filter: name an input_filter, or nest the history",
			finding.Quote(e.by.Name), e.place, finding.Quote(e.taken.Name), r.o.MaxItems)
	}
}

// checkBounce reports a task that returns to the agent it came from.
func (r *runReport) checkBounce(e event) {
	if e.by == nil || e.to == nil {
		r.last = nil
		return
	}
	if last := r.last; last != nil && last.by == e.to && last.to == e.by && e.to != e.by && e.index-last.index <= r.o.Window {
		r.report(ruleBounce, e.At, "the task went %s within %d items: make the descriptions of the agents more specific, or give the first agent the missing tools or instructions",
			listed([]*Agent{e.to, e.by, e.to}, " → ", func(a *Agent) string { return a.Name }), e.index-last.index)
	}
	r.last = &e
}
