package agents

import (
	"fmt"

	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Definitions holds the definitions of agents and their handoffs. It is safe for concurrent
// use.
type Definitions struct {
	Agents []*Agent // agents with a name, in text order
	Start  *Agent   // the first agent of a run; nil if it is not defined

	doc     *yamldoc.Placed
	byName  map[string]*Agent // the first agent with each name
	byPlace map[jsonstream.Value]*Agent
	owners  map[string]*Agent   // the first agent with a tool, by the tool's name
	givers  map[string]*Handoff // the first handoff with a tool, by the tool's name
	nests   bool                // the run nests histories
}

// An Agent is the definition of an agent.
type Agent struct {
	Name        string
	Description string // the handoff_description
	Handoffs    []*Handoff

	tools     []jsonstream.Value // names or definitions
	toolNames map[string]bool
	byTool    map[string][]*Handoff
	at        jsonstream.Value
}

// A Handoff is a tool for handing over to another agent.
type Handoff struct {
	From *Agent
	To   *Agent // nil if no agent has this name
	Name string // of the next agent
	Tool string // the name of the tool

	at          jsonstream.Value // the name of the next agent, or an object
	filtered    bool             // there is an input filter
	enabled     bool             // unless it is conditional
	condition   *Condition       // nil for none
	wrong       error            // the error in the condition
	inputType   jsonstream.Value // absent for none
	description string           // tool_description_override
}

// Parse parses definitions in YAML or JSON. The error is that of [yamldoc.Parse]. Definitions
// with other faults are omitted from the result; [Check] reports them.
func Parse(text []byte) (*Definitions, error) {
	doc, err := yamldoc.ParsePlaced(text)
	if err != nil {
		return nil, err
	}
	root := doc.Root()
	d := &Definitions{doc: doc, byName: map[string]*Agent{}, byPlace: map[jsonstream.Value]*Agent{}, owners: map[string]*Agent{}, givers: map[string]*Handoff{}}
	d.nests = root.Get("nest_handoff_history").Kind() == jsonstream.True
	for _, at := range root.Get("agents").Elements() {
		a := &Agent{Name: at.Get("name").Text(), Description: at.Get("handoff_description").Text(), toolNames: map[string]bool{}, byTool: map[string][]*Handoff{}, at: at}
		if a.Name == "" {
			continue
		}
		d.Agents = append(d.Agents, a)
		d.byPlace[at] = a
		if d.byName[a.Name] == nil {
			d.byName[a.Name] = a
		}
		for _, one := range at.Get("tools").Elements() {
			a.tools = append(a.tools, one)
			name := toolName(one)
			if name == "" {
				continue // a hosted tool of the API
			}
			if a.toolNames[name] = true; d.owners[name] == nil {
				d.owners[name] = a
			}
		}
	}
	for _, a := range d.Agents {
		for _, at := range a.at.Get("handoffs").Elements() {
			h := d.newHandoff(a, at)
			a.Handoffs = append(a.Handoffs, h)
			for _, name := range h.toolNames() {
				a.byTool[name] = append(a.byTool[name], h)
				if d.givers[name] == nil {
					d.givers[name] = h
				}
			}
		}
	}
	if start := root.Get("start"); start.Exists() {
		d.Start = d.byName[start.Text()]
	} else if len(d.Agents) > 0 {
		d.Start = d.Agents[0]
	}
	return d, nil
}

func (d *Definitions) newHandoff(from *Agent, at jsonstream.Value) *Handoff {
	h := &Handoff{From: from, Name: at.Text(), at: at, enabled: true}
	if at.Kind() == jsonstream.Object {
		h.Name = at.Get("agent").Text()
	}
	h.To = d.byName[h.Name]
	if h.Tool = at.Get("tool_name_override").Text(); h.Tool == "" {
		h.Tool = tool.Python.ToolName(h.Name)
	}
	h.description = at.Get("tool_description_override").Text()
	nests := at.Get("nest_handoff_history").Kind()
	h.filtered = at.Get("input_filter").Text() != "" || nests == jsonstream.True || d.nests && nests != jsonstream.False
	if input := at.Get("input_type"); input.Kind() == jsonstream.Object {
		h.inputType = input
	}
	switch enabled := at.Get("is_enabled"); enabled.Kind() {
	case jsonstream.False:
		h.enabled = false
	case jsonstream.String:
		h.condition, h.wrong = parseCondition(enabled.Text())
	}
	return h
}

// toolNames returns the tool's names in runs. Without tool_name_override, the SDK for
// JavaScript may use a different name than the SDK for Python.
func (h *Handoff) toolNames() []string {
	names := []string{h.Tool}
	if name := tool.JavaScript.ToolName(h.Name); name != h.Tool && h.at.Get("tool_name_override").Text() == "" {
		names = append(names, name)
	}
	return names
}

// toolName returns the name of a tool other than a handoff, "" if it has none.
func toolName(v jsonstream.Value) string {
	if v.Kind() == jsonstream.Object {
		return v.Get("name").Text()
	}
	return v.Text()
}

// Agent returns the agent with a name, or nil.
func (d *Definitions) Agent(name string) *Agent { return d.byName[name] }

// Never reports whether the handoff is disabled in every run.
func (h *Handoff) Never() bool { return !h.enabled }

// Condition returns the condition of the handoff, or nil if it has none.
func (h *Handoff) Condition() *Condition { return h.condition }

// Enabled reports whether the handoff is enabled in a run context, and whether that is
// known: without a context, the result of a condition is unknown.
func (h *Handoff) Enabled(context jsonstream.Value) (enabled, known bool) {
	if h.condition == nil {
		return h.enabled, true
	}
	return h.condition.Holds(context), context.Exists()
}

// describes returns the description of the next agent for the model and its value in the
// text, or "" if there is none.
func (h *Handoff) describes() (text string, at jsonstream.Value) {
	if h.description != "" {
		return h.description, h.at.Get("tool_description_override")
	}
	if h.To == nil {
		return "", jsonstream.Value{}
	}
	return h.To.Description, h.To.at.Get("handoff_description")
}

// definition returns the definition of the tool, as package tool generates it.
func (h *Handoff) definition() ([]byte, error) {
	o := tool.Options{Name: h.Tool, WholeDescription: h.description, InputSchema: h.inputType}
	if h.To != nil {
		o.Description = h.To.Description
	}
	return tool.Definition(h.Name, o)
}

// Tools returns the tools of an agent for its model in a run context, in the form of the
// Responses API: first the agent's defined tools, but not those given only by name, then its
// enabled handoffs. Without a context, conditional handoffs are included and returned in
// unsure. The error is about a handoff for which [Check] reports an error.
func (d *Definitions) Tools(a *Agent, context jsonstream.Value) (tools [][]byte, unsure []*Handoff, err error) {
	for _, one := range a.tools {
		if one.Kind() == jsonstream.Object {
			tools = append(tools, jsonstream.AppendCompact(nil, one.Raw()))
		}
	}
	for _, h := range a.Handoffs {
		enabled, known := h.Enabled(context)
		if !enabled && known {
			continue
		}
		if !known {
			unsure = append(unsure, h)
		}
		definition, err := h.definition()
		if err != nil {
			return nil, nil, fmt.Errorf("handoff of %s to %s: %w", finding.Quote(a.Name), finding.Quote(h.Name), err)
		}
		tools = append(tools, definition)
	}
	return tools, unsure, nil
}
