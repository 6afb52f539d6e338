package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ReportFlags select the reports of a run and their outputs.
type ReportFlags struct {
	report.Choice
	Verbose   bool
	excerpt   bool
	noExcerpt bool
	filter    filterFlags
}

// Register registers the flags of a command that may write several reports with a record per document.
func (f *ReportFlags) Register(c *cobra.Command, formats []string) {
	f.RegisterFiles(c, formats)
	f.registerText(c)
}

// RegisterFiles registers the flags of a command that may write several reports. The format must be valid
// even if no report is written.
func (f *ReportFlags) RegisterFiles(c *cobra.Command, formats []string) {
	f.Formats = formats
	flags := c.Flags()
	flags.StringVarP(&f.Format, "format", "f", "text", "report format: "+strings.Join(formats, ", "))
	flags.StringVarP(&f.Output, "output", "o", "", "write the report to `FILE`")
	flags.BoolVarP(&f.Quiet, "quiet", "q", false, "print no report or summary, only set the exit code")
	flags.StringArrayVar(&f.Also, "report", nil, "additional report, as `FORMAT=FILE`; may be repeated")
	var prefixes []string
	for _, format := range formats {
		prefixes = append(prefixes, format+"=")
	}
	Complete(c, "report", prefixes...)
	Complete(c, "format", formats...)
	c.PreRunE = func(*cobra.Command, []string) error { return report.CheckFormat(f.Format, formats) }
}

// registerText registers the flags for the text of a report.
func (f *ReportFlags) registerText(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVarP(&f.Verbose, "verbose", "v", false, "also list documents without findings")
	flags.BoolVar(&f.excerpt, "excerpt", false, "show the line around each finding, even if the output is not a terminal")
	flags.BoolVar(&f.noExcerpt, "no-excerpt", false, "do not show the line around each finding")
}

// A Reporting is one run of a command that reports on every document.
type Reporting struct {
	*report.Set
	Findings *report.Limiter
	Progress *term.Progress
	Stderr   io.Writer
	// Unnamed omits the source from the errors of records.
	Unnamed bool
	// Before, if not nil, is called with the records of a batch before they are reported.
	Before func(Records) error
	// Flushed, if not nil, is called after all pending reports were written.
	Flushed func()

	Documents  int                    // the number of documents read
	Rejected   int                    // the number of invalid documents
	Reasons    map[finding.Reason]int // their number by reason
	Unexpected int
	Unread     int // the number of unreadable documents and sources

	// Whole reports that documents are not JSON and are passed on without a line end.
	Whole bool

	rules    map[string]int // the number of times that each was broken
	quiet    bool
	excerpts int // the width of excerpts, in columns; 0 for none
	filter   *filter
}

// Records are the records of a batch.
type Records []report.Record

// Weight counts a quarter of a kilobyte per record, half a kilobyte per finding, and the size of each
// document that a record holds.
func (list Records) Weight() int {
	n := 256 * len(list)
	for _, r := range list {
		n += 512*len(r.Findings) + len(r.Raw.Bytes)
	}
	return n
}

