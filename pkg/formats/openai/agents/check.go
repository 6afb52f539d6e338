package agents

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// maxFindings is the maximum number of findings per file: a hostile file could have
// millions.
const maxFindings = 1000

// Defaults of [Options].
const (
	DefaultMaxHandoffs = 10
	DefaultLongHistory = 3
)

// Options configures the limits of [Check].
type Options struct {
	// MaxHandoffs is the maximum number of handoffs of an agent; 0 means DefaultMaxHandoffs.
	MaxHandoffs int
	// LongHistory is the number of handoffs from the first agent at which the history counts
	// as long; 0 means DefaultLongHistory.
	LongHistory int
}

// Check returns the findings in definitions, by [Rules], in text order; in a file with more
// than a thousand faults, only the first ones found. Places refer to the YAML or JSON text.
func Check(d *Definitions, o Options) []finding.Finding {
	c := &checker{Definitions: d, o: o}
	c.o.MaxHandoffs = cmp.Or(o.MaxHandoffs, DefaultMaxHandoffs)
	c.o.LongHistory = cmp.Or(o.LongHistory, DefaultLongHistory)
	for _, f := range schema().Check(d.doc.Root()) {
		f.Rule, f.Layer, f.Reason = ruleShape, finding.Protocol, ""
		c.add(f)
	}
	c.checkNames()
	for _, a := range d.Agents {
		for _, h := range a.Handoffs {
			c.checkHandoff(h)
		}
		c.checkNumber(a)
		c.checkSimilar(a)
	}
	c.checkDescriptions()
	c.checkTools()
	c.checkGraph()
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	for i, f := range c.found {
		c.found[i] = f.At(f.Pointer, d.doc.InText(f.Position()))
	}
	return c.found
}

var schema = sync.OnceValue(func() *validate.Schema {
	s, err := validate.EmbeddedSchema(schemas.OpenAIAgents)
	if err != nil {
		panic(err) // impossible: a test compiles all embedded schemas
	}
	return s
})

// A checker collects the findings in definitions, with places in the document.
type checker struct {
	*Definitions
	o     Options
	found []finding.Finding
}

func (c *checker) add(f finding.Finding) {
	if len(c.found) < maxFindings {
		c.found = append(c.found, f)
	}
}

// report adds a finding at a value.
func (c *checker) report(rule string, at jsonstream.Value, format string, args ...any) {
	c.add(newFinding(rule, format, args...).On(at))
}

func newFinding(rule, format string, args ...any) finding.Finding {
	return finding.Finding{Rule: rule, Layer: finding.Protocol, Severity: severities()[rule], Message: fmt.Sprintf(format, args...)}
}

// checkNames checks that agent names are unique.
func (c *checker) checkNames() {
	for _, a := range c.Agents {
		if c.byName[a.Name] != a {
			c.report(ruleRepeated, a.at.Get("name"), "an earlier agent is also named %s: give one of them another name", finding.Quote(a.Name))
		}
	}
	if start := c.doc.Root().Get("start"); start.Text() != "" && c.Start == nil {
		c.report(ruleTarget, start, "no agent is named %s: a run must start with one of %s", finding.QuoteValue(start), c.names())
	}
}

// maxNames is the maximum number of names listed in a finding.
const maxNames = 6

func (c *checker) names() string {
	return listed(c.Agents, ", ", func(a *Agent) string { return a.Name })
}

