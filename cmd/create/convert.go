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
	told   map[string]bool // the notices about made-up values so far
}

func NewConvert(g *cli.Globals) *cobra.Command {
	f := &convertFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "convert --format-out FORMAT [FILE|DIR|-]...",
		Short: "Convert messages between systems, without loss",
		Long: `Convert writes messages in the format of another system, without loss: data that the
target format has no place for is carried in the converted message, and restored when it
is converted back. Changes made in between are kept. A history of plain texts is taken
for openai-chat: name any other format with --format-in. docs/formats.md has the mapping
and the location of carried data.

If the target requires a value that the source lacks, the value is made up: it is the
same each time for the same message, and depends on --seed. A line on stderr names the
made-up agents, times and budgets, and the flags that give better values: receivers
reject such messages. --mapping reports all values that were mapped, implied, carried
and made up. With --no-made-up, a message that needs a made-up value is rejected, with
exit code 1. A message with missing members or members of a wrong type in its own format
is also rejected, unless --lenient is set. Values of a wrong form (a pattern, a range,
an enumeration) and Unix timestamps of SW4RM are converted. A carried original in the
target format is not checked.

A signature does not cover the converted message. It is carried, and is valid again
after the conversion back, if nothing was changed.

Only the conversation of a coding agent's session is converted: a line on stderr counts
the turns before a compaction, taken back by the user, on other branches and so on.`,
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
	flags.StringVar(&f.to, "format-out", "", "output `FORMAT`: "+strings.Join(convertible(), ", "))
	f.FormatFlag.Register(c)
	flags.BoolVar(&f.Strict, "no-made-up", false, "fail instead of making up values")
	flags.BoolVar(&f.Lenient, "lenient", false, "accept messages that break the rules of their own format")
	flags.StringVar(&f.Seed, "seed", "", "`TEXT` that determines made-up identifiers")
	flags.StringVar(&f.Budget, "budget", "", "remaining budget in `USD` for canonical messages whose source has none (default 0)")
	flags.StringVar(&f.FromAgent, "from-agent", "", "`AGENT` that hands over, for messages whose source names none")
	flags.StringVar(&f.ToAgent, "to-agent", "", "`AGENT` that takes over, for messages whose source names none")
	flags.StringVar(&f.Timestamp, "timestamp", "", "`TIME` (RFC 3339) of messages whose source has none")
	flags.BoolVar(&f.report, "mapping", false, "report the mapping of every member on stderr")
	cli.RegisterFormat(c, &f.format, "report format: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only errors on stderr")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	cli.OnlyForCall(c, "timestamp")
	cli.Complete(c, "format-out", convertible()...)
}

// convertible returns the names of the supported formats.
func convertible() []string { return cli.Names(convert.Formats()) }

func (f *convertFlags) runConvert(c *cobra.Command, args []string) error {
	switch {
	case f.to == "":
		return fmt.Errorf("--format-out: name the output format, one of %s", strings.Join(convertible(), ", "))
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
		return errors.New("--budget is empty: write an amount in USD, such as 0.32")
	}
	if err := (convert.Options{Timestamp: f.Timestamp}).Check(); err != nil {
		return fmt.Errorf("--timestamp %w", err)
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
		record := convertRecord{Source: d.Source.Name, Index: d.Index, Report: r.Report, place: d.Origin()}
		if !f.quiet && !r.Report.Restored {
			record.omitted = omissions(r.Report.From, d.Raw.Bytes, f.Limits)
		}
		publish(record)
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
