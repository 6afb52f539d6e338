package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/inspect"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

func newInspect(g *cli.Globals) *cobra.Command {
	var messages cli.FormatFlag
	var receiver cli.ReceiverFlags
	var safety cli.ScannerFlags
	var counting cli.CounterFlags
	var format, output string
	var inTokens bool
	c := &cobra.Command{
		Use:   "inspect [FILE|DIR|-]...",
		Short: "Show what is in a message",
		Long: `Inspect shows a message to a person: who hands what to whom, what is done and
left, the budget, where the bytes go, the conversation, the tools, and the
findings of all layers. Several messages are shown as a table with totals. Messages
of SW4RM, MACP and OpenAI are shown by what is in them: what is asked for and what was
answered, the state of a session and its offers, the lists of items. A receiver
(--receiver, --as, --require-state) has terms for EAAPL messages only.

A message is shown whether it is valid or not; exit code 2 means that something
was not a message at all.`,
		Example: `  handoff inspect message.json
  zcat archive.jsonl.gz | handoff inspect
  handoff inspect -f json message.json | jq .members`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args, append(receiver.Keys.Files, receiver.Profile, safety.Rules)...); err != nil {
				return err
			}
			profile, err := receiver.Load(g, c.InOrStdin())
			if err != nil {
				return err
			}
			verifier, err := receiver.Verifier(g, c, profile)
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
				validator: validate.New(validate.Options{
					Formats: messages.Formats(), All: true, Receiver: profile, Verifier: verifier, Scanner: scanner.Scanner, Allow: scanner.Allow, Limits: g.Limits,
				}),
				progress: g.NewProgress(c.ErrOrStderr(), !term.IsTerminal(c.OutOrStdout())),
			}
			if inTokens {
				counter, err := counting.Load()
				if err != nil {
					return scanner.Close(err)
				}
				meter := counter.Meter()
				i.meter = &meter
			}
			out, err := g.Open(output, c.OutOrStdout())
			if err != nil {
				return scanner.Close(err)
			}
			if i.show, i.end, err = inspectPrinter(format, out, term.WidthOf(c.OutOrStdout()), term.NewPalette(out.Stdout && term.UseColor(g.Color, c.OutOrStdout()))); err != nil {
				return out.Close(scanner.Close(err))
			}
			err = scanner.Close(i.all(c, g.Sources(args, c.InOrStdin(), c.ErrOrStderr())))
			if err := out.Close(err); err != nil || !i.unread {
				return err
			}
			return cli.ErrReported
		},
	}
	messages.Register(c)
	receiver.Register(c)
	safety.Register(c)
	counting.Register(c)
	flags := c.Flags()
	flags.BoolVar(&inTokens, "tokens", false, "count the tokens, too")
	flags.StringVarP(&format, "format", "f", "text", "format: "+strings.Join(report.PlainFormats, ", "))
	flags.StringVarP(&output, "output", "o", "", "write to `FILE`")
	cli.Complete(c, "format", report.PlainFormats...)
	return c
}

// inspectPrinter returns what shows a record in a format, and what ends it all.
func inspectPrinter(format string, out io.Writer, width int, colors term.Palette) (show func(inspectRecord) error, end func() error, err error) {
	switch format {
	case "text":
		text := newInspectText(out, width, colors)
		return text.Print, text.Close, nil
	case "json":
		return func(r inspectRecord) error { return report.WriteJSON(out, r) }, func() error { return nil }, nil
	default:
		return nil, nil, report.UnknownFormat(format, report.PlainFormats)
	}
}

// inspection is one run of inspect.
type inspection struct {
	*cli.Globals
	from      format.Format // of the messages; "": the one that each looks like
	terms     bool          // there are terms of a receiver, which only EAAPL messages are checked by
	validator *validate.Validator
	meter     *history.Meter // nil: tokens are not counted
	progress  *term.Progress
	show      func(inspectRecord) error
	end       func() error
	unread    bool // whether something was not a message, or could not be read
}

// An inspectOutcome is a record, or why there is none.
type inspectOutcome struct {
	inspectRecord
	err error
}

func (i *inspection) all(c *cobra.Command, list []input.Source) error {
	work := func(batch []input.Document) []inspectOutcome {
		var outcomes []inspectOutcome
		for _, d := range batch {
			outcomes = append(outcomes, i.inspect(c, d))
		}
		return outcomes
	}
	err := input.Process(list, i.Limits, i.progress, work, func(records []inspectOutcome) error {
		for _, r := range records {
			i.progress.Message()
			if cli.ClassifierFailed(r.err) {
				return r.err
			}
			if r.err != nil {
				i.unread = true
				i.progress.Fail(r.err)
				continue
			}
			if i.terms && r.Format != "" && r.Format != format.EAAPL {
				i.terms = false // said once
				i.progress.Clear()
				term.PrintError(c.ErrOrStderr(), fmt.Errorf("%s: is in the format %s: the terms of a receiver (--receiver, --as, --require-state) are for EAAPL messages, and no others are checked by them", r.Source, r.Format))
			}
			if err := i.show(r.inspectRecord); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return nil })
	if err != nil {
		return err
	}
	return i.end()
}

func (i *inspection) inspect(c *cobra.Command, d input.Document) inspectOutcome {
	if d.Err != nil {
		return inspectOutcome{err: input.InFile(d.Source.Name, d.Err)}
	}
	m, err := message.ParseInPlace(d.Raw, message.Options{Limits: i.Limits})
	if err != nil {
		return inspectOutcome{err: input.InFile(d.Source.Name, err)}
	}
	form, err := history.FormatOf(m.Root(), i.from)
	if err != nil && i.from != "" {
		return inspectOutcome{err: fmt.Errorf("%s: %w", d.Origin(), err)}
	}
	result, err := i.validator.Validate(c.Context(), m)
	if err != nil {
		return inspectOutcome{err: input.InFile(d.Source.Name, err)}
	}
	facts := inspect.Of(m, form, i.Limits)
	if i.meter != nil {
		facts.CountTokens(m, *i.meter)
	}
	return inspectOutcome{inspectRecord: inspectRecord{Source: d.Source.Name, Index: d.Index, Facts: facts, Result: result}}
}
