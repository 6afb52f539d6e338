package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// scanRun is one run of scan.
type scanRun struct {
	*scanFlags
	scanner  *scanner
	colors   palette
	stderr   io.Writer
	progress *progress
	findings *limiter[*scanRecord]

	documents int
	flagged   int
	unread    int
}

// A scanned is a record, or why there is none.
type scanned struct {
	scanRecord
	err error
}

// all scans every document of the sources, and tells the outcome.
func (s *scanRun) all(ctx context.Context, out *output, list []source) error {
	work := func(batch []document) []scanned {
		results := make([]scanned, 0, len(batch))
		for _, d := range batch {
			r, err := s.scan(ctx, d)
			results = append(results, scanned{r, err})
		}
		return results
	}
	s.findings = newLimiter(s.maxFindings, func(r *scanRecord) error { return s.write(out, r) })
	produce := func(emit func([]document) bool) { s.produce(list, emit) }
	s.progress.start(list)
	defer s.progress.stop()
	err := inOrder(produce, work, func(results []scanned) error {
		for _, r := range results {
			if err := s.consume(r); err != nil {
				return err
			}
		}
		return nil
	}, out.Flush)
	s.progress.stop()
	err = cmp.Or(err, s.findings.flush(), out.Flush())
	if err == nil && !s.quiet {
		fmt.Fprintln(s.stderr, s.summary())
	}
	return err
}

// produce emits the documents: JSON ones, or with --text each file as one.
func (s *scanRun) produce(list []source, emit func([]document) bool) {
	if !s.text {
		batches(list, s.limits, s.progress.bytes, emit)
		return
	}
	for _, src := range list {
		if !emit([]document{src.wholeText(s.limits, s.progress.bytes)}) {
			return
		}
	}
}

func (s *scanRun) scan(ctx context.Context, d document) (scanRecord, error) {
	r := scanRecord{Source: d.source.name, Index: d.index, Findings: []scanFinding{}, origin: origin{source: d.source.name}}
	if d.err != nil {
		return r, inFile(d.source.name, d.err)
	}
	if s.text {
		report, err := safety.ScanText(ctx, s.scanner.Scanner, string(d.raw.Bytes), s.scanner.allow)
		if err != nil {
			return r, inFile(d.source.name, err)
		}
		r.fill(report, func(f safety.PlacedFinding) jsonstream.Position { return d.raw.PositionAt(f.Offset) })
		return r, nil
	}
	r.origin = d.origin()
	doc, err := jsonstream.Parse(d.raw, s.limits)
	if err != nil {
		return r, inFile(d.source.name, err)
	}
	form, err := history.FormatOf(doc.Root(), s.from)
	if err != nil && s.from != "" {
		return r, fmt.Errorf("%s: %w", d.origin(), err)
	}
	report, err := safety.ScanMessage(ctx, s.scanner.Scanner, doc.Root(), form, s.scanner.allow)
	if err != nil {
		return r, inFile(d.source.name, err)
	}
	r.fill(report, safety.PlacedFinding.Position)
	return r, nil
}

func (s *scanRun) consume(r scanned) error {
	if isClassifierError(r.err) {
		return r.err
	}
	if r.err != nil {
		s.unread++
		s.progress.fail(r.err)
		return nil
	}
	s.documents++
	s.progress.message()
	if r.Flagged {
		s.flagged++
	}
	return s.findings.report(&r.scanRecord)
}

func (s *scanRun) write(out io.Writer, r *scanRecord) error {
	switch {
	case s.quiet && s.output == "":
		return nil
	case s.format == "json":
		return writeJSON(out, r)
	default:
		_, err := io.WriteString(out, r.text(s.colors))
		return err
	}
}

// answer is what the run comes to, once everything is written.
func (s *scanRun) answer() error {
	return answer(s.unread, s.flagged > 0)
}

// summary tells how the run went, in one line.
func (s *scanRun) summary() string {
	text := fmt.Sprintf("%s: %d flagged", counted(s.documents, "document"), s.flagged)
	if s.unread > 0 {
		text += fmt.Sprintf("; %s could not be read", counted(s.unread, "document"))
	}
	return text + s.findings.summary()
}
