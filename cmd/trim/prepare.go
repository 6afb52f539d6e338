package trim

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/sw4rm"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	sw4rmformat "github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/trim"
)

// prepareFlags are the flags of sw4rm prepare, a subset of trim's.
type prepareFlags struct {
	trimFlags
	sw4rm.LenientFlag
}

func NewPrepare(g *cli.Globals) *cobra.Command {
	f := &prepareFlags{trimFlags: trimFlags{Rewriting: cli.Rewriting{Globals: g, KeepsEnds: true}}}
	c := &cobra.Command{
		Use:   "prepare [FILE|DIR|-]...",
		Short: "Trim contexts to the size recommended by SW4RM",
		Long: `Prepare applies prepare_handoff_context of the document to contexts, alone or in
requests: it keeps the last 50 messages of any kind, and of the tool state active_calls
and pending_approvals; it adds original_history_length and trimmed to the metadata.
"handoff trim" offers more: a summary of removed turns, protected instructions, and
limits in tokens or bytes.

The changes are recorded in metadata.trim. --archive stores the removed data, and
"handoff trim --restore" restores it. An already prepared context stays unchanged. A
context that must be trimmed, but has another value in metadata.trim, is left out with
an error: rename that member.`,
		Example: `  handoff sw4rm prepare context.json > small.json
  handoff sw4rm prepare --max-history 20 --archive removed.jsonl -i requests.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.runPrepare(c, args) },
	}
	flags := c.Flags()
	flags.IntVar(&f.Last, "max-history", trim.DefaultLast, "maximum number of `MESSAGES`")
	flags.StringVar(&f.archive, "archive", "", "append removed data to `FILE`")
	cli.RegisterFormat(c, &f.trimFlags.format, "report format: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report")
	f.counter.Register(c)
	f.LenientFlag.Register(c)
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	return c
}

func (f *prepareFlags) runPrepare(c *cobra.Command, args []string) error {
	if f.Last < 1 {
		return fmt.Errorf("--max-history %d: write a number above 0", f.Last)
	}
	counter, err := f.counter.Load()
	if err != nil {
		return err
	}
	f.Meter, f.Tokenizer = counter.Meter(), string(counter.Encoding())
	return f.rewrite(c, args, f.prepare)
}

func (f *prepareFlags) prepare(d input.Document) ([]byte, Record, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, Record{}, err
	}
	kind, ok := formats.Detect(doc.Root())
	if !ok {
		kind = format.SW4RMContext // its error names the missing members
	}
	switch kind {
	case format.SW4RMContext, format.SW4RMRequest:
	case format.SW4RMResponse:
		return nil, Record{}, fmt.Errorf("%s: expected an SW4RM context or request, found a response, which carries no context", d.Origin())
	default:
		return nil, Record{}, fmt.Errorf("%s: expected an SW4RM context or request, found the format %s: use handoff trim", d.Origin(), kind)
	}
	doc, notes, err := f.Fill(doc, kind, f.Limits)
	if err != nil {
		return nil, Record{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	if err := readable(doc, kind, f.Limits, term.Visible(d.Source.Name)); err != nil {
		return nil, Record{}, err
	}
	options := f.Options
	options.Format = kind
	r, err := trim.Prepare(doc, f.Limits, options)
	if err != nil {
		return nil, Record{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	report := Record{
		Source: d.Source.Name, Index: d.Index, Changed: r.Changed, Record: r.Record,
		place: d.Origin(), archive: r.Archive, turnsGone: r.Gone, notes: notes,
	}
	if n := r.Record.GivenUp[string(trim.ToolState)]; n > 0 && r.Changed && !f.quiet && f.trimFlags.format == "text" {
		report.notes = append(notes, term.Plural(n, "member")+" of the tool state left out")
	}
	return r.Text, report, nil
}

// readable returns an error if deserialize_context cannot read a context.
func readable(doc *jsonstream.Document, kind format.Format, limits jsonstream.Limits, name string) error {
	var problems []finding.Finding
	if kind == format.SW4RMContext {
		_, problems = sw4rmformat.ReadContext(doc.Root())
	} else {
		_, problems = sw4rmformat.ReadRequest(doc, limits)
	}
	return sw4rm.Problems(name, problems)
}
