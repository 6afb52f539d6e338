package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/validate"
)

// A report is what validate says of one document.
type report struct {
	Source    string `json:"source"`    // the file as named by the user
	Index     int    `json:"index"`     // 0-based, within the source
	HandoffID string `json:"handoffId"` // "" if the document has none
	validate.Result
	Expected   string `json:"expected,omitzero"`   // with --expect: what the outcome should be
	Unexpected bool   `json:"unexpected,omitzero"` // with --expect: it is not
	excess
	origin origin
}

func (r *report) place() origin { return r.origin }

func (r *report) findings() int { return len(r.Findings) }

func (r *report) keep(n int) {
	r.Findings = r.Findings[:n]
	if n == 0 {
		r.Details = ""
	}
}

func (r *report) outcome() string {
	outcome := "valid"
	if !r.Valid {
		outcome = cmp.Or(string(r.Reason), "invalid")
	}
	if r.Unexpected {
		outcome += ", but expected " + r.Expected
	}
	return outcome
}

func (r *report) terse() bool { return !r.Valid || r.origin.short && r.HandoffID == "" }

func (r *report) join(next *report) {
	r.HandoffID = ""
	if r.Format != next.Format {
		r.Format = ""
	}
	if r.Valid && !next.Valid {
		r.Valid, r.Reason = false, next.Reason
	}
	r.Unexpected = r.Unexpected || next.Unexpected
}

// A reporter writes the report of a run in one format.
type reporter interface {
	reportEnd
	Report(report) error // in the order of the input
}

// A reportEnd is what every report has, whatever it reports on.
type reportEnd interface {
	Unreadable(source string, cause error) error // a source that could not be read, or not to its end
	Close() error                                // writes whatever ends the report
}

// reportFormats are the formats of validate's report.
var reportFormats = []string{"text", "json", "sarif", "junit", "github"}

func newReporter(format string, w *output, colors palette) (reporter, error) {
	switch format {
	case "text":
		return textReporter{w, colors}, nil
	case "json":
		return jsonReporter{w}, nil
	case "sarif":
		return newSARIF(w, buildVersion()), nil
	case "junit":
		return newJUnit(w), nil
	case "github":
		return newGitHub(w), nil
	default:
		return nil, unknownFormat(format, reportFormats)
	}
}

// reportFlags say which reports a run writes, and where.
type reportFlags struct {
	formats []string // that the command has
	format  string
	output  string
	also    []string
	quiet   bool
}

func (f *reportFlags) register(c *cobra.Command, formats []string) {
	f.formats = formats
	flags := c.Flags()
	flags.StringVarP(&f.format, "format", "f", "text", "format of the report: "+strings.Join(formats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write the report to `FILE`")
	flags.StringArrayVar(&f.also, "report", nil, "also write a report, as `FORMAT=FILE`; may be repeated")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report and no summary: the exit code is the answer")
	complete(c, "format", formats...)
	var prefixes []string
	for _, format := range formats {
		prefixes = append(prefixes, format+"=")
	}
	complete(c, "report", prefixes...)
}

// reports are all reports of a run: the main one, and those of --report.
type reports[R reportEnd] struct {
	outputs   []*output
	reporters []R
}

// openReports opens the outputs of all reports, and makes of each a reporter.
func openReports[R reportEnd](g *globals, c *cobra.Command, f reportFlags, create func(format string, out *output, colors palette) (R, error)) (*reports[R], error) {
	wanted := []string{f.format + "=" + f.output}
	if f.quiet && f.output == "" {
		wanted = nil
	}
	all := &reports[R]{}
	for i, want := range append(wanted, f.also...) {
		format, path, ok := strings.Cut(want, "=")
		if !ok || i >= len(wanted) && path == "" {
			return nil, all.close(fmt.Errorf("--report %q: write it as FORMAT=FILE", want))
		}
		if !slices.Contains(f.formats, format) {
			return nil, all.close(unknownFormat(format, f.formats))
		}
		out, err := g.openOutput(path, c.OutOrStdout())
		if err != nil {
			return nil, all.close(err)
		}
		all.outputs = append(all.outputs, out)
		r, err := create(format, out, newPalette(out.stdout && useColor(g.color, c.OutOrStdout())))
		if err != nil {
			return nil, all.close(err)
		}
		all.reporters = append(all.reporters, r)
	}
	return all, nil
}

// each has every reporter write something.
func (all *reports[R]) each(write func(R) error) error {
	for _, r := range all.reporters {
		if err := write(r); err != nil {
			return err
		}
	}
	return nil
}

func (all *reports[R]) unreadable(source string, cause error) error {
	return all.each(func(r R) error { return r.Unreadable(source, cause) })
}

func (all *reports[R]) flush() error {
	for _, out := range all.outputs {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// close ends the reports, or takes them back if err is not nil.
func (all *reports[R]) close(err error) error {
	for _, r := range all.reporters {
		if err == nil {
			err = r.Close()
		}
	}
	for _, out := range all.outputs {
		err = out.close(err)
	}
	return err
}

// plainFormats are those of commands that print facts.
var plainFormats = []string{"text", "json"}

func unknownFormat(format string, known []string) error {
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(known, ", "))
}

type jsonReporter struct{ w io.Writer }

func (j jsonReporter) Report(r report) error { return writeJSON(j.w, r) }

// Unreadable writes nothing: there is no message, and stderr has told.
func (jsonReporter) Unreadable(string, error) error { return nil }

func (jsonReporter) Close() error { return nil }

// textReporter writes a line per document, and its findings below it.
type textReporter struct {
	w      io.Writer
	colors palette
}

func (t textReporter) Report(r report) error {
	if r.Messages > 0 {
		_, err := io.WriteString(t.w, r.line(r.origin))
		return err
	}
	var b strings.Builder
	b.WriteString(r.origin.String())
	b.WriteString(": ")
	if r.Valid {
		b.WriteString(t.colors.green("valid"))
	} else {
		b.WriteString(t.colors.red(string(r.Reason)))
	}
	if r.Format != "" && r.Format != format.EAAPL {
		b.WriteString(t.colors.dim(" (" + string(r.Format) + ")"))
	}
	switch {
	case r.Unexpected:
		b.WriteString(t.colors.red(", but expected " + r.Expected))
	case r.Expected != "":
		b.WriteString(", as expected")
	}
	b.WriteByte('\n')
	if r.Expected != "" && !r.Unexpected {
		r.Findings, r.Omitted = nil, 0 // what was wanted needs no explanation
	}
	for _, f := range r.Findings {
		severity := t.colors.severity(f.Severity)(string(f.Severity))
		fmt.Fprintf(&b, "  %s:%d:%d: %s: %s %s\n", visible(r.Source), f.Line, f.Column, severity,
			visible(f.PlacedMessage()), t.colors.dim("["+string(f.Layer)+"/"+f.Keyword+"]"))
	}
	if told := r.told(); told != "" {
		fmt.Fprintf(&b, "  … %s\n", told)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// Unreadable writes nothing: stderr has told.
func (textReporter) Unreadable(string, error) error { return nil }

func (textReporter) Close() error { return nil }
