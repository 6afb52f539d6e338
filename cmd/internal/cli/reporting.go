package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// ReportFlags say which reports a run writes, and where.
type ReportFlags struct{ report.Choice }

// Register registers the flags of a command that may write several reports.
func (f *ReportFlags) Register(c *cobra.Command, formats []string) {
	f.register(c, "format of the report", formats)
	c.Flags().StringArrayVar(&f.Also, "report", nil, "also write a report, as `FORMAT=FILE`; may be repeated")
	var prefixes []string
	for _, format := range formats {
		prefixes = append(prefixes, format+"=")
	}
	Complete(c, "report", prefixes...)
}

// RegisterOne registers the flags of a command that writes one report. Even one that is not
// written has to be in a format that there is.
func (f *ReportFlags) RegisterOne(c *cobra.Command, what string, formats []string) {
	f.register(c, what, formats)
	c.PreRunE = func(*cobra.Command, []string) error { return report.CheckFormat(f.Format, formats) }
}

func (f *ReportFlags) register(c *cobra.Command, what string, formats []string) {
	f.Formats = formats
	flags := c.Flags()
	flags.StringVarP(&f.Format, "format", "f", "text", what+": "+strings.Join(formats, ", "))
	flags.StringVarP(&f.Output, "output", "o", "", "write the report to `FILE`")
	flags.BoolVarP(&f.Quiet, "quiet", "q", false, "no report and no summary: the exit code is the answer")
	Complete(c, "format", formats...)
}

// A Reporting is one run of a command that reports on every document it reads.
type Reporting struct {
	*report.Set
	Findings *report.Limiter
	Progress *term.Progress
	Stderr   io.Writer
	// Unnamed: the errors of records do not name their source.
	Unnamed bool
	// Before, if not nil, gets the records of a batch before they are reported.
	Before func(Records) error
	// Flushed, if not nil, is called when all that there is to report was written out.
	Flushed func()

	Documents  int                    // that were read
	Rejected   int                    // documents that are not valid
	Reasons    map[finding.Reason]int // of those
	Unexpected int
	Unread     int // documents and sources that could not be read

	quiet bool
}

// Records are those of a batch.
type Records []report.Record

// Weight counts a quarter of a kilobyte for a record, and half a one for a finding.
func (list Records) Weight() int {
	n := 256 * len(list)
	for _, r := range list {
		n += 512 * len(r.Findings)
	}
	return n
}

// Start opens the reports of a run. The main one is opened by open, if that is not nil.
func (f *ReportFlags) Start(g *Globals, c *cobra.Command, open func(path string, stdout io.Writer) (*output.File, error)) (*Reporting, error) {
	if open == nil {
		open = g.Open
	}
	var printers []report.Printer
	set, err := report.Open(open, g.Open, g.Color, c.OutOrStdout(), f.Choice, func(format string, w *output.File, colors term.Palette) (report.Ending, error) {
		p, err := report.NewPrinter(format, w, colors)
		printers = append(printers, p)
		return p, err
	})
	if err != nil {
		return nil, err
	}
	return &Reporting{
		Set: set,
		Findings: report.NewLimiter(g.MaxFindings, func(r *report.Record) error {
			for _, p := range printers {
				if err := p.Report(r); err != nil {
					return err
				}
			}
			return nil
		}),
		Progress: g.NewProgress(c.ErrOrStderr(), f.Quiet || !term.IsTerminal(c.OutOrStdout())),
		Stderr:   c.ErrOrStderr(), Reasons: map[finding.Reason]int{}, quiet: f.Quiet,
	}, nil
}

// OneByOne is the work of a command that looks at each document by itself.
func OneByOne(check func(input.Document) report.Record) func([]input.Document) Records {
	return func(batch []input.Document) Records {
		records := make(Records, len(batch))
		for i, d := range batch {
			records[i] = check(d)
		}
		return records
	}
}

