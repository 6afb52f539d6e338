package report

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

const homePage = "https://github.com/eaapl/handoff"

// A sarifReporter writes a SARIF 2.1.0 log. The results go out as they come,
// and the rules they name come behind them: members of an object have no order.
type sarifReporter struct {
	w          io.Writer
	run        *sarif.Run        // all but the results
	invocation *sarif.Invocation // of run
	rules      map[string]int    // id to index in the run's rules
	results    int
	omitted    int   // findings that were left out
	most       int   // --max-findings
	err        error // sticky: the log is cut off
}

func newSARIF(w io.Writer, version string) Printer {
	run := sarif.NewRunWithInformationURI("handoff", homePage).WithColumnKind("unicodeCodePoints")
	run.Tool.Driver.WithVersion(version)
	invocation := sarif.NewInvocation().WithExecutionSuccessful(true)
	run.AddInvocation(invocation)
	return &sarifReporter{w: VisibleJSON{w}, run: run, invocation: invocation, rules: map[string]int{}}
}

func (s *sarifReporter) Report(r Record) error {
	if r.Omitted > 0 {
		s.omitted += r.Omitted
		s.most = r.most
	}
	for _, f := range complaints(r) {
		separator := ",\n"
		if s.results == 0 {
			separator = sarifHead
		}
		s.results++
		s.write(separator)
		s.encode(s.result(r, f))
	}
	return s.err
}

func (s *sarifReporter) Unreadable(source string, cause error) error {
	s.invocation.WithExecutionSuccessful(false).AddToolExecutionNotification(sarif.NewNotification().
		WithLevel("error").
		WithMessage(sarif.NewTextMessage("could not be read: " + term.Visible(cause.Error()))).
		AddLocation(sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewSimpleArtifactLocation(sarifURI(source))))))
	return s.err
}

// sarifHead is what stands before the first result.
const sarifHead = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[` + "\n"

func (s *sarifReporter) Close() error {
	if s.results == 0 {
		s.write(sarifHead)
	}
	if s.omitted > 0 {
		s.invocation.AddToolExecutionNotification(sarif.NewNotification().WithLevel("warning").
			WithMessage(sarif.NewTextMessage(term.NotShown(s.omitted, "finding", s.most))))
	}
	rest, err := json.Marshal(struct {
		*sarif.Run
		Results []struct{} `json:"results,omitempty"` // hides the run's own, which are written
	}{Run: s.run})
	s.err = errors.Join(s.err, err)
	s.write("\n],\n")
	s.write(strings.TrimPrefix(string(WithoutSecrets(rest)), "{"))
	s.write("]}\n")
	return s.err
}

func (s *sarifReporter) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

func (s *sarifReporter) encode(result *sarif.Result) {
	text, err := json.Marshal(result)
	if s.err == nil {
		s.err = err
	}
	s.write(string(WithoutSecrets(text)))
}

func (s *sarifReporter) result(r Record, f finding.Finding) *sarif.Result {
	location := sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(sarifURI(r.Source))).
		WithRegion(sarif.NewRegion().WithStartLine(f.Line).WithStartColumn(f.Column)))
	if f.Pointer != "" {
		name := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithName(name).WithFullyQualifiedName(f.Pointer).WithKind("member"))
	}
	properties := sarif.NewPropertyBag().Add("pointer", f.Pointer).Add("index", r.Index)
	if r.HandoffID != "" {
		properties.Add("handoffId", r.HandoffID)
	}
	if f.Reason != "" {
		properties.Add("reason", f.Reason)
	}
	return sarif.NewRuleResult(f.Rule).
		WithRuleIndex(s.rule(f)).
		WithLevel(string(f.Severity)).
		WithMessage(sarif.NewTextMessage(term.Visible(f.PlacedMessage()))).
		AddLocation(location).
		WithProperties(properties)
}

// rule returns the index of a finding's rule, adding the rule when it is new.
func (s *sarifReporter) rule(f finding.Finding) int {
	id := f.Rule
	if i, ok := s.rules[id]; ok {
		return i
	}
	rule := s.run.AddRule(id).WithName(finding.Rule{ID: id}.Name())
	if known, err := finding.Find(Rules(), id); err == nil {
		help := known.Why
		if known.Bad != "" {
			help += "\n\n\"handoff explain " + id + "\" shows examples."
		}
		rule.WithDescription(known.Summary).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(known.Summary + " " + known.Why)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(help)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(known.Severity)))
	}
	i := len(s.rules)
	s.rules[id] = i
	return i
}

// sarifLevel is the level of a rule's severity.
func sarifLevel(severity finding.Severity) string {
	if severity == finding.Off {
		return "none"
	}
	return string(severity)
}

// sarifURI writes a file name as a relative reference, or as a file URI where
// it is absolute.
func sarifURI(source string) string {
	u := url.URL{Path: filepath.ToSlash(source)}
	if filepath.IsAbs(source) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/") // a drive letter has no slash before it
	}
	return u.String()
}
