// Package inspect implements the command "handoff inspect".
package inspect

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

func New(g *cli.Globals) *cobra.Command {
	var messages cli.FormatFlag
	var receiver cli.ReceiverFlags
	var safety cli.ScannerFlags
	var policy cli.PolicyFlag
	var counting cli.CounterFlags
	var facts cli.FactsFlags
	var inTokens, verbose bool
	var at string
	c := &cobra.Command{
		Use:   "inspect [FILE|DIR|-]...",
		Short: "Show the contents of a message",
		Long: `Inspect shows a message to a person: sender and receiver, completed and remaining
subtasks, the budget, the size of each member, the conversation, the tools, and the
findings of all layers. Several messages are shown as a table with totals (--verbose:
each in full). For SW4RM, MACP and OpenAI messages, it shows requests and responses, the
state and offers of a session, or the lists of items. A receiver (--receiver, --as,
--require-state) applies to EAAPL messages only. With --privacy, personal data is
counted by class.

With --at, only the value at a JSON Pointer is shown; exit code 1: a document has none.

Messages are shown whether valid or not; exit code 2 means that an input was not a
message.`,
		Example: `  handoff inspect message.json
  zcat archive.jsonl.gz | handoff inspect
  handoff inspect -f json message.json | jq .members
  handoff inspect --at /costTracking message.json`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args, append(receiver.Keys.Files, receiver.Profile, safety.Rules, policy.File)...); err != nil {
				return err
			}
			if c.Flags().Changed("at") {
				out, err := facts.Open(g, c)
				if err != nil {
					return err
				}
				err = showAt(g, c, args, at, out)
				if errors.Is(err, cli.ErrNo) || errors.Is(err, cli.ErrReported) { // what could be read is shown
					return cli.Closed(err, out.Close(nil))
				}
				return out.Close(err)
			}
			profile, err := receiver.Load(g, c.InOrStdin())
			if err != nil {
				return err
			}
			verifier, err := receiver.Verifier(g, c, profile)
			if err != nil {
				return err
			}
			privacy, err := policy.Load(g, c)
			if err != nil {
				return err
			}
			scanner, err := safety.Load(g, c)
			if err != nil {
				return err
			}
			i := inspection{
				Globals: g,
				from:    messages.From,
				terms:   profile != nil,
				privacy: privacy != nil,
				validator: validate.New(validate.Options{
					Formats: messages.Formats(), All: true, Receiver: profile, Verifier: verifier, Scanner: scanner.Scanner, Allow: scanner.Allow, Privacy: privacy, Limits: g.Limits,
				}),
				progress: g.NewProgress(c.ErrOrStderr()),
			}
			if inTokens {
				counter, err := counting.Load()
				if err != nil {
					return scanner.Close(err)
				}
				meter := counter.Meter()
				i.meter = &meter
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return scanner.Close(err)
			}
			text := newListing(out, out.Width, out.Palette, inTokens)
			text.Verbose = verbose
			show := text.Print
			if out.JSON {
				show = func(r record) error { return report.WriteJSON(out, r) }
			}
			unread, err := cli.Each(g, c, args, i.progress, func(d input.Document) (record, error) { return i.inspect(c, d) },
				func(r record) error {
					i.noteTerms(c, r)
					return show(r)
				}, out.Unreadable, func() error { return nil })
			if err == nil {
				err = text.Close()
			}
			return cli.Answer(out.Close(scanner.Close(err)), unread, false)
		},
	}
	messages.Register(c)
	receiver.Register(c)
	safety.Register(c)
	policy.Register(c)
	counting.Register(c)
	c.Flags().BoolVar(&inTokens, "tokens", false, "also count tokens")
	c.Flags().StringVar(&at, "at", "", "show only the value at this JSON `POINTER`")
	cli.OnlyForCall(c, "at")
	cli.RegisterVerbose(c, &verbose)
	facts.Register(c, "output format: text, json", "write the output to `FILE`")
	return c
}

// inspection is one run of inspect.
type inspection struct {
	*cli.Globals
	from      format.Format // of the messages; "" to detect each
	terms     bool          // a receiver's terms are given, which apply only to EAAPL messages
	validator *validate.Validator
	privacy   bool           // look for personal data
	meter     *history.Meter // nil: do not count tokens
	progress  *term.Progress
}

// noteTerms reports, for the first such message, that the receiver's terms do not apply to it.
func (i *inspection) noteTerms(c *cobra.Command, r record) {
	if i.terms && r.Format != "" && r.Format != format.EAAPL {
		i.terms = false
		term.PrintError(c.ErrOrStderr(), fmt.Errorf("%s: is in the format %s, to which --receiver, --as and --require-state do not apply", r.Source, r.Format))
	}
}

// inspect inspects one document. It may run concurrently.
func (i *inspection) inspect(c *cobra.Command, d input.Document) (record, error) {
	m, err := message.ParseInPlace(d.Raw, message.Options{Limits: i.Limits})
	if err != nil {
		return record{}, input.InFile(d.Source.Name, err)
	}
	form, err := history.FormatOf(m.Root(), i.from)
	if err != nil && i.from != "" {
		return record{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	result, err := i.validator.Validate(c.Context(), m)
	if err != nil {
		return record{}, input.InFile(d.Source.Name, err)
	}
	facts := inspect.Of(m, form, i.Limits)
	if i.meter != nil {
		facts.CountTokens(m, *i.meter)
	}
	r := record{Source: d.Source.Name, Index: d.Index, Facts: facts, Result: result}
	if i.privacy {
		r.Personal = personalData(result)
	}
	return r, nil
}
