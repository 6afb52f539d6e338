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
		Short: "Print what the next agent gets, as one list",
		Long: `Input writes of each HandoffInputData the list of items that the model of the next agent
gets: input_history, where a string is a message of the user, pre_handoff_items, and
input_items or, where that is null or missing, new_items. Run items are their raw items,
and tool approvals are left out.`,
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
		Short: "Make a HandoffInputData of a recorded run",
		Long: `Build makes of each recorded run the HandoffInputData of its handoff: what the SDK gives
to an input_filter. A run is an array of items, as to_input_list makes it, or an object
with input and new_items, as a result has them; the items may be run items.

The handoff is the last call of a tool transfer_to_…, or the last handoff_call_item;
--call names another one. new_items is its turn: what the model made, with the results of
its calls. What comes before is input_history up to the last message of the user, and then
pre_handoff_items. What comes after the turn is left out, which is said on stderr.`,
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
	c.Flags().StringVar(&o.Call, "call", "", "the `CALL_ID` of the handoff")
	f.RegisterOutput(c)
	f.Layout.Register(c)
	cli.OnlyForCall(c, "call")
	return c
}
