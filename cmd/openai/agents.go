package openai

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
)

func newAgents(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "agents",
		Short: "Check and draw agent definitions, and print their tools",
		Long: `Agents works with a file that defines agents and the handoffs between them, in YAML or
JSON, with the names that handoff() and Agent of the SDK use (docs/openai-agents.md).
"handoff example openai-agents" prints an example.`,
		Example: `  handoff openai agents check agents.yaml
  handoff openai agents graph agents.yaml > agents.mmd
  handoff openai agents tools Triage agents.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newAgentsCheck(g), newAgentsGraph(g), newAgentsTools(g))
	return c
}

// A contextFlag is the flag for the run context, which conditions refer to.
type contextFlag struct{ context string }

func (f *contextFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&f.context, "context", "", "run context for the conditions of handoffs: a `FILE`, YAML or JSON")
}

// load reads the run context, nil if the flag is not given.
func (f *contextFlag) load(g *cli.Globals, stdin io.Reader) (*yamldoc.Placed, error) {
	if f.context == "" {
		return nil, nil
	}
	return loadYAML(g, f.context, stdin)
}

func loadYAML(g *cli.Globals, path string, stdin io.Reader) (*yamldoc.Placed, error) {
	text, err := g.ReadSettings(path, stdin)
	if err != nil {
		return nil, err
	}
	doc, err := yamldoc.ParsePlaced(text)
	if err != nil {
		return nil, input.InFile(input.ShownName(path), err)
	}
	return doc, nil
}

// loadAgents reads definitions, which may be invalid.
func loadAgents(g *cli.Globals, path string, stdin io.Reader) (*agents.Definitions, error) {
	text, err := g.ReadSettings(path, stdin)
	if err != nil {
		return nil, err
	}
	d, err := agents.Parse(text)
	if err != nil {
		return nil, input.InFile(input.ShownName(path), err)
	}
	return d, nil
}

// loadSoundAgents reads definitions without errors.
func loadSoundAgents(g *cli.Globals, path string, stdin io.Reader) (*agents.Definitions, error) {
	d, err := loadAgents(g, path, stdin)
	if err != nil {
		return nil, err
	}
	for _, f := range agents.Check(d, agents.Options{}) {
		if f.Severity == finding.Error {
			return nil, term.WithHint(placed(input.ShownName(path), f.Position(), f.Pointer, errors.New(f.Message)), "handoff openai agents check lists all problems")
		}
	}
	return d, nil
}

// recordedFlags are the flags for the definitions that recorded runs are compared with, and for facts about
// the runs.
type recordedFlags struct {
	contextFlag
	agents string
	first  string
}

func (f *recordedFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.agents, "agents", "", "definitions of the agents of the run: a `FILE`, YAML or JSON (docs/openai-agents.md)")
	c.Flags().StringVar(&f.first, "first-agent", "", "`NAME` of the agent that a run starts with (default: from the definitions)")
	f.contextFlag.register(c)
}

// load reads the definitions and sets the known facts about the runs in o. It returns nil without --agents.
func (f *recordedFlags) load(g *cli.Globals, c *cobra.Command, args []string, o *agents.RunOptions) (*agents.Definitions, error) {
	if f.agents == "" {
		for _, name := range []string{"first-agent", "context"} {
			if c.Flags().Changed(name) {
				return nil, fmt.Errorf("--%s: name the definitions with --agents", name)
			}
		}
		return nil, nil
	}
	if err := input.OneStdin(args, f.agents, f.context); err != nil {
		return nil, err
	}
	d, err := loadSoundAgents(g, f.agents, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	if f.first != "" {
		if o.First = d.Agent(f.first); o.First == nil {
			return nil, fmt.Errorf("--first-agent %s: is not an agent in %s", term.Visible(f.first), input.ShownName(f.agents))
		}
	}
	context, err := f.contextFlag.load(g, c.InOrStdin())
	if context != nil {
		o.Context = context.Root()
	}
	return d, err
}
