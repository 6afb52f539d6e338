package openai

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/openai"
)

func newOpenAIInput(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "input [FILE|DIR|-]...",
		Short: "Print the input of the next agent as one list",
		Long: `Input writes, for each HandoffInputData, the list of items for the model of the next
agent: input_history (a string becomes a user message), pre_handoff_items, and
input_items or, if that is null or missing, new_items. Run items are replaced by their
raw items; tool approvals are left out.`,
		Example: `  handoff openai input input.json
  handoff openai nest input.json | handoff openai input --pretty`,
		RunE: func(c *cobra.Command, args []string) error { return f.runWith(c, args, openai.Input) },
	}
	f.RegisterOutput(c)
	f.Layout.Register(c)
	return c
}

func newOpenAIBuild(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.Run
	c := &cobra.Command{
		Use:   "build [FILE|DIR|-]...",
		Short: "Build a HandoffInputData from a recorded run",
		Long: `Build creates, from each recorded run, the HandoffInputData of its handoff, which is the
argument of an input_filter in the SDK. A run is an array of items, as from
to_input_list, or an object with input and new_items, as in a result; the items may be
run items.

The handoff is the last call to a tool transfer_to_…, or the last handoff_call_item;
--call selects another one. The turn of the handoff (the model's output and the results
of its calls) becomes new_items. The items before it, up to the last user message,
become input_history, and the rest pre_handoff_items. Items after the turn are left out,
with a note on stderr.`,
		Example: `  handoff openai build run.json
  handoff openai build --call call_1 run.json | handoff openai nest | handoff openai input`,
		RunE: func(c *cobra.Command, args []string) error {
			f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
				doc, err := d.Parse(f.Limits)
				if err != nil {
					return nil, err
				}
				built, err := o.Build(doc.Root())
				if err != nil {
					return nil, fmt.Errorf("%s: %w", d.Origin(), err)
				}
				if built.After > 0 {
					publish(fmt.Sprintf("%s: %s after the turn of the handoff %q: left out", d.Origin(), term.Plural(built.After, "item"), built.Call))
				}
				return f.Append(dst, built.Text)
			}
			f.Publish = func(news []any) error {
				for _, n := range news {
					if _, err := fmt.Fprintf(c.ErrOrStderr(), "handoff: %s\n", term.Visible(n.(string))); err != nil {
						return err
					}
				}
				return nil
			}
			return f.Run(c, args)
		},
	}
	c.Flags().StringVar(&o.Call, "call", "", "`CALL_ID` of the handoff")
	f.RegisterOutput(c)
	f.Layout.Register(c)
	cli.OnlyForCall(c, "call")
	return c
}
