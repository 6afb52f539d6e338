// Package sw4rm implements the commands of "handoff sw4rm", except prepare, which shares its flags with trim.
package sw4rm

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func New(g *cli.Globals, further ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   "sw4rm",
		Short: "Build, answer, route and prepare SW4RM handoffs",
		Long: `Sw4rm works with the contexts, requests and responses of SW4RM's Handoff Context
Serialization ("the document" in the help below): it builds an agent's requests, answers
them as an agent or a router, trims contexts to the recommended size, and tracks the
status of handoffs.

"handoff validate" checks all three formats against their JSON Schemas and the other
rules of the document.`,
		Example: `  handoff sw4rm request --from planner --to reviewer --reason 'needs a review' --history history.json
  handoff sw4rm respond --agent-record reviewer.json request.json
  handoff sw4rm route --registry agents.json request.json
  handoff sw4rm prepare context.json
  handoff sw4rm status accept complete`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSW4RMContext(g), newSW4RMRequest(g), newSW4RMReceive(g), newSW4RMRespond(g), newSW4RMRoute(g), newSW4RMStatus(g), newExternalize(g), newInternalize(g))
	c.AddCommand(further...)
	return c
}

// LenientFlag is the flag --lenient of commands that read contexts.
type LenientFlag struct{ lenient bool }

func (f *LenientFlag) Register(c *cobra.Command) {
	c.Flags().BoolVar(&f.lenient, "lenient", false, "add missing members to a context, with empty values, and report them")
}

// Fill fills in the missing members of a context if the flag is set, and reports them.
func (f *LenientFlag) Fill(doc *jsonstream.Document, kind format.Format, limits jsonstream.Limits) (*jsonstream.Document, []string, error) {
	if !f.lenient {
		return doc, nil, nil
	}
	filled, pointers, err := sw4rm.Fill(doc, kind, limits)
	var notes []string
	for _, pointer := range pointers {
		notes = append(notes, pointer+": missing, filled in with an empty value")
	}
	return filled, notes, err
}

// Problems returns an error for each problem, with its place in the file.
func Problems(name string, problems []finding.Finding) error {
	var all []error
	for _, p := range problems {
		all = append(all, fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, sw4rmText(p)))
	}
	return errors.Join(all...)
}

// sw4rmText formats a problem with its rule.
func sw4rmText(p finding.Finding) string {
	text := term.Visible(p.PlacedMessage())
	if p.Rule != "" {
		text += " (" + p.Rule + ")"
	}
	return text
}

// reported prints each of the joined errors.
func reported(stderr io.Writer, err error) error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	for _, err := range several.Unwrap() {
		term.PrintError(stderr, err)
	}
	return cli.ErrReported
}
