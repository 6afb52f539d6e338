package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// scanRun is one run of scan.
type scanRun struct {
	*scanFlags
	scanner  *cli.Scanner
	stderr   io.Writer
	progress *term.Progress
	findings *report.Limiter

	documents int
	flagged   int
	unread    int
}

// all scans every document of the sources, and reports the outcome.
func (s *scanRun) all(ctx context.Context, out *output.File, list []input.Source) error {
	work := func(batch []input.Document) []*report.Record {
		records := make([]*report.Record, 0, len(batch))
		for _, d := range batch {
			r, err := s.scan(ctx, d)
			if err != nil {
				r = &report.Record{Err: err}
			}
			records = append(records, r)
		}
		return records
	}
	produce := func(emit func([]input.Document) bool) { s.produce(list, emit) }
	s.progress.Start(input.TotalSize(list))
	defer s.progress.Stop()
	err := input.InOrder(produce, work, func(records []*report.Record) error {
		for _, r := range records {
			if err := s.consume(r); err != nil {
				return err
			}
		}
		return nil
	}, out.Flush)
	s.progress.Stop()
	err = cmp.Or(err, s.findings.Flush(), out.Flush())
	if err == nil && !s.quiet {
		fmt.Fprintln(s.stderr, s.summary())
	}
	return err
}

// produce emits the documents: JSON ones, or with --text each file as one.
func (s *scanRun) produce(list []input.Source, emit func([]input.Document) bool) {
	if !s.text {
		input.Batches(list, s.Limits, s.progress.Bytes, emit)
		return
	}
	for _, src := range list {
		if !emit([]input.Document{src.WholeText(s.Limits, s.progress.Bytes)}) {
			return
		}
	}
}

func (s *scanRun) scan(ctx context.Context, d input.Document) (*report.Record, error) {
	if d.Err != nil {
		return nil, input.InFile(d.Source.Name, d.Err)
	}
	if s.text {
		found, err := safety.ScanText(ctx, s.scanner.Scanner, string(d.Raw.Bytes), s.scanner.Allow)
		if err != nil {
			return nil, input.InFile(d.Source.Name, err)
		}
		place := func(f safety.PlacedFinding) jsonstream.Position { return d.Raw.PositionAt(f.Offset) }
		return scanRecord(input.Origin{Source: d.Source.Name}, d.Index, found, place), nil
	}
	doc, err := jsonstream.Parse(d.Raw, s.Limits)
	if err != nil {
		return nil, input.InFile(d.Source.Name, err)
	}
	form, err := history.FormatOf(doc.Root(), s.From)
	if err != nil && s.From != "" {
		return nil, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	found, err := safety.ScanMessage(ctx, s.scanner.Scanner, doc.Root(), form, s.scanner.Allow)
	if err != nil {
		return nil, input.InFile(d.Source.Name, err)
	}
	return scanRecord(d.Origin(), d.Index, found, safety.PlacedFinding.Position), nil
}

func (s *scanRun) consume(r *report.Record) error {
	if cli.ClassifierFailed(r.Err) {
		return r.Err
	}
	if r.Err != nil {
		s.unread++
		s.progress.Fail(r.Err)
		return nil
	}
	s.documents++
	s.progress.Message()
	if !r.Valid {
		s.flagged++
	}
	if s.quiet && s.output == "" {
		return nil
	}
	return s.findings.Report(r)
}

// answer is what the run comes to, once everything is written.
func (s *scanRun) answer() error {
	return cli.Answer(s.unread, s.flagged > 0)
}

// summary says how the run went, in one line.
func (s *scanRun) summary() string {
	text := fmt.Sprintf("%s: %d flagged", counted(s.documents, "document"), s.flagged)
	if s.unread > 0 {
		text += fmt.Sprintf("; %s could not be read", counted(s.unread, "document"))
	}
	return text + s.findings.Summary()
}
