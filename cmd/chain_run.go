package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/remedy"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// chainRun is one run of chain.
type chainRun struct {
	limits   jsonstream.Limits
	checker  *chain.Checker
	out      *report.Set
	tasks    []chainReporter
	stderr   io.Writer
	progress *term.Progress

	unread int  // documents and sources that no message came of
	broken bool // there is an error
}

// A chainOutcome is what chain reads of a document, or why it reads nothing.
type chainOutcome struct {
	message *chain.Message
	source  string
	err     error
}

// read takes in every document of the sources.
func (r *chainRun) read(list []input.Source) error {
	work := func(batch []input.Document) []chainOutcome {
		outcomes := make([]chainOutcome, 0, len(batch))
		for _, d := range batch {
			m, err := r.message(d)
			outcomes = append(outcomes, chainOutcome{m, d.Source.Name, err})
		}
		return outcomes
	}
	return input.Process(list, r.limits, r.progress, work, func(outcomes []chainOutcome) error {
		for _, o := range outcomes {
			r.progress.Message()
			if o.err == nil {
				r.checker.Add(o.message)
				continue
			}
			r.unread++
			if !r.progress.Fail(o.err) {
				continue
			}
			if err := r.out.Unreadable(o.source, o.err); err != nil {
				return err
			}
		}
		return nil
	}, r.out.Flush)
}

// message is the work on one document: it runs on any core.
func (r *chainRun) message(d input.Document) (*chain.Message, error) {
	doc, err := d.Parse(r.limits)
	if err != nil {
		return nil, err
	}
	m, err := chain.Read(doc, chain.Place{Source: d.Source.Name, Index: d.Index, Line: d.Raw.Start.Line})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	return m, nil
}

// report checks what was read, and reports on the tasks with these ids: nil for
// all.
func (r *chainRun) report(ids []string) error {
	tasks := r.checker.Tasks()
	for _, id := range ids {
		if !slices.ContainsFunc(tasks, func(t *chain.Task) bool { return strings.EqualFold(t.ID, id) }) {
			return fmt.Errorf("--task %s: no message belongs to this task", term.Visible(id))
		}
	}
	if ids != nil {
		tasks = slices.DeleteFunc(tasks, func(t *chain.Task) bool {
			return !slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(t.ID, id) })
		})
	}
	for _, t := range tasks {
		for twig := range twigs(t) {
			for i := range twig.Findings {
				f := &twig.Findings[i]
				f.Message += remedy.OfRule(f.Rule)
			}
		}
	}
	r.broken = slices.ContainsFunc(tasks, func(t *chain.Task) bool { return t.Errors > 0 })
	for _, w := range r.tasks {
		if err := w.Tasks(tasks); err != nil {
			return err
		}
	}
	return nil
}

// chainFormats are the formats of chain's report.
var chainFormats = []string{"text", "json", "sarif", "junit", "github", "mermaid", "dot"}

// A chainReporter writes the report of a run in one format.
type chainReporter interface {
	report.Ending
	Tasks([]*chain.Task) error // is called once, after what could not be read
}

// newChainReporter returns the reporter of a format. Text is drawn in so many
// columns, with every task in full if all is set. At most so many findings are reported.
func newChainReporter(format string, w io.Writer, columns int, colors term.Palette, all bool, maxFindings int) (chainReporter, error) {
	findings := term.Allowance{Max: maxFindings}
	switch format {
	case "text":
		t := newChainText(w, columns, colors, all)
		t.findings = findings
		return t, nil
	case "json":
		return &chainJSON{w, findings}, nil
	case "mermaid":
		return &chainGraph{w, mermaid{}, findings}, nil
	case "dot":
		return &chainGraph{w, dot{}, findings}, nil
	default:
		each, err := report.NewPrinter(format, w, colors)
		return newMessageByMessage(each, maxFindings), err
	}
}

// messageByMessage reports on each message of a task by itself, as validate does.
type messageByMessage struct {
	report.Printer
	findings *report.Limiter
}

func newMessageByMessage(each report.Printer, maxFindings int) messageByMessage {
	return messageByMessage{each, report.NewLimiter(maxFindings, each.Report)}
}

func (f messageByMessage) Tasks(tasks []*chain.Task) error {
	for _, t := range tasks {
		for twig := range twigs(t) {
			r := reportOf(twig.Node)
			if err := f.findings.Report(&r); err != nil {
				return err
			}
		}
	}
	return f.findings.Flush()
}

// reportOf returns what the boundary above a message is reported as: the message is
// invalid if a finding is an error.
func reportOf(n *chain.Node) report.Record {
	r := report.Record{
		Source: n.Place.Source, Index: n.Place.Index, ID: n.HandoffID,
		Result: validate.Result{Valid: true},
		Origin: input.Origin{Source: n.Place.Source, Line: n.Place.Line, Several: true},
	}
	r.Findings = n.Findings
	var details []finding.Finding
	for _, f := range n.Findings {
		if f.Severity == finding.Error {
			r.Valid = false
			details = append(details, f)
		}
	}
	r.Details = finding.Details(details)
	return r
}
