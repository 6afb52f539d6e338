package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/pkg/validate"
)

// A githubReporter writes workflow commands, which GitHub Actions shows as
// annotations at the lines they name.
type githubReporter struct{ w io.Writer }

func newGitHub(w io.Writer) reporter { return githubReporter{w} }

func (g githubReporter) Report(r report) error {
	for _, f := range append(complaints(r), leftOut(r)...) {
		title := string(f.Reason)
		if title == "" {
			title = "handoff"
		}
		command := string(f.Severity)
		if f.Severity == validate.Note {
			command = "notice"
		}
		_, err := fmt.Fprintf(g.w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
			githubProperty.Replace(visible(filepath.ToSlash(r.Source))), f.Line, f.Column,
			githubProperty.Replace(visible(title+" ["+ruleID(f)+"]")), githubData.Replace(visible(f.PlacedMessage())))
		if err != nil {
			return err
		}
	}
	return nil
}

func (g githubReporter) Unreadable(source string, cause error) error {
	_, err := fmt.Fprintf(g.w, "::error file=%s,title=unreadable::%s\n",
		githubProperty.Replace(visible(filepath.ToSlash(source))), githubData.Replace(visible(cause.Error())))
	return err
}

func (g githubReporter) Close() error { return nil }

// What the runner undoes (actions/toolkit, packages/core/src/command.ts).
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// ruleID names the rule of a finding in a report.
func ruleID(f validate.Finding) string { return string(f.Layer) + "/" + f.Keyword }

// complaints returns what a report holds against a document, each with a place:
// its findings; nothing if it is invalid as it was expected to be; and one of
// our own if the outcome is not the expected one.
func complaints(r report) []validate.Finding {
	if r.asExpected() {
		return nil
	}
	var all []validate.Finding
	if r.Unexpected {
		outcome := "valid"
		if !r.Valid {
			outcome = string(r.Reason)
		}
		all = append(all, validate.Finding{
			Layer: "expect", Keyword: "outcome", Severity: validate.Error,
			Message: outcome + ", but expected " + r.Expected,
		})
	}
	all = append(all, r.Findings...)
	for i := range all {
		if all[i].Line < 1 {
			all[i].Line, all[i].Column = max(r.origin.line, 1), 1
		}
	}
	return all
}

// asExpected reports whether a document is invalid as it was expected to be.
func (r *report) asExpected() bool { return r.Expected != "" && !r.Unexpected && !r.Valid }

// leftOut returns what stands for the findings that a report leaves out, nil if it has all.
func leftOut(r report) []validate.Finding {
	f := validate.Finding{
		Layer: "limit", Keyword: "max-findings", Reason: r.Reason, Severity: validate.Error,
		Message: r.told(), Line: max(r.origin.line, 1), Column: 1,
	}
	if r.Valid {
		f.Severity = validate.Note
	}
	switch {
	case r.Messages > 0:
		f.Message = r.text()
	case r.Omitted == 0 || r.asExpected():
		return nil
	}
	return []validate.Finding{f}
}
