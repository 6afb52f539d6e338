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
		Short: "Cut contexts to the size that the document advises",
		Long: `Prepare does what the document's prepare_handoff_context does, to contexts and to
those in requests: the last 50 messages stay, whatever they are; of the tool state
active_calls and pending_approvals stay; and the metadata get original_history_length
and trimmed. "handoff trim" does what this does not: a summary in place of what
goes, instructions that stay, limits in tokens or bytes.

What was done is recorded in metadata.trim. --archive keeps what was removed, and "handoff
trim --restore" puts it back. A context that is prepared already stays as it is. One
that has to be cut, and whose metadata.trim is something else, is left out with an
error: rename that member.`,
		Example: `  handoff sw4rm prepare context.json > small.json
  handoff sw4rm prepare --max-history 20 --archive removed.jsonl -i requests.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.runPrepare(c, args) },
	}
	flags := c.Flags()
	flags.IntVar(&f.Last, "max-history", trim.DefaultLast, "how many `MESSAGES` stay at most")
	flags.StringVar(&f.archive, "archive", "", "append what is removed to `FILE`")
	cli.RegisterFormat(c, &f.trimFlags.format, "format of the report on stderr: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report")
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
