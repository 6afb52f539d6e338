// Package report writes what a run found, as text, JSON, SARIF, JUnit or GitHub annotations.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Record is what validate says of one document.
type Record struct {
	Source    string `json:"source"`    // the file as named by the user
	Index     int    `json:"index"`     // 0-based, within the source
	HandoffID string `json:"handoffId"` // "" if the document has none
	validate.Result
	Expected   string `json:"expected,omitzero"`   // with --expect: what the outcome should be
	Unexpected bool   `json:"unexpected,omitzero"` // with --expect: it is not
	Excess
	Origin input.Origin `json:"-"`
}

func (r *Record) Place() input.Origin { return r.Origin }

func (r *Record) Count() int { return len(r.Findings) }

func (r *Record) Keep(n int) {
	r.Findings = r.Findings[:n]
	if n == 0 {
		r.Details = ""
	}
}

func (r *Record) Outcome() string {
	outcome := "valid"
	if !r.Valid {
		outcome = cmp.Or(string(r.Reason), "invalid")
	}
	if r.Unexpected {
		outcome += ", but expected " + r.Expected
	}
	return outcome
}

func (r *Record) Terse() bool { return !r.Valid || r.Origin.Short && r.HandoffID == "" }

func (r *Record) Join(next *Record) {
	r.HandoffID = ""
	if r.Format != next.Format {
		r.Format = ""
	}
	if r.Valid && !next.Valid {
		r.Valid, r.Reason = false, next.Reason
	}
	r.Unexpected = r.Unexpected || next.Unexpected
}

// A Printer writes the report of a run in one format.
type Printer interface {
	Ending
	Report(Record) error // in the order of the input
}

// A Ending is what every report has, whatever it reports on.
type Ending interface {
	Unreadable(source string, cause error) error // a source that could not be read, or not to its end
	Close() error                                // writes whatever ends the report
}

// Formats are the formats of validate's report.
var Formats = []string{"text", "json", "sarif", "junit", "github"}

func NewPrinter(format string, w io.Writer, colors term.Palette) (Printer, error) {
	switch format {
	case "text":
		return TextReporter{w, colors}, nil
	case "json":
		return jsonReporter{w}, nil
	case "sarif":
		return newSARIF(w, BuildVersion()), nil
	case "junit":
		return newJUnit(w), nil
	case "github":
		return newGitHub(w), nil
	default:
		return nil, UnknownFormat(format, Formats)
	}
}

// A Choice is which reports a run writes, and where.
type Choice struct {
	Formats []string // that the command has
	Format  string   // of the main report
	Output  string   // its file, "" for stdout
	Also    []string // further reports, each as FORMAT=FILE
	Quiet   bool     // no main report, unless output names its file
}

// Set are all reports of a run: the main one, and those of --report.
type Set[R Ending] struct {
	outputs   []*output.File
	reporters []R
}

// Open opens the outputs of all reports, and makes of each a reporter.
func Open[R Ending](files *output.Files, color string, stdout io.Writer, f Choice, create func(format string, w io.Writer, colors term.Palette) (R, error)) (*Set[R], error) {
	wanted := []string{f.Format + "=" + f.Output}
	if f.Quiet && f.Output == "" {
		wanted = nil
	}
	all := &Set[R]{}
	for i, want := range append(wanted, f.Also...) {
		format, path, ok := strings.Cut(want, "=")
		if !ok || i >= len(wanted) && path == "" {
			return nil, all.Close(fmt.Errorf("--report %q: write it as FORMAT=FILE", want))
		}
		if !slices.Contains(f.Formats, format) {
			return nil, all.Close(UnknownFormat(format, f.Formats))
		}
		out, err := files.Open(path, stdout)
		if err != nil {
			return nil, all.Close(err)
		}
		all.outputs = append(all.outputs, out)
		r, err := create(format, out, term.NewPalette(out.Stdout && term.UseColor(color, stdout)))
		if err != nil {
			return nil, all.Close(err)
		}
		all.reporters = append(all.reporters, r)
	}
	return all, nil
}

// Each has every reporter write something.
func (all *Set[R]) Each(write func(R) error) error {
	for _, r := range all.reporters {
		if err := write(r); err != nil {
			return err
		}
	}
	return nil
}

func (all *Set[R]) Unreadable(source string, cause error) error {
	return all.Each(func(r R) error { return r.Unreadable(source, cause) })
}

func (all *Set[R]) Flush() error {
	for _, out := range all.outputs {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the reports, or takes them back if err is not nil.
func (all *Set[R]) Close(err error) error {
	for _, r := range all.reporters {
		if err == nil {
			err = r.Close()
		}
	}
	for _, out := range all.outputs {
		err = out.Close(err)
	}
	return err
}

// PlainFormats are those of commands that print facts.
var PlainFormats = []string{"text", "json"}

func UnknownFormat(format string, known []string) error {
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(known, ", "))
}

type jsonReporter struct{ w io.Writer }

func (j jsonReporter) Report(r Record) error { return WriteJSON(j.w, r) }

// Unreadable writes nothing: there is no message, and stderr has told.
func (jsonReporter) Unreadable(string, error) error { return nil }

func (jsonReporter) Close() error { return nil }

// TextReporter writes a line per document, and its findings below it.
type TextReporter struct {
	w      io.Writer
	colors term.Palette
}

func (t TextReporter) Report(r Record) error {
	if r.Messages > 0 {
		_, err := io.WriteString(t.w, r.Several(r.Origin))
		return err
	}
	var b strings.Builder
	b.WriteString(r.Origin.String())
	b.WriteString(": ")
	if r.Valid {
		b.WriteString(t.colors.Green("valid"))
	} else {
		b.WriteString(t.colors.Red(string(r.Reason)))
	}
	if r.Format != "" && r.Format != format.EAAPL {
		b.WriteString(t.colors.Dim(" (" + string(r.Format) + ")"))
	}
	switch {
	case r.Unexpected:
		b.WriteString(t.colors.Red(", but expected " + r.Expected))
	case r.Expected != "":
		b.WriteString(", as expected")
	}
	b.WriteByte('\n')
	if r.Expected != "" && !r.Unexpected {
		r.Findings, r.Omitted = nil, 0 // what was wanted needs no explanation
	}
	for _, f := range r.Findings {
		severity := t.colors.Severity(f.Severity)(string(f.Severity))
		fmt.Fprintf(&b, "  %s:%d:%d: %s: %s %s\n", term.Visible(r.Source), f.Line, f.Column, severity,
			term.Visible(f.PlacedMessage()), t.colors.Dim("["+term.Visible(f.Rule)+"]"))
	}
	if told := r.Told(); told != "" {
		fmt.Fprintf(&b, "  … %s\n", told)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// Unreadable writes nothing: stderr has told.
func (TextReporter) Unreadable(string, error) error { return nil }

func (TextReporter) Close() error { return nil }
