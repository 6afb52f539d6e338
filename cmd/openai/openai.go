// Package openai implements the commands of "handoff openai".
package openai

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "openai",
		Short: "Work with handoffs of the OpenAI Agents SDK",
		Long: `Openai works with HandoffInputData of the OpenAI Agents SDK, which is the input of the
next agent, as JSON from Python or JavaScript. It builds one from a recorded run, nests
and unnests the history as the SDK does, filters items, prints the list for the next
agent, checks it, and prints the tool with which a model hands over. It also checks and
draws agent definitions, and reports the handoffs in recorded runs.`,
		Example: `  handoff openai nest input.json
  handoff openai check -f sarif recorded/
  handoff openai tool --agent "Billing Agent"
  handoff openai agents check agents.yaml
  handoff openai paths --agents agents.yaml recorded/`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newOpenAIBuild(g), newOpenAIInput(g), newOpenAINest(g), newOpenAIUnnest(g), newOpenAIFilter(g), newOpenAICheck(g), newOpenAITool(g), newOpenAIOutput(g),
		newAgents(g), newPaths(g))
	return c
}

// openaiRewriting rewrites every HandoffInputData.
type openaiRewriting struct {
	cli.Rewriting
	cli.Layout
}

func (f *openaiRewriting) register(c *cobra.Command) {
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
}

// runWith rewrites the sources that the arguments name with a function of package openai.
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

// notInputData returns the error for a document that is not a HandoffInputData; err names the missing part.
func notInputData(doc *jsonstream.Document, err error) error {
	switch f, known := formats.Detect(doc.Root()); {
	case !known:
		return fmt.Errorf("not a HandoffInputData of the OpenAI Agents SDK: %w", err)
	case !isInputData(f):
		return fmt.Errorf("not a HandoffInputData of the OpenAI Agents SDK, but in the format %s: convert it with handoff convert --format-out openai", f)
	default:
		return err
	}
}

// isInputData reports whether the documents of a format are HandoffInputData.
func isInputData(f format.Format) bool { return f == format.OpenAI || f == format.OpenAIJS }

// placed adds the place in a file to an error.
func placed(name string, at jsonstream.Position, pointer string, err error) error {
	if pointer != "" {
		pointer += ": "
	}
	return fmt.Errorf("%s:%d:%d: %s%s", term.Visible(name), at.Line, at.Column, term.Visible(pointer), term.Visible(err.Error()))
}
