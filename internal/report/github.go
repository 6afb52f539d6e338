package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// A githubReporter writes workflow commands, which GitHub Actions shows as annotations of the lines that they
// name.
type githubReporter struct {
	w        io.Writer
	commands map[string]int // number of each command
}

// maxAnnotations is the maximum number of annotations per command that GitHub shows for a step.
const maxAnnotations = 10

func newGitHub(w io.Writer) Printer { return githubReporter{w, map[string]int{}} }

func (g githubReporter) Report(r *Record) error {
	for _, f := range append(complaints(r), leftOut(r)...) {
		title := string(f.Reason)
		if title == "" {
			title = "handoff"
		}
		command := string(f.Severity)
		if f.Severity == finding.Note {
			command = "notice"
		}
		g.commands[command]++
		_, err := fmt.Fprintf(g.w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
			githubProperty.Replace(term.Visible(filepath.ToSlash(r.Source))), f.Line, f.Column,
			githubProperty.Replace(term.Visible(title+" ["+f.Rule+"]")), githubData.Replace(term.Visible(f.PlacedMessage())))
		if err != nil {
			return err
		}
	}
	return nil
}

func (g githubReporter) Unreadable(u Unread) error {
	g.commands["error"]++
	_, err := fmt.Fprintf(g.w, "::error file=%s,title=unreadable::%s\n",
		githubProperty.Replace(term.Visible(filepath.ToSlash(u.Source))), githubData.Replace(term.Visible(u.problem())))
	return err
}

// Close writes the number of annotations if GitHub does not show all of them.
func (g githubReporter) Close() error {
	if max(g.commands["error"], g.commands["warning"], g.commands["notice"]) <= maxAnnotations {
		return nil
	}
	_, err := fmt.Fprintf(g.w, "::notice title=handoff::%s, %s, %s; GitHub shows the first %d of each in a step, the log has all\n",
		term.Plural(g.commands["error"], "error"), term.Plural(g.commands["warning"], "warning"), term.Plural(g.commands["notice"], "note"), maxAnnotations)
	return err
}

// The escapes that the runner decodes (actions/toolkit, packages/core/src/command.ts).
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// complaints returns the problems of a document, each with a place: its findings; none if it is invalid as
// expected; and an additional one if the outcome is not the expected one.
func complaints(r *Record) []finding.Finding {
	if r.asExpected() {
		return nil
	}
	var all []finding.Finding
	if r.Unexpected {
		outcome := "valid"
		if !r.Valid {
			outcome = string(r.Reason)
		}
		all = append(all, finding.Finding{
			Layer: "expect", Rule: "expect/outcome", Severity: finding.Error,
			Message: outcome + ", but expected " + r.Expected,
		})
	}
	all = append(all, r.Findings...)
	for i := range all {
		if all[i].Line < 1 {
			all[i].Line, all[i].Column = max(r.Origin.Line, 1), 1
		}
	}
	return all
}

// asExpected reports whether a document is expected to be invalid and is.
func (r *Record) asExpected() bool { return r.fulfilled() && !r.Valid }

// leftOut returns a finding that replaces the omitted findings, nil if none were omitted.
func leftOut(r *Record) []finding.Finding {
	f := finding.Finding{
		Layer: "limit", Rule: "limit/max-findings", Reason: r.Reason, Severity: finding.Error,
		Message: r.notShown(), Line: max(r.Origin.Line, 1), Column: 1,
	}
	if r.Valid {
		f.Severity = finding.Note
	}
	switch {
	case r.Messages > 0:
		f.Message = r.text()
	case r.Omitted == 0 || r.asExpected():
		return nil
	}
	return []finding.Finding{f}
}
