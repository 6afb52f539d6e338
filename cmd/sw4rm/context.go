package sw4rm

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func newSW4RMContext(g *cli.Globals) *cobra.Command {
	f := &sw4rmParts{Globals: g}
	c := &cobra.Command{
		Use:   "context",
		Short: "Build a HandoffContext",
		Long: `Context builds a HandoffContext, as serialize_context in the document does: compact JSON
in UTF-8, with the members conversation_history, tool_state and metadata in this order,
each empty if no flag sets it. Numbers keep their text.

If a receiver would reject the context, context prints the findings instead, and the
exit code is 1. Violations of the size advice are reported on stderr.`,
		Example: `  handoff sw4rm context --history history.json --tool-state tools.json --metadata agent_id=agent-1
  agent | handoff sw4rm context --history - -o context.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.stderr = c.ErrOrStderr()
			if err := input.OneStdin([]string{f.history}, f.files()[1:]...); err != nil {
				return err
			}
			context, err := f.context(c.InOrStdin())
			if err != nil {
				return err
			}
			return f.write(c.OutOrStdout(), context.Serialize(), format.SW4RMContext, nil)
		},
	}
	f.register(c, "metadata")
	return c
}

// context reads the parts of a context.
func (f *sw4rmParts) context(stdin io.Reader) (c sw4rm.Context, err error) {
	if f.history != "" {
		if c.History, err = f.messages(stdin); err != nil {
			return c, err
		}
	}
	if f.toolState != "" {
		doc, name, err := f.LoadDocument(f.toolState, stdin, f.Limits)
		if err != nil {
			return c, err
		}
		if c.ToolState = doc.Root(); c.ToolState.Kind() != jsonstream.Object {
			return c, fmt.Errorf("%s: expected a tool state, an object, found %s", name, c.ToolState.Kind())
		}
	}
	c.Metadata, err = f.object("metadata of the context", f.metadata, stdin)
	return c, err
}

// messages reads the conversation.
func (f *sw4rmParts) messages(stdin io.Reader) (jsonstream.Value, error) {
	text, err := f.ReadAll(f.history, stdin, f.Limits)
	if err != nil {
		return jsonstream.Value{}, err
	}
	list, err := sw4rm.ReadHistory(text, f.Limits)
	if err != nil {
		err = input.InFile(input.ShownName(f.history), err)
	}
	return list, err
}
