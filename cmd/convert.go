package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	rewriting
	layout
	formatFlag
	convert.Options
	to     string
	report bool
	format string
	quiet  bool
}

func newConvert(g *globals) *cobra.Command {
	f := &convertFlags{rewriting: rewriting{globals: g}}
	c := &cobra.Command{
		Use:   "convert --to FORMAT [FILE|DIR|-]...",
		Short: "Turn messages of one system into those of another, and back",
		Long: `Convert writes messages in the format of another system, and loses nothing: what the
target has no place for travels in it, and comes back when it is converted back. What
was changed in between stays changed. docs/formats.md has the mapping, and where the
rest travels.

What the target asks for and the source does not have is made up: the same for the same
message, and other identifiers with another --seed. --report says on stderr what was
mapped, carried and made up; --strict refuses to make anything up, with exit code 1. So
is a message refused that breaks the rules of its own format, unless --lenient takes it
as it is.

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
	f.formatFlag.register(c)
	flags.BoolVar(&f.Strict, "strict", false, "refuse to make anything up")
	flags.BoolVar(&f.Lenient, "lenient", false, "take messages that break the rules of their own format")
	flags.StringVar(&f.Seed, "seed", "", "make up other identifiers, by this `TEXT`")
	flags.StringVar(&f.Budget, "budget", "", "the remaining budget in `USD` of canonical messages made of those without one (default 0)")
	flags.BoolVar(&f.report, "report", false, "say on stderr what became of every member")
	flags.StringVarP(&f.format, "format", "f", "text", "format of the report: "+strings.Join(plainFormats, ", "))
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on stderr but errors")
	f.registerOutput(c)
	f.registerInPlace(c)
	f.layout.register(c)
	complete(c, "to", convertible()...)
	onlyForCall(c, "to")
	complete(c, "format", plainFormats...)
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
		return unknownFormat(f.to, convertible())
	case !slices.Contains(plainFormats, f.format):
		return unknownFormat(f.format, plainFormats)
	case f.report && f.quiet:
		return errors.New("--report and --quiet: use one of them")
	}
	f.From = f.from
	if err := f.Options.Check(); err != nil {
		return fmt.Errorf("--budget %w", err)
	}
	f.rewrite = func(dst []byte, d document, tell func(any)) ([]byte, error) {
		doc, err := jsonstream.Parse(d.raw, f.limits)
		if err != nil {
			return nil, inFile(d.source.name, err)
		}
		r, err := convert.Convert(doc, format.Format(f.to), f.Options)
		if err != nil {
			return nil, convertError(d, doc, err)
		}
		tell(convertRecord{Source: d.source.name, Index: d.index, Report: r.Report, place: d.origin()})
		return f.layout.append(dst, r.Text)
	}
	f.publish = func(news []any) error { return f.tell(c.ErrOrStderr(), news) }
	return f.rewriting.run(c, args)
}

// convertError places an error: each rule that a message breaks at its line.
func convertError(d document, doc *jsonstream.Document, err error) error {
	var faults convert.SourceErrors
	made := (*convert.MadeUpError)(nil)
	switch {
	case errors.As(err, &faults):
		var all []error
		for _, fault := range faults {
			at := nearest(doc.Root(), fault.Pointer).Position()
			all = append(all, refusal{fmt.Errorf("%s:%d:%d: %s: %s; mend it, or convert it as it is with --lenient",
				d.source.name, at.Line, at.Column, fault.Pointer, fault.Problem)})
		}
		return errors.Join(all...)
	case errors.As(err, &made):
		err = refusal{err}
	}
	return fmt.Errorf("%s: %w", d.origin(), err)
}

// nearest returns the value at a JSON Pointer, or the innermost one on the way to it.
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
	place origin
}

// tell writes the reports, or only what must not go unnoticed.
func (f *convertFlags) tell(stderr io.Writer, news []any) error {
	if f.quiet {
		return nil
	}
	for _, n := range news {
		r := n.(convertRecord)
		if f.report && f.format == "json" {
			if err := writeJSON(stderr, r); err != nil {
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

// mostMadeUp bounds how much of a value that was made up the report shows, in columns.
const mostMadeUp = 60

// writeMembers lists what became of the members.
func (r convertRecord) writeMembers(w io.Writer) {
	for _, m := range r.Mapped {
		fmt.Fprintf(w, "  mapped   %s → %s%s\n", visible(m.From), visible(m.To), ofTurns(m.Turns))
	}
	for _, m := range r.Carried {
		fmt.Fprintf(w, "  carried  %s in %s%s\n", visible(m.Pointer), visible(m.Place), ofTurns(m.Turns))
	}
	for _, m := range r.MadeUp {
		fmt.Fprintf(w, "  made up  %s = %s: %s\n", visible(m.Pointer), clip(string(m.Value), mostMadeUp), m.Rule)
	}
	for _, m := range r.Filled {
		fmt.Fprintf(w, "  lenient  %s: %s\n", visible(m.Pointer), visible(m.Problem))
	}
}

func ofTurns(n int) string {
	if n == 0 {
		return ""
	}
	return " (" + plural(n, "turn") + ")"
}

// writeNotices says what of the source does not hold, or is not there, any more.
func (r convertRecord) writeNotices(w io.Writer) {
	for _, m := range r.Changed {
		fmt.Fprintf(w, "handoff: %s: %s%s: changed since it was converted: what was carried for it is left out\n", r.place, visible(m.Pointer), ofTurns(m.Turns))
	}
	if r.Signature != "" {
		fmt.Fprintf(w, "handoff: %s: the signature does not cover the result: it is kept as data\n", r.place)
	}
}
