package create

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	cli.Rewriting
	cli.Layout
	cli.FormatFlag
	convert.Options
	to     string
	report bool
	format string
	quiet  bool
}

func NewConvert(g *cli.Globals) *cobra.Command {
	f := &convertFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "convert --format-out FORMAT [FILE|DIR|-]...",
		Short: "Turn messages of one system into those of another, and back",
		Long: `Convert writes messages in the format of another system, and loses nothing: what the
target has no place for travels in it, and comes back when it is converted back. What
was changed in between stays changed. docs/formats.md has the mapping, and where the
rest travels.

What the target asks for and the source does not have is made up: the same for the same
message, and other identifiers with another --seed. --mapping says on stderr what was
mapped, implied, carried and made up. With --no-made-up nothing is made up: a message that
needs it is rejected, with exit code 1. So is one whose members are missing or of a wrong
type by the schema of its own format, unless --lenient takes it as it is. Values of a
wrong form (a pattern, a range, a list of words) and Unix timestamps of SW4RM are
converted. What carries the message that it was made from, in the format to write, is
not checked.

A signature does not cover what a message was converted to. It is carried, and holds
again for the message that comes back, if nothing was changed.`,
		Example: `  handoff convert --format-out openai message.json > input.json
  handoff convert --format-out eaapl --budget 0.50 --mapping context.json
  handoff convert --format-out sw4rm-request message.json | handoff convert --format-out eaapl
  handoff convert --format-out macp --no-made-up fixtures/ -o transcripts.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.runConvert(c, args) },
	}
	f.register(c)
	return c
}

func (f *convertFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.to, "format-out", "", "the `FORMAT` to write: "+strings.Join(convertible(), ", "))
	f.FormatFlag.Register(c)
	flags.BoolVar(&f.Strict, "no-made-up", false, "fail rather than make anything up")
	flags.BoolVar(&f.Lenient, "lenient", false, "take messages that break the rules of their own format")
	flags.StringVar(&f.Seed, "seed", "", "make up other identifiers, by this `TEXT`")
	flags.StringVar(&f.Budget, "budget", "", "the remaining budget in `USD` of canonical messages made of those without one (default 0)")
	flags.BoolVar(&f.report, "mapping", false, "say on stderr what became of every member")
	cli.RegisterFormat(c, &f.format, "format of the report: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on stderr but errors")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	cli.Complete(c, "format-out", convertible()...)
}

// convertible returns the names of the supported formats.
func convertible() []string { return cli.Names(convert.Formats()) }

func (f *convertFlags) runConvert(c *cobra.Command, args []string) error {
	switch {
	case f.to == "":
		return fmt.Errorf("to what? give --format-out %s", strings.Join(convertible(), ", "))
	case !slices.Contains(convertible(), f.to):
		return report.UnknownFormat(f.to, convertible())
	case f.report && f.quiet:
		return errors.New("--mapping and --quiet: use one of them")
	}
	target := formats.Named(format.Format(f.to))
	lines := target.IsLines()
	if lines {
		if f.Pretty {
			return fmt.Errorf("--pretty: a %s is JSON Lines, which cannot be indented", target.Kind)
		}
		f.Single = "a " + target.Kind
	}
	f.Options.From = f.FormatFlag.From
	if c.Flags().Changed("budget") && f.Budget == "" {
		return errors.New("--budget is empty: write a number of US dollars, like 0.32")
	}
	if err := f.Options.Check(); err != nil {
		return fmt.Errorf("--budget %w", err)
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		doc, err := d.Parse(f.Limits)
		if err != nil {
			return nil, err
		}
		r, err := convert.Checked(c.Context(), doc, format.Format(f.to), f.Options, f.Limits)
		if err != nil {
			return nil, convertError(d, err)
		}
		publish(convertRecord{Source: d.Source.Name, Index: d.Index, Report: r.Report, place: d.Origin()})
		if lines {
			r.Text = bytes.TrimSuffix(r.Text, []byte("\n")) // as for all messages, the caller ends the last line
		}
		if len(dst) == 0 && !f.Pretty && cap(r.Text) > cap(dst)/2 {
			return r.Text, nil // a long text is not copied
		}
		if lines {
			return append(dst, r.Text...), nil
		}
		return f.Layout.Append(dst, r.Text)
	}
	f.Publish = func(news []any) error { return f.publish(c.ErrOrStderr(), news) }
	return f.Rewriting.Run(c, args)
}
