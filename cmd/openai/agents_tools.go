package openai

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// agentsToolsFlags are the flags of openai agents tools.
type agentsToolsFlags struct {
	*cli.Globals
	cli.Layout
	contextFlag
	output string
}

func newAgentsTools(g *cli.Globals) *cobra.Command {
	f := &agentsToolsFlags{Globals: g}
	c := &cobra.Command{
		Use:   "tools AGENT [FILE|-]",
		Short: "Print the tools of an agent's model",
		Long: `Tools prints the tools of an agent in the format of the Responses API, one per line:
first the tools that the file defines, unchanged; then one for each handoff, as created
by "handoff openai tool". Disabled handoffs are left out, and so are tools without a
definition in the file.

Conditions are evaluated in the run context of --context. Without it, handoffs with a
condition are printed, and a note on standard error lists them.`,
		Example: `  handoff openai agents tools Triage agents.yaml
  handoff openai agents tools Triage --context context.yaml --pretty agents.yaml`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.contextFlag.register(c)
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the tools to `FILE`")
	f.Layout.Register(c)
	return c
}

func (f *agentsToolsFlags) run(c *cobra.Command, args []string) error {
	name, file := args[0], cmp.Or(strings.Join(args[1:], ""), "-")
	if err := input.OneStdin([]string{file}, f.context); err != nil {
		return err
	}
	d, err := loadSoundAgents(f.Globals, file, c.InOrStdin())
	if err != nil {
		return err
	}
	a := d.Agent(name)
	if a == nil {
		var names []string
		for _, known := range d.Agents {
			names = append(names, known.Name)
		}
		return fmt.Errorf("%s: has no agent %s: use one of %s", input.ShownName(file), term.Visible(name), term.Visible(term.Clip(strings.Join(names, ", "), maxNames)))
	}
	var context jsonstream.Value
	given, err := f.contextFlag.load(f.Globals, c.InOrStdin())
	if err != nil {
		return err
	}
	if given != nil {
		context = given.Root()
	}
	tools, unsure, err := d.Tools(a, context)
	if err != nil {
		return fmt.Errorf("%s: %w", input.ShownName(file), err)
	}
	var text []byte
	for _, one := range tools {
		if text, err = f.Append(text, one); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	if err := f.WriteData(f.output, c.OutOrStdout(), text); err != nil {
		return err
	}
	for _, h := range unsure {
		fmt.Fprintf(c.ErrOrStderr(), "%s is only available if %s: name the run context with --context\n", term.Visible(h.Tool), term.Visible(h.Condition().String()))
	}
	return nil
}

// maxNames is the maximum width of a list of agents in an error, in columns.
const maxNames = 200
