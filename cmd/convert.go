package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/remedy"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
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

func newConvert(g *cli.Globals) *cobra.Command {
	f := &convertFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "convert --to FORMAT [FILE|DIR|-]...",
		Short: "Turn messages of one system into those of another, and back",
		Long: `Convert writes messages in the format of another system, and loses nothing: what the
target has no place for travels in it, and comes back when it is converted back. What
was changed in between stays changed. docs/formats.md has the mapping, and where the
rest travels.

What the target asks for and the source does not have is made up: the same for the same
message, and other identifiers with another --seed. --report says on stderr what was
mapped, implied, carried and made up. With --strict nothing is made up: a message that
needs it is rejected, with exit code 1. So is one whose members are missing or of a wrong
type by the schema of its own format, unless --lenient takes it as it is. Values of a
wrong form (a pattern, a range, a list of words) and Unix timestamps of SW4RM are
converted. What carries the message that it was made from, in the format to write, is
not checked.

A signature does not cover what a message was converted to. It is carried, and holds
again for the message that comes back, if nothing was changed.`,
		Example: `  handoff convert --to openai message.json > input.json
  handoff convert --to eaapl --budget 0.50 --report context.json
  handoff convert --to sw4rm-request message.json | handoff convert --to eaapl
  handoff convert --to macp --strict fixtures/ -o transcripts.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.runConvert(c, args) },
	}
	f.register(c)
	return c
}

func (f *convertFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "the `FORMAT` to write: "+strings.Join(convertible(), ", "))
	f.FormatFlag.Register(c)
	flags.BoolVar(&f.Strict, "strict", false, "fail rather than make anything up")
	flags.BoolVar(&f.Lenient, "lenient", false, "take messages that break the rules of their own format")
	flags.StringVar(&f.Seed, "seed", "", "make up other identifiers, by this `TEXT`")
	flags.StringVar(&f.Budget, "budget", "", "the remaining budget in `USD` of canonical messages made of those without one (default 0)")
	flags.BoolVar(&f.report, "report", false, "say on stderr what became of every member")
	flags.StringVarP(&f.format, "format", "f", "text", "format of the report: "+strings.Join(report.PlainFormats, ", "))
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on stderr but errors")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	cli.Complete(c, "to", convertible()...)
	cli.OnlyForCall(c, "to")
	cli.Complete(c, "format", report.PlainFormats...)
}

// convertible returns the names of the formats that can be converted.
func convertible() []string {
	var names []string
	for _, f := range convert.Formats() {
		names = append(names, string(f))
	}
	return names
}

func (f *convertFlags) runConvert(c *cobra.Command, args []string) error {
	switch {
	case f.to == "":
		return fmt.Errorf("to what? give --to %s", strings.Join(convertible(), ", "))
	case !slices.Contains(convertible(), f.to):
		return report.UnknownFormat(f.to, convertible())
	case !slices.Contains(report.PlainFormats, f.format):
		return report.UnknownFormat(f.format, report.PlainFormats)
	case f.report && f.quiet:
		return errors.New("--report and --quiet: use one of them")
	}
	f.Options.From = f.FormatFlag.From
	if c.Flags().Changed("budget") && f.Budget == "" {
		return errors.New("--budget is empty: write a number of US dollars, like 0.32")
	}
	if err := f.Options.Check(); err != nil {
		return fmt.Errorf("--budget %w", err)
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		doc, err := jsonstream.Parse(d.Raw, f.Limits)
		if err != nil {
			return nil, input.InFile(d.Source.Name, err)
		}
		r, err := convert.Convert(doc, format.Format(f.to), f.Options)
		if !f.Lenient && r.Report.From != r.Report.To && !r.Report.Restored || errors.As(err, new(convert.SourceErrors)) {
			if broken := f.structure(c.Context(), d, doc, err); broken != nil {
				return nil, broken
			}
		}
		if err != nil {
			return nil, convertError(d, err)
		}
		publish(convertRecord{Source: d.Source.Name, Index: d.Index, Report: r.Report, place: d.Origin()})
		if len(dst) == 0 && !f.Pretty && cap(r.Text) > cap(dst)/2 {
			return r.Text, nil // a long one need not be there twice
		}
		return f.Layout.Append(dst, r.Text)
	}
	f.Publish = func(news []any) error { return f.publish(c.ErrOrStderr(), news) }
	return f.Rewriting.Run(c, args)
}

// convertError says whose error it is.
func convertError(d input.Document, err error) error {
	if errors.As(err, new(*convert.MadeUpError)) {
		err = cli.Reject(err)
	}
	return fmt.Errorf("%s: %w", d.Origin(), err)
}

// structure returns the members that are missing or of a wrong type in a message's own
// format, each at its place: those that its schema finds, and the faults that a conversion
// found besides.
func (f *convertFlags) structure(ctx context.Context, d input.Document, doc *jsonstream.Document, converted error) error {
	from := f.FormatFlag.From
	if from == "" {
		from, _ = formats.Detect(doc.Root())
	}
	schema := validate.Options{Formats: []format.Format{from}, Layers: []finding.Layer{finding.Schema}, Limits: f.Limits}
	result, err := validate.New(schema).Validate(ctx, message.Of(doc))
	if err != nil {
		return err
	}
	var all []error
	reported := map[string]bool{}
	for _, f := range result.Findings {
		end := remedy.Lenient
		switch {
		case f.Rule == "schema/fixture":
			end = ""
		case !isStructural(f):
			continue
		}
		reported[f.Pointer] = true
		all = append(all, cli.Reject(fmt.Errorf("%s:%d:%d: %s%s [%s]",
			d.Source.Name, f.Line, f.Column, f.PlacedMessage(), end, f.Rule)))
		if end == "" {
			return errors.Join(all...)
		}
	}
	var faults convert.SourceErrors
	errors.As(converted, &faults)
	for _, fault := range faults {
		parent := fault.Pointer[:max(strings.LastIndexByte(fault.Pointer, '/'), 0)]
		if at := nearest(doc.Root(), fault.Pointer).Position(); !reported[fault.Pointer] && !reported[parent] {
			all = append(all, cli.Reject(fmt.Errorf("%s:%d:%d: %s: %s%s", d.Source.Name, at.Line, at.Column, fault.Pointer, fault.Message, remedy.Lenient)))
		}
	}
	return errors.Join(all...)
}

// sw4rmTime matches the places of timestamps that are normalised.
var sw4rmTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/context_snapshot)?/conversation_history/[0-9]+/timestamp$`)
})