// Read is [Reporting.Run] on the documents that the arguments name.
func (r *Reporting) Read(g *Globals, c *cobra.Command, args []string, work func([]input.Document) Records) error {
	list := g.Sources(args, c.InOrStdin(), r.Stderr)
	r.Progress.Start(input.TotalSize(list))
	return r.Run(func(emit func([]input.Document) bool) { input.Batches(list, g.Limits, r.Progress.Bytes, emit) }, work)
}

// ReadWhole is [Reporting.Read] for sources that each hold one document, which need not be
// JSON.
func (r *Reporting) ReadWhole(g *Globals, c *cobra.Command, args []string, work func([]input.Document) Records) error {
	list := g.Sources(args, c.InOrStdin(), r.Stderr)
	r.Progress.Start(input.TotalSize(list))
	return r.Run(func(emit func([]input.Document) bool) { input.Wholes(list, g.Limits, r.Progress.Bytes, emit) }, work)
}

// Run reports what work comes to on the batches that produce emits.
func (r *Reporting) Run(produce func(emit func([]input.Document) bool), work func([]input.Document) Records) error {
	defer r.Progress.Stop()
	err := input.InOrder(produce, work, func(list Records) error {
		if r.Before != nil {
			if err := r.Before(list); err != nil {
				return err
			}
		}
		for i := range list {
			if err := r.Report(&list[i]); err != nil {
				return err
			}
		}
		return nil
	}, r.flush)
	return cmp.Or(err, r.Findings.Flush(), r.flush())
}

func (r *Reporting) flush() error {
	err := r.Flush()
	if err == nil && r.Flushed != nil {
		r.Flushed()
	}
	return err
}

// Report counts a record, and reports it.
func (r *Reporting) Report(one *report.Record) error {
	if ClassifierFailed(one.Err) {
		return one.Err
	}
	if one.Err != nil {
		r.Unread++
		printed := one.Err
		if r.Unnamed {
			printed = fmt.Errorf("%s: %w", term.Visible(one.Source), one.Err)
		}
		if !r.Progress.Fail(printed) {
			return nil
		}
		return cmp.Or(r.Findings.Flush(), r.Unreadable(one.Source, one.Err))
	}
	r.Documents++
	r.Progress.Message()
	if !one.Valid {
		r.Rejected++
		r.Reasons[one.Reason]++
	}
	if one.Unexpected {
		r.Unexpected++
	}
	return r.Findings.Report(one)
}

// Finish ends the reports, or takes them back if err is not nil, and says in a line how the
// run went: summary, how many of the things called unread were not read, and how many
// findings are not shown.
func (r *Reporting) Finish(err error, summary, unread string) error {
	r.Progress.Stop()
	if err == nil && !r.quiet && summary != "" {
		if r.Unread > 0 {
			summary += "; " + unread + " could not be read"
		}
		fmt.Fprintln(r.Stderr, summary+r.Findings.Summary())
	}
	return r.Close(err)
}

// Each does work on every document that the arguments name, on all cores, and consumes what
// came of it in the order of the input. It prints and counts what cannot be read or worked
// on.
func Each[R any](g *Globals, c *cobra.Command, args []string, p *term.Progress, work func(input.Document) (R, error), consume func(R) error, flush func() error) (unread int, err error) {
	type outcome struct {
		result R
		err    error
	}
	err = input.Process(g.Sources(args, c.InOrStdin(), c.ErrOrStderr()), g.Limits, p, func(batch []input.Document) []outcome {
		outcomes := make([]outcome, len(batch))
		for i, d := range batch {
			o := &outcomes[i]
			if d.Err != nil {
				o.err = input.InFile(d.Source.Name, d.Err)
			} else {
				o.result, o.err = work(d)
			}
		}
		return outcomes
	}, func(outcomes []outcome) error {
		for _, o := range outcomes {
			p.Message()
			switch {
			case ClassifierFailed(o.err):
				return o.err
			case o.err != nil:
				unread++
				p.Fail(o.err)
			default:
				if err := consume(o.result); err != nil {
					return err
				}
			}
		}
		return nil
	}, flush)
	return unread, err
}
