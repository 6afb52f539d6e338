// Package openai has the commands of "handoff openai".
package openai

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "openai",
		Short: "Work on handoffs of the OpenAI Agents SDK",
		Long: `Openai works on the HandoffInputData of the OpenAI Agents SDK: what the SDK gives to
the next agent, as JSON. It nests the history as the SDK does and takes it apart
again, filters items, checks what the next agent is going to get, and makes the
tool by which a model hands over.`,
		Example: `  handoff openai nest input.json
  handoff openai check -f sarif recorded/
  handoff openai tool --agent "Billing Agent"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newOpenAINest(g), newOpenAIUnnest(g), newOpenAIFilter(g), newOpenAICheck(g), newOpenAITool(g), newOpenAIOutput(g))
	return c
}

// openaiRewriting makes of every HandoffInputData another one.
type openaiRewriting struct {
	cli.Rewriting
	cli.Layout
}

func (f *openaiRewriting) register(c *cobra.Command) {
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
}

// runWith rewrites what the arguments name with a function of package openai.
func (f *openaiRewriting) runWith(c *cobra.Command, args []string, change func(dst []byte, data jsonstream.Value) ([]byte, error)) error {
	f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
		doc, err := d.Parse(f.Limits)
		if err != nil {
			return nil, err
		}
		text, err := change(nil, doc.Root())
		if malformed := (*openai.ShapeError)(nil); errors.As(err, &malformed) {
			return nil, placed(d.Source.Name, malformed.Position, malformed.Pointer, notInputData(doc, err))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s", d.Origin(), term.Visible(err.Error()))
		}
		return f.Append(dst, text)
	}
	return f.Run(c, args)
}

// notInputData says what a document is that cannot be read as a HandoffInputData:
// err says what it lacks.
func notInputData(doc *jsonstream.Document, err error) error {
	switch f, known := formats.Detect(doc.Root()); {
	case !known:
		return fmt.Errorf("no HandoffInputData of the OpenAI Agents SDK: %w", err)
	case f != format.OpenAI:
		return fmt.Errorf("no HandoffInputData of the OpenAI Agents SDK, but in the format %s: handoff convert --to openai makes one of it", f)
	default:
		return err
	}
}

// placed puts a place in a file before an error.
func placed(name string, at jsonstream.Position, pointer string, err error) error {
	if pointer != "" {
		pointer += ": "
	}
	return fmt.Errorf("%s:%d:%d: %s%s", term.Visible(name), at.Line, at.Column, term.Visible(pointer), term.Visible(err.Error()))
}

func registerMarkers(c *cobra.Command, start, end *string) {
	c.Flags().StringVar(start, "start", openai.DefaultStart, "the `LINE` before the items of a summary")
	c.Flags().StringVar(end, "end", openai.DefaultEnd, "the `LINE` after the items of a summary")
}

func newOpenAINest(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var o openai.NestOptions
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
pre_handoff_items and new_items then reaches the agent twice.`,
		Example: `  handoff openai nest input.json
  handoff openai nest --start '<<<' --end '>>>' --pretty input.json
  handoff openai nest --early recorded/ > nested.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) { return openai.Nest(dst, data, o) })
		},
	}
	registerMarkers(c, &o.Start, &o.End)
	c.Flags().BoolVar(&o.Early, "early", false, "nest as the first releases of the SDK did")
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