// listed joins the first names, followed by the number of those omitted.
func listed[T any](list []T, separator string, name func(T) string) string {
	var names []string
	for i, one := range list {
		if i == maxNames {
			names = append(names, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		names = append(names, finding.Quote(name(one)))
	}
	return strings.Join(names, separator)
}

// checkHandoff checks a handoff by itself.
func (c *checker) checkHandoff(h *Handoff) {
	if h.Name == "" {
		return // the schema has a finding
	}
	if h.To == nil {
		at := h.at
		if at.Kind() == jsonstream.Object {
			at = at.Get("agent")
		}
		c.report(ruleTarget, at, "no agent is named %s: the agents are %s", finding.Quote(h.Name), c.names())
	}
	if wrong := (*ConditionError)(nil); errors.As(h.wrong, &wrong) {
		at := h.at.Get("is_enabled")
		f := newFinding(ruleEnabled, "%s is not a condition: at character %d: %s", finding.QuoteValue(at), 1+len([]rune(at.Text()[:wrong.Offset])), wrong.Problem)
		c.add(f.At(f.On(at).Pointer, at.PositionIn(wrong.Offset)))
	}
	if !isToolName(h.Tool) {
		at, what := h.at.Get("tool_name_override"), "expected"
		if at.Text() == "" {
			at, what = h.at, "set tool_name_override, because the tool name from the agent's name is too long: expected"
		}
		c.report(ruleToolName, at, "%s 1 to %d letters, digits, _ or -, found %s", what, maxToolName, finding.Quote(h.Tool))
	}
	if unfit := (*tool.SchemaError)(nil); h.inputType.Exists() && h.inputType.Len() > 0 {
		number := (*jsonstream.NumberError)(nil)
		switch _, err := tool.Strict(nil, h.inputType); {
		case errors.As(jsonstream.CheckNumbers(h.inputType), &number):
			c.add(newFinding(ruleInputType, "%s", number.Error()).At(number.Pointer, number.Position))
		case errors.As(err, &unfit):
			c.add(newFinding(ruleInputType, "%s", unfit.Problem).At(finding.Pointer(unfit.Pointer), unfit.Position))
		case err != nil:
			c.report(ruleInputType, h.inputType, "%s", err.Error())
		}
	}
}

// maxToolName is the API's maximum length of a function name.
const maxToolName = 64

func isToolName(name string) bool {
	return name != "" && len(name) <= maxToolName && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && (r > 0x7f || !isLetter(byte(r)) && !isDigit(byte(r)))
	})
}

// checkTools checks that tool names are unique.
func (c *checker) checkTools() {
	for _, a := range c.Agents {
		own := map[string]*Handoff{}
		for _, h := range a.Handoffs {
			if h.Name == "" {
				continue
			}
			at := h.at
			if override := at.Get("tool_name_override"); override.Text() != "" {
				at = override
			}
			before, first := own[h.Tool], c.givers[h.Tool]
			switch name := finding.Quote(h.Tool); {
			case a.toolNames[h.Tool]:
				c.report(ruleSameTool, at, "the agent has another tool with the name %s: set tool_name_override", name)
			case before != nil && before.Name == h.Name && (before.condition == nil || h.condition == nil) && before.enabled && h.enabled:
				c.report(ruleSameTool, at, "the agent already hands over to %s with the tool %s: remove one of the two, or give both a condition", finding.Quote(h.Name), name)
			case first.Name != h.Name:
				c.report(ruleSameTool, at, "the tools that hand over to %s and %s have the same name: %s; set tool_name_override", finding.Quote(h.Name), finding.Quote(first.Name), name)
			}
			own[h.Tool] = h
		}
	}
}

// checkNumber checks the number of an agent's handoffs, in total and per domain.
func (c *checker) checkNumber(a *Agent) {
	if n := len(a.Handoffs); n > c.o.MaxHandoffs {
		c.report(ruleMany, a.at.Get("handoffs"), "%s has %d handoffs, more than %d: combine similar agents, or hand over to one agent per domain", finding.Quote(a.Name), n, c.o.MaxHandoffs)
	}
	domains := map[string][]*Handoff{}
	counted := map[string]bool{}
	for _, h := range a.Handoffs {
		words := nameWords(h.Name)
		if len(words) < 2 || counted[h.Name] {
			continue
		}
		counted[h.Name] = true
		domains[words[0]] = append(domains[words[0]], h)
		if group := domains[words[0]]; len(group) == fineGrained {
			c.report(ruleGranular, h.at, "%s hands over to several agents of the domain %s, such as %s: combine them into one agent", finding.Quote(a.Name), finding.Quote(words[0]),
				listed(group, ", ", func(h *Handoff) string { return h.Name }))
		}
	}
}

// fineGrained is the number of agents in one domain that is reported as too many.
const fineGrained = 3
