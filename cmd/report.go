package cmd

import (
	"fmt"
	"io"
	"strings"

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
	origin     origin
}

// A reporter writes the report of a run in one format.
type reporter interface {
	Report(report) error                         // in the order of the input
	Unreadable(source string, cause error) error // a source that could not be read, or not to its end
	Close() error                                // writes whatever ends the report
}

// reportFormats are the formats of validate's report.
var reportFormats = []string{"text", "json", "sarif", "junit", "github"}

func newReporter(format string, w io.Writer, colors palette) (reporter, error) {
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
	var b strings.Builder
	b.WriteString(r.origin.String())
	b.WriteString(": ")
	if r.Valid {
		b.WriteString(t.colors.green("valid"))
	} else {
		b.WriteString(t.colors.red(string(r.Reason)))
	}
	switch {
	case r.Unexpected:
		b.WriteString(t.colors.red(", but expected " + r.Expected))
	case r.Expected != "":
		b.WriteString(", as expected")
	}
	b.WriteByte('\n')
	if r.Expected != "" && !r.Unexpected {
		r.Findings = nil // what was wanted needs no explanation
	}
	for _, f := range r.Findings {
		severity := t.colors.severity(f.Severity)(string(f.Severity))
		fmt.Fprintf(&b, "  %s:%d:%d: %s: %s %s\n", visible(r.Source), f.Line, f.Column, severity,
			visible(f.PlacedMessage()), t.colors.dim("["+string(f.Layer)+"/"+f.Keyword+"]"))
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// Unreadable writes nothing: stderr has told.
func (textReporter) Unreadable(string, error) error { return nil }

func (textReporter) Close() error { return nil }