// Start opens the reports of a run. open, if not nil, opens the main report.
func (f *ReportFlags) Start(g *Globals, c *cobra.Command, open func(path string, stdout io.Writer) (*output.File, error)) (*Reporting, error) {
	if f.excerpt && f.noExcerpt {
		return nil, errors.New("--excerpt and --no-excerpt: use one of them")
	}
	filter, err := f.filter.open(g, c)
	if err != nil {
		return nil, err
	}
	if open == nil {
		open = g.Open
	}
	var screen io.Writer = c.OutOrStdout()
	if f.filter.pass && f.Output == "" {
		screen = c.ErrOrStderr()
		open = func(string, io.Writer) (*output.File, error) {
			return &output.File{Writer: g.Buffered("standard error", screen), Stdout: true, All: g.Files}, nil
		}
	}
	var printers []report.Printer
	excerpts := 0
	set, err := report.Open(open, g.Open, c.OutOrStdout(), f.Choice, func(format string, w *output.File) (report.Ending, error) {
		text := report.Text{Colors: term.NewPalette(w.Stdout && term.UseColor(g.Color, screen)), All: f.Verbose}
		if w.Stdout {
			text.Width = term.ScreenWidth(screen)
		}
		if format == "text" && !f.noExcerpt && (f.excerpt || text.Width > 0) {
			excerpts = cmp.Or(text.Width, term.MaxWidth)
		}
		p, err := report.NewPrinter(format, w, text)
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
		Progress: g.NewProgress(c.ErrOrStderr()),
		Stderr:   c.ErrOrStderr(), Reasons: map[finding.Reason]int{}, rules: map[string]int{}, quiet: f.Quiet, excerpts: excerpts, filter: filter,
	}, nil
}

// OneByOne returns the work of a command that checks each document separately.
func OneByOne(check func(input.Document) report.Record) func([]input.Document) Records {
	return func(batch []input.Document) Records {
		records := make(Records, len(batch))
		for i, d := range batch {
			records[i] = check(d)
		}
		return records
	}
}

// Read is [Reporting.Run] on the documents of the arguments.
func (r *Reporting) Read(g *Globals, c *cobra.Command, args []string, work func([]input.Document) Records) error {
	list := g.Sources(args, c.InOrStdin(), r.Stderr)
	input.Watch(r.Progress, list)
	return r.Run(func(emit func([]input.Document) bool) { input.Batches(list, g.Limits, r.Progress.Bytes, emit) }, work)
}

// ReadWhole is [Reporting.Read] for sources with one document each, which need not be JSON.
func (r *Reporting) ReadWhole(g *Globals, c *cobra.Command, args []string, work func([]input.Document) Records) error {
	list := g.Sources(args, c.InOrStdin(), r.Stderr)
	input.Watch(r.Progress, list)
	return r.Run(func(emit func([]input.Document) bool) { input.Wholes(list, g.Limits, r.Progress.Bytes, emit) }, work)
}

// Run reports the results of work on the batches that produce emits.
func (r *Reporting) Run(produce func(emit func([]input.Document) bool), work func([]input.Document) Records) error {
	defer r.Progress.Stop()
	err := input.InOrder(produce, r.prepared(work), func(list Records) error {
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
	if err == nil {
		err = r.Findings.Flush()
	}
	if err == nil {
		err = r.flush()
	}
	return err
}

// prepared returns work that also takes the excerpts for reports, puts documents to be passed on on a line, and
// drops documents without a destination, so that they do not stay in memory until they are reported.
func (r *Reporting) prepared(work func([]input.Document) Records) func([]input.Document) Records {
	return func(batch []input.Document) Records {
		list := work(batch)
		for i := range list {
			one := &list[i]
			if r.excerpts > 0 && !r.Findings.Exhausted.Load() {
				one.TakeExcerpts(r.excerpts)
			}
			if one.Err != nil && len(list) == len(batch) {
				one.Source, one.Index, one.Raw = batch[i].Source.Name, batch[i].Index, batch[i].Raw
			}
			switch {
			case r.filter == nil:
				one.Raw = jsonstream.Raw{}
			case one.Valid && !r.Whole && !r.filter.keepLayout:
				one.Raw.Bytes = jsonstream.Line(one.Raw.Bytes)
			}
		}
		return list
	}
}

func (r *Reporting) flush() error {
	err := r.filter.flush()
	if err == nil {
		err = r.Flush()
	}
	if err == nil && r.Flushed != nil {
		r.Flushed()
	}
	return err
}

// Report counts and reports a record.
func (r *Reporting) Report(one *report.Record) error {
	if ClassifierFailed(one.Err) {
		return one.Err
	}
	if r.filter != nil {
		if err := r.filter.take(one, r.Whole); err != nil {
			return err
		}
		one.Raw = jsonstream.Raw{}
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
		if err := r.Findings.Flush(); err != nil {
			return err
		}
		return r.Unreadable(report.Unread{Source: one.Source, Index: one.Index, Err: one.Err})
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
	r.countRules(one.Findings)
	return r.Findings.Report(one)
}

// countRules counts the broken rules. It looks up each run of equal rules only once, because a map access
// takes as long as everything else.
func (r *Reporting) countRules(findings []finding.Finding) {
	for n := 0; len(findings) > 0; findings = findings[n:] {
		for n = 1; n < len(findings) && findings[n].Rule == findings[0].Rule; n++ {
		}
		r.rules[findings[0].Rule] += n
	}
}

// Finish ends the reports, or discards them if err is not nil. It prints a line with summary, the number of
// unread things and the number of omitted findings.
func (r *Reporting) Finish(err error, summary, unread string) error {
	r.Progress.Stop()
	if failure := r.filter.close(); err == nil {
		err = failure
	}
	err = r.Close(err)
	if err == nil && !r.quiet && summary != "" {
		if r.Unread > 0 {
			summary += "; " + unread + " could not be read"
		}
		fmt.Fprintln(r.Stderr, summary+r.Findings.Summary())
		if r.Findings.Omitted > 0 {
			r.printTotals()
		}
	}
	return err
}

// Validity returns a text with the number of valid documents; noun names the documents.
func (r *Reporting) Validity(noun string) string {
	return fmt.Sprintf("%s: %d valid, %d invalid", term.Counted(r.Documents, noun), r.Documents-r.Rejected, r.Rejected)
}

// maxTotals is the maximum number of rules in the totals.
const maxTotals = 10

// printTotals prints the number of findings of each rule, the most frequent first.
func (r *Reporting) printTotals() {
	rules := slices.SortedFunc(maps.Keys(r.rules), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.rules[b], r.rules[a]), cmp.Compare(a, b))
	})
	for i, rule := range rules {
		if i == maxTotals {
			fmt.Fprintf(r.Stderr, "  … and %s\n", term.Plural(len(rules)-i, "other rule"))
			break
		}
		fmt.Fprintf(r.Stderr, "  %9s  %s\n", term.Grouped(int64(r.rules[rule])), term.Visible(rule))
	}
}

// Each does work on every document of the arguments concurrently and consumes the results in input order. It
// prints and counts errors of reading and of work, and passes them to lost.
func Each[R any](g *Globals, c *cobra.Command, args []string, p *term.Progress, work func(input.Document) (R, error), consume func(R) error, lost func(report.Unread) error, flush func() error) (unread int, err error) {
	type outcome struct {
		result R
		report.Unread
	}
	err = input.Process(g.Sources(args, c.InOrStdin(), c.ErrOrStderr()), g.Limits, p, func(batch []input.Document) []outcome {
		outcomes := make([]outcome, len(batch))
		for i, d := range batch {
			o := &outcomes[i]
			o.Source, o.Index = d.Source.Name, d.Index
			if d.Err != nil {
				o.Err = input.InFile(d.Source.Name, d.Err)
			} else {
				o.result, o.Err = work(d)
			}
		}
		return outcomes
	}, func(outcomes []outcome) error {
		for _, o := range outcomes {
			p.Message()
			switch {
			case ClassifierFailed(o.Err):
				return o.Err
			case o.Err != nil:
				unread++
				if !p.Fail(o.Err) {
					continue
				}
				if err := lost(o.Unread); err != nil {
					return err
				}
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
