package openai

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func registerMarkers(c *cobra.Command, start, end *string) {
	c.Flags().StringVar(start, "start", openai.DefaultStart, "the `LINE` before the items of a summary")
	c.Flags().StringVar(end, "end", openai.DefaultEnd, "the `LINE` after the items of a summary")
}

func newOpenAINest(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.NestOptions
	var mapper string
	var programs programFlags
	c := &cobra.Command{
		Use:   "nest [FILE|DIR|-]...",
		Short: "Nest the history of a handoff, as the SDK does",
		Long: `Nest writes each HandoffInputData as nest_handoff_history of the SDK leaves it: the
conversation so far becomes summary messages of the assistant, with a line for each
item, and items that are not summarised stay between them. An existing summary is
taken apart first, so that none is ever inside another. The items of
pre_handoff_items and input_items are then in input_history; new_items stays.

Name the markers that the history was nested with: a summary between other markers than
these and those of the SDK is text, and becomes an item of the new one.

--early makes one summary of everything, as the first releases did: what stays in
pre_handoff_items and new_items then reaches the agent twice.

--mapper-cmd runs a command as history_mapper: it reads the items of the conversation as
one JSON array, those that summaries list among them, and writes those that become the
input_history.`,
		Example: `  handoff openai nest input.json
  handoff openai nest --start '<<<' --end '>>>' --pretty input.json
  handoff openai nest --mapper-cmd "jq -c 'map(select(.role))'" input.json
  handoff openai nest --early recorded/ > nested.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case mapper == "":
			case o.Early:
				return errors.New("--early and --mapper-cmd: use one of them")
			default:
				run, err := programs.program(g, c, "mapper", mapper)
				if err != nil {
					return err
				}
				return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) {
					return openai.Map(dst, data, o, func(items []byte) (jsonstream.Value, error) { return run(c.Context(), items) })
				})
			}
			return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) { return openai.Nest(dst, data, o) })
		},
	}
	registerMarkers(c, &o.Start, &o.End)
	c.Flags().BoolVar(&o.Early, "early", false, "nest as the first releases of the SDK did")
	c.Flags().StringVar(&mapper, "mapper-cmd", "", "let a `COMMAND` make the history, as a history_mapper")
	programs.register(c)
	f.register(c)
	return c
}

func newOpenAIUnnest(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.NestOptions
	c := &cobra.Command{
		Use:   "unnest [FILE|DIR|-]...",
		Short: "Put the items back that a nested history lists",
		Long: `Unnest replaces a summary message by the items that it lists: it undoes what nest
did. A summary does not hold everything: provider_data is not in it,
nor is more than role, name and content of a message that takes one line.

Name the markers that the history was nested with; those of the SDK are always
recognised.`,
		Example: `  handoff openai unnest nested.json
  handoff openai nest input.json | handoff openai unnest --pretty`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) { return openai.Unnest(dst, data, o) })
		},
	}
	registerMarkers(c, &o.Start, &o.End)
	f.register(c)
	return c
}
