package openai

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func registerMarkers(c *cobra.Command, start, end *string) {
	c.Flags().StringVar(start, "start", openai.DefaultStart, "start marker `LINE` of a summary")
	c.Flags().StringVar(end, "end", openai.DefaultEnd, "end marker `LINE` of a summary")
}

func newOpenAINest(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.NestOptions
	var mapper string
	var programs programFlags
	c := &cobra.Command{
		Use:   "nest [FILE|DIR|-]...",
		Short: "Nest the history of a handoff, like the SDK",
		Long: `Nest applies nest_handoff_history of the SDK to each HandoffInputData: the conversation
so far becomes summary messages of the assistant, with one line per item; items that
cannot be summarised stay between them. An existing summary is expanded first, so that
summaries are never nested. The items of pre_handoff_items and input_items move to
input_history; new_items stays.

Set the markers of the existing summaries: a summary between other markers than these
and the SDK's is ordinary text, and becomes an item of the new summary.

--early makes one summary of all items, as in the first releases: items in
pre_handoff_items and new_items then reach the agent twice.

--mapper-cmd runs a command as history_mapper: it reads the items of the conversation,
including summarised items, as one JSON array, and writes the array of items for
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
	c.Flags().BoolVar(&o.Early, "early", false, "nest like the first releases of the SDK")
	c.Flags().StringVar(&mapper, "mapper-cmd", "", "create the history with a `COMMAND`, as a history_mapper")
	programs.register(c)
	f.register(c)
	return c
}

func newOpenAIUnnest(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.NestOptions
	c := &cobra.Command{
		Use:   "unnest [FILE|DIR|-]...",
		Short: "Expand the summaries of a nested history",
		Long: `Unnest reverses nest: it replaces a summary message by the items that it lists.
Summaries are not complete: they lack provider_data and, for messages that take one
line, all members except role, name and content.

Set the markers of the nested history; the SDK's markers are always recognised.`,
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
