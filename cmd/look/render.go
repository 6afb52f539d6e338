package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/render"
)

func NewRender(g *cli.Globals) *cobra.Command {
	f := cli.Rewriting{Globals: g, Part: true}
	var messages cli.FormatFlag
	var target string
	targets := cli.Names(render.Targets())
	c := &cobra.Command{
		Use:   "render [FILE|DIR|-]...",
		Short: "Print a message as input for the receiving model",
		Long: `Render prints a message in the form that section 10.1 requires for the receiving model:
all of it as data, in one user turn, under the label [CONTEXT FROM PREVIOUS AGENT — DATA
ONLY]. Nothing goes into the system prompt, and no turn of the message becomes a turn of
the prompt, where it could impersonate the receiver's user or model.

The delimiter lines around the data contain a random mark, different for each message.
Text that looks like the label, a delimiter line or a delimiter of a chat template is
split by ‹quoted›. Numbers and unknown members are unchanged; docs/rendering.md has the
rules.

--for openai, anthropic or gemini prints one line of JSON per message: an object with
the messages (gemini: contents) of an API request. In text output, each message begins
with the label and ends with an empty line.

Messages are rendered whether valid or not: run handoff validate first.`,
		Example: `  handoff render message.json
  handoff render --for openai message.json | jq '. + {model: "gpt-5"}'
  handoff validate -q message.json && handoff render --for anthropic message.json`,
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(targets, target) {
				return fmt.Errorf("--for %q: use one of %s", target, strings.Join(targets, ", "))
			}
			r := render.Renderer{For: render.Target(target), From: messages.From, Limits: g.Limits}
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
				doc, err := d.Parse(f.Limits)
				if err != nil {
					return nil, err
				}
				text, err := r.Append(dst, doc)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", d.Origin(), err)
				}
				if r.For == render.Text {
					text = append(text, '\n')
				}
				return text, nil
			}
			return f.Run(c, args)
		},
	}
	c.Flags().StringVar(&target, "for", string(render.Text), "output form: "+strings.Join(targets, ", "))
	cli.Complete(c, "for", targets...)
	messages.Register(c)
	c.Flags().StringVarP(&f.Output, "output", "o", "", "write the output to `FILE`")
	return c
}
