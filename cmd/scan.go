package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// scanFlags are the flags of scan.
type scanFlags struct {
	*cli.Globals
	cli.FormatFlag
	scanner   cli.ScannerFlags
	text      bool
	listRules bool
	format    string
	output    string
	quiet     bool
}

func newScan(g *cli.Globals) *cobra.Command {
	f := &scanFlags{Globals: g}
	c := &cobra.Command{
		Use:   "scan [FILE|DIR|-]...",
		Short: "Look for instructions hidden in data",
		Long: `Scan looks through every string of messages in any format, of any other JSON, or
with --text of plain text, for text that tries to steer the agent that reads it:
orders to drop its instructions, forged turns, attempts to get at its prompt or at
secrets, hidden and disguised text. It is the safety classifier of section 6.1. The
snapshot of an SW4RM request and the contexts of a MACP transcript are decoded first,
and pointers continue inside them.

Evidence is weighed: a text is flagged when the evidence against it adds up to
--threshold. Exit code 0: nothing flagged; 1: something is; 2: something could not
be looked at.`,
		Example: `  handoff scan message.json
  curl -s https://example.com | handoff scan --text
  handoff scan -f json --allow 'embedded-request@/tools/**' archive/ | jq 'select(.flagged)'`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.scanner.Register(c)
	f.FormatFlag.Register(c)
	flags.BoolVar(&f.text, "text", false, "the input is plain text, one text a file")
	flags.BoolVar(&f.listRules, "list-rules", false, "print the rules")
	flags.StringVarP(&f.format, "format", "f", "text", "format: "+strings.Join(report.PlainFormats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write the report to `FILE`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report and no summary: the exit code is the answer")
	cli.Complete(c, "format", report.PlainFormats...)
	cli.CompleteWith(c, "allow", func([]string) []string {
		var ids []string
		for _, r := range safety.New(safety.Options{}).Rules() {
			ids = append(ids, r.ID)
		}
		return ids
	})
	return c
}

func (f *scanFlags) run(c *cobra.Command, args []string) error {
	if !slices.Contains(report.PlainFormats, f.format) {
		return report.UnknownFormat(f.format, report.PlainFormats)
	}
	if f.text && f.From != "" {
		return errors.New("--text and --from: a text is in no format; use one of them")
	}
	if err := input.OneStdin(args, f.scanner.Rules); err != nil {
		return err
	}
	scanner, err := f.scanner.Load(f.Globals, c)
	if err != nil {
		return err
	}
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return scanner.Close(err)
	}
	colors := term.NewPalette(out.Stdout && term.UseColor(f.Color, c.OutOrStdout()))
	if f.listRules {
		return out.Close(scanner.Close(writeSafetyRules(out, f.format, scanner.Rules(), colors)))
	}
	printer, err := report.NewPrinter(f.format, out, colors)
	if err != nil {
		return out.Close(scanner.Close(err))
	}
	run := scanRun{
		scanFlags: f,
		scanner:   scanner,
		findings:  report.NewLimiter(f.MaxFindings, printer.Report),
		stderr:    c.ErrOrStderr(),
		progress:  f.NewProgress(c.ErrOrStderr(), f.quiet || !term.IsTerminal(c.OutOrStdout())),
	}
	err = scanner.Close(run.all(c.Context(), out, f.Sources(args, c.InOrStdin(), c.ErrOrStderr())))
	if err := out.Close(err); err != nil {
		return err
	}
	return run.answer()
}

// writeSafetyRules prints rules: a line for each, or all that is known of them.
func writeSafetyRules(w io.Writer, format string, rules []safety.Rule, colors term.Palette) error {
	for _, r := range rules {
		if format == "json" {
			if err := report.WriteJSON(w, r); err != nil {
				return err
			}
			continue
		}
		_, err := fmt.Fprintf(w, "%s %s %.2f  %s\n", term.Left(r.ID, 32), colors.Dim(term.Left(string(r.Category), 20)), r.Weight, r.Summary)
		if err != nil {
			return err
		}
	}
	return nil
}

// scanFinding is one finding and where it is.
type scanFinding struct {
	safety.Finding
	Pointer string       `json:"pointer"`          // to the string, or the member whose name it is, after what holds it encoded
	InName  bool         `json:"inName,omitzero"`  // the finding is in the member's name
	Field   safety.Field `json:"field"`            // who speaks there
	Flagged bool         `json:"flagged"`          // whether the text is, by what is not allowed
	Allowed string       `json:"allowed,omitzero"` // the entry of the allow list that covers it
	Line    int          `json:"line"`             // of what was found, 1-based; of the string that holds it encoded
	Column  int          `json:"column"`           // 1-based, in characters
}

// scanFindings are what scan says of one document beyond its record, in the place of each
// of the record's findings.
type scanFindings []scanFinding

func (scanFindings) Outcome(r *report.Record) string {
	if r.Valid {
		return "clean"
	}
	return "flagged"
}

func (s scanFindings) JSON(r *report.Record) any {
	return struct {
		Source   string       `json:"source"` // the file as named by the user
		Index    int          `json:"index"`  // 0-based, within the source
		Flagged  bool         `json:"flagged"`
		Score    float64      `json:"score"` // of the worst text, 0 to 1
		Findings scanFindings `json:"findings"`
		report.Excess
	}{r.Source, r.Index, !r.Valid, r.Score, s[:len(r.Findings)], r.Excess}
}

// Text is a line, and below it what counts.
func (s scanFindings) Text(r *report.Record, colors term.Palette) string {
	var b strings.Builder
	verdict := colors.Green("clean")
	if !r.Valid {
		verdict = colors.Red(fmt.Sprintf("flagged (%.2f)", r.Score))
	}
	fmt.Fprintf(&b, "%s: %s\n", r.Origin, verdict)
	for i, f := range r.Findings {
		severity := colors.Red("error")
		switch own := s[i]; {
		case own.Allowed != "":
			severity = colors.Cyan("allowed by " + term.Visible(own.Allowed))
		case !own.Flagged:
			continue
		}
		fmt.Fprintf(&b, "  %s:%d:%d: %s: %s%s %s\n", term.Visible(r.Source), f.Line, f.Column, severity,
			shownPointer(f.Pointer), term.Visible(f.Message), colors.Dim(fmt.Sprintf("[%s %.2f]", f.Rule, s[i].Score)))
	}
	return b.String()
}

// scanRecord returns the record of what the scanner reports of a document; place finds a
// finding in its source.
func scanRecord(o input.Origin, index int, found safety.Report, place func(safety.PlacedFinding) jsonstream.Position) *report.Record {
	r := &report.Record{Source: o.Source, Index: index, Origin: o, Score: found.Score}
	r.Valid = !found.Flagged
	var own scanFindings
	for _, f := range found.Findings {
		at := place(f)
		r.Findings = append(r.Findings, finding.Finding{Layer: finding.Safety, Severity: finding.Error, Rule: f.Rule, Message: f.Message}.At(f.Pointer(), at))
		own = append(own, scanFinding{
			Finding: f.Finding, Pointer: f.Pointer(), InName: f.InName, Field: f.Field,
			Flagged: f.Flagged, Allowed: f.Allowed, Line: at.Line, Column: at.Column,
		})
	}
	r.Own = own
	return r
}

// shownPointer is a pointer as text has it before a message, "" for the whole document.
func shownPointer(pointer string) string {
	if pointer == "" {
		return ""
	}
	return term.Visible(pointer) + ": "
}
