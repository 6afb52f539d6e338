package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/pkg/safety"
)

// scanFlags are the flags of scan.
type scanFlags struct {
	*cli.Globals
	cli.FormatFlag
	scanner   cli.ScannerFlags
	policy    cli.PolicyFlag
	text      bool
	explain   bool
	calibrate bool
	listRules bool
	reports   cli.ReportFlags
}

func NewScan(g *cli.Globals) *cobra.Command {
	f := &scanFlags{Globals: g}
	c := &cobra.Command{
		Use:   "scan [FILE|DIR|-]...",
		Short: "Detect instructions hidden in data",
		Long: `Scan searches every string of messages in any format, of any other JSON, or with --text
of plain text, for attempts to control the agent that reads it: orders to ignore its
instructions, forged turns, requests for its prompt or for secrets, and hidden or
disguised text. It is the safety classifier of section 6.1. The snapshot of an SW4RM
request and the contexts of a MACP transcript are decoded first; pointers continue
inside them.

A text is flagged if the total score of its findings reaches --threshold. With
--privacy, personal data is reported, too, but not shown. Exit code 0: nothing is
flagged; 1: at least one text is flagged; 2: an input could not be scanned.`,
		Example: `  handoff scan message.json
  curl -s https://example.com | handoff scan --text
  producer | handoff scan --pass --reject flagged.jsonl | consumer
  handoff scan -f json --allow 'embedded-request@/tools/**' archive/ | jq 'select(.flagged)'`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.scanner.Register(c)
	f.policy.Register(c)
	f.FormatFlag.Register(c)
	flags.BoolVar(&f.text, "text", false, "read the input as plain text, one text per file")
	flags.BoolVar(&f.explain, "evidence", false, "print the components of the score of each text with findings")
	flags.BoolVar(&f.calibrate, "calibrate", false, "print the detections and false alarms at each threshold, for labelled rows")
	flags.BoolVar(&f.listRules, "list-rules", false, "list the rules")
	f.reports.Register(c, report.Formats)
	f.reports.RegisterFilter(c, "clean")
	return c
}

func (f *scanFlags) run(c *cobra.Command, args []string) error {
	if f.text && f.From != "" {
		return errors.New("--text and --format-in: plain text has no format; use one of them")
	}
	// --report calibration is an earlier spelling of --calibrate.
	if i := slices.Index(f.reports.Also, "calibration"); i >= 0 {
		f.reports.Also, f.calibrate = slices.Delete(f.reports.Also, i, i+1), true
		term.Note(c.ErrOrStderr(), "--report calibration is deprecated: use --calibrate")
	}
	if f.calibrate || f.listRules {
		if err := report.CheckFormat(f.reports.Format, report.PlainFormats); err != nil {
			return err
		}
	}
	if err := input.OneStdin(args, f.scanner.Rules, f.policy.File); err != nil {
		return err
	}
	personal, err := f.policy.Load(f.Globals, c)
	if err != nil {
		return err
	}
	scanner, err := f.scanner.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if f.listRules {
		out, err := f.Open(f.reports.Output, c.OutOrStdout())
		if err != nil {
			return scanner.Close(err)
		}
		colors := term.NewPalette(out.Stdout && term.UseColor(f.Color, c.OutOrStdout()))
		return out.Close(scanner.Close(writeSafetyRules(out, f.reports.Format, scanner.Rules(), colors)))
	}
	if f.calibrate {
		out, err := f.Open(f.reports.Output, c.OutOrStdout())
		if err != nil {
			return scanner.Close(err)
		}
		return out.Close(scanner.Close(calibrate(c.Context(), out, f.NewProgress(c.ErrOrStderr()), f, scanner, f.Sources(args, c.InOrStdin(), c.ErrOrStderr()))))
	}
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return scanner.Close(err)
	}
	work := cli.OneByOne(func(d input.Document) report.Record {
		r, err := f.scan(c.Context(), scanner, personal, d)
		if r.Err = err; err != nil {
			r.Source = d.Source.Name
		}
		return r
	})
	read := out.Read
	if f.text {
		read, out.Whole = out.ReadWhole, true
	}
	err = scanner.Close(read(f.Globals, c, args, work))
	summary := fmt.Sprintf("%s: %d flagged", term.Counted(out.Documents, "document"), out.Rejected)
	return cli.Answer(out.Finish(err, summary, term.Counted(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// scan scans one document. It may run concurrently. It does not look for personal data if personal is nil.
func (f *scanFlags) scan(ctx context.Context, scanner *cli.Scanner, personal *privacy.Scanner, d input.Document) (report.Record, error) {
	if d.Err != nil {
		return report.Record{}, input.InFile(d.Source.Name, d.Err)
	}
	if f.text {
		found, err := safety.ScanText(ctx, scanner.Scanner, string(d.Raw.Bytes), scanner.Allow)
		if err != nil {
			return report.Record{}, input.InFile(d.Source.Name, err)
		}
		place := func(f safety.PlacedFinding) jsonstream.Position { return d.Raw.PositionAt(f.Offset) }
		r := scanRecord(f.explain, input.Origin{Source: d.Source.Name}, d.Index, found, place)
		r.Raw = d.Raw
		if personal != nil {
			for _, m := range personal.Find(nil, "", string(d.Raw.Bytes)) {
				addPersonal(&r, redact.Found{Class: m.Class, Kind: m.Kind, Score: m.Score}, d.Raw.PositionAt(m.Start))
			}
		}
		return r, nil
	}
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{}, err
	}
	form, err := history.FormatOf(doc.Root(), f.From)
	if err != nil && f.From != "" {
		return report.Record{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	found, err := safety.ScanMessage(ctx, scanner.Scanner, doc.Root(), form, scanner.Allow)
	if err != nil {
		return report.Record{}, input.InFile(d.Source.Name, err)
	}
	r := scanRecord(f.explain, d.Origin(), d.Index, found, safety.PlacedFinding.Position)
	r.Raw = d.Raw
	if personal != nil {
		for _, p := range redact.Find(doc, form, personal, f.Limits) {
			addPersonal(&r, p, p.Position())
		}
	}
	return r, nil
}