// isStructural reports whether a finding of a schema says that a member is missing or of a
// wrong type. What has a wrong form is converted, and comes back as it is.
func isStructural(f finding.Finding) bool {
	switch f.Rule {
	case "schema/required":
		return true
	case "schema/type":
		return !sw4rmTime().MatchString(f.Pointer) || !strings.Contains(f.Message, "found the number")
	case "schema/anyOf", "schema/oneOf":
		return !strings.HasPrefix(f.Message, "only one of") // a member in two spellings
	default:
		return false
	}
}

// nearest returns the value at a JSON Pointer, or the innermost one on the path to it.
func nearest(v jsonstream.Value, pointer string) jsonstream.Value {
	tokens, _ := jsonstream.SplitPointer(pointer)
	for _, token := range tokens {
		next := v.At(jsonstream.AppendPointer("", token))
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

// A convertRecord is what convert reports of one message.
type convertRecord struct {
	Source string `json:"source"`
	Index  int    `json:"index"`
	convert.Report
	place input.Origin
}

// publish writes the reports, or only what must not go unnoticed.
func (f *convertFlags) publish(stderr io.Writer, news []any) error {
	if f.quiet {
		return nil
	}
	for _, n := range news {
		r := n.(convertRecord)
		if f.report && f.format == "json" {
			if err := report.WriteJSON(stderr, r); err != nil {
				return err
			}
			continue
		}
		if f.report {
			fmt.Fprintf(stderr, "handoff: %s: %s → %s\n", r.place, r.From, r.To)
			r.writeMembers(stderr)
		}
		r.writeNotices(stderr)
	}
	return nil
}

// maxMadeUp bounds how much of a value that was made up the report shows, in columns.
const maxMadeUp = 60

// writeMembers lists what became of the members.
func (r convertRecord) writeMembers(w io.Writer) {
	for _, m := range r.Mapped {
		fmt.Fprintf(w, "  mapped   %s → %s%s\n", term.Visible(m.From), term.Visible(m.To), ofTurns(m.Turns))
	}
	for _, at := range r.Implied {
		fmt.Fprintf(w, "  implied  %s\n", term.Visible(at))
	}
	for _, m := range r.Carried {
		fmt.Fprintf(w, "  carried  %s in %s%s\n", term.Visible(m.Pointer), term.Visible(m.Place), ofTurns(m.Turns))
	}
	for _, m := range r.MadeUp {
		fmt.Fprintf(w, "  made up  %s = %s: %s\n", term.Visible(m.Pointer), term.Clip(string(m.Value), maxMadeUp), m.Rule)
	}
	for _, m := range r.Filled {
		fmt.Fprintf(w, "  lenient  %s: %s\n", term.Visible(m.Pointer), term.Visible(m.Message))
	}
}

func ofTurns(n int) string {
	if n == 0 {
		return ""
	}
	return " (" + term.Plural(n, "turn") + ")"
}

// writeNotices says what of the source does not hold, or is not there, any more.
func (r convertRecord) writeNotices(w io.Writer) {
	for _, m := range r.Changed {
		fmt.Fprintf(w, "handoff: %s: %s%s: changed since it was converted: what was carried for it is left out\n", r.place, term.Visible(m.Pointer), ofTurns(m.Turns))
	}
	if r.Signature != "" {
		fmt.Fprintf(w, "handoff: %s: the signature does not cover the result: it is kept as data\n", r.place)
	}
}
