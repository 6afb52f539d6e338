package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// A junitReporter writes a JUnit report: a suite for each source and a case for each document, with the
// elements and attributes in the schema of Jenkins (junit-10.xsd of its xUnit plugin). The report and each
// suite begin with their totals, so suites are buffered until the end, and a source with very many cases gets
// several suites. Times are omitted: reports on the same input are identical.
type junitReporter struct {
	w      io.Writer
	suite  junitSuite
	cases  bytes.Buffer
	suites Spool
	total  junitTotals
}

type junitTotals struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Time     int `xml:"time,attr"` // in seconds
}

func (t *junitTotals) add(other junitTotals) {
	t.Tests += other.Tests
	t.Failures += other.Failures
	t.Errors += other.Errors
}

type junitSuite struct {
	XMLName xml.Name `xml:"testsuite"`
	Name    string   `xml:"name,attr"`
	junitTotals
	Cases []byte `xml:",innerxml"`
}

type junitCase struct {
	XMLName   xml.Name      `xml:"testcase"`
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      int           `xml:"time,attr"`
	Failure   *junitFailure `xml:"failure"`
	Error     *junitFailure `xml:"error"`
	Output    string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// maxSuite is the maximum size of a buffered suite, in bytes.
const maxSuite = 1 << 20

// maxJUnitMessage is the maximum length of a title; the text is not cut.
const maxJUnitMessage = 300

func newJUnit(w io.Writer) Printer { return &junitReporter{w: w} }

func (j *junitReporter) Report(r *Record) error {
	return j.add(r.Source, newJUnitCase(r))
}

func (j *junitReporter) Unreadable(u Unread) error {
	c := newTestCase(u.Source)
	if j.suite.Tests > 0 && j.suite.Name == term.Visible(u.Source) {
		c.Name += ", the rest"
	}
	c.Error = &junitFailure{Type: "UNREADABLE", Message: term.Clip(u.problem(), maxJUnitMessage)}
	return j.add(u.Source, c)
}

// newTestCase returns a case named after a file, in a class named after the file's folder. Jenkins splits the
// name of a class at its last dot into package and class: dots in names of folders become one dot leaders, so
// that no two folders share a class.
func newTestCase(source string) junitCase {
	folder, file := path.Split(filepath.ToSlash(source))
	folder = strings.ReplaceAll(strings.Trim(folder, "/"), ".", "\u2024")
	class := strings.ReplaceAll(folder, "/", ".")
	if class == "" {
		class = "handoff"
	}
	return junitCase{Name: term.Visible(file), ClassName: term.Visible(class)}
}

func (j *junitReporter) add(source string, c junitCase) error {
	source = term.Visible(source)
	if j.suite.Tests > 0 && (j.suite.Name != source || j.cases.Len() > maxSuite) {
		if err := j.flush(); err != nil {
			return err
		}
	}
	j.suite.Name = source
	one := junitTotals{Tests: 1}
	if c.Failure != nil {
		one.Failures = 1
	}
	if c.Error != nil {
		one.Errors = 1
	}
	j.suite.add(one)
	j.total.add(one)
	j.cases.WriteString("\n    ")
	return xml.NewEncoder(&j.cases).Encode(c)
}

func newJUnitCase(r *Record) junitCase {
	source := term.Visible(r.Source)
	c := newTestCase(r.Source)
	switch {
	case r.Messages > 0:
		c.Name += fmt.Sprintf(", messages %d-%d", r.Index+1, r.Index+r.Messages)
	case r.Origin.Several || r.Index > 0: // GitLab shows only the first of several cases with one name
		c.Name += fmt.Sprintf(", message %d", r.Index+1)
	}
	all := append(complaints(r), leftOut(r)...)
	details := r.Details
	if details == "" {
		details = finding.Details(r.Findings)
	}
	if details == "" && len(all) > 0 {
		details = all[0].Message
	}
	text := junitText(source, all)
	switch {
	case r.Unexpected:
		c.Failure = &junitFailure{Type: "UNEXPECTED", Message: term.Visible(all[0].Message), Text: text}
	case r.Valid:
		c.Output = text
	case r.Expected != "":
		c.Output = "invalid as expected: " + string(r.Reason) + ": " + term.Clip(details, maxJUnitMessage)
	default:
		c.Failure = &junitFailure{Type: cmp.Or(string(r.Reason), term.Visible(failedRule(all))), Message: term.Clip(details, maxJUnitMessage), Text: text}
	}
	return c
}

// failedRule returns the rule of the first error: the type of a failure without a reason of the
// specification.
func failedRule(findings []finding.Finding) string {
	i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.Severity == finding.Error })
	if i < 0 {
		return ""
	}
	return findings[i].Rule
}

// junitText formats findings, one per line.
func junitText(source string, findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", source, f.Line, f.Column, f.Severity, term.Visible(f.PlacedMessage()), term.Visible(f.Rule))
	}
	return b.String()
}

// flush ends a suite.
func (j *junitReporter) flush() error {
	j.cases.WriteString("\n  ")
	j.suite.Cases = j.cases.Bytes()
	if _, err := io.WriteString(&j.suites, "\n  "); err != nil {
		return err
	}
	err := xml.NewEncoder(&j.suites).Encode(j.suite)
	j.suite = junitSuite{}
	j.cases.Reset()
	return err
}

func (j *junitReporter) Close() error {
	defer j.suites.Close()
	if j.suite.Tests > 0 {
		if err := j.flush(); err != nil {
			return err
		}
	}
	t := j.total
	if _, err := fmt.Fprintf(j.w, "%s<testsuites name=\"handoff\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%d\">", xml.Header, t.Tests, t.Failures, t.Errors, t.Time); err != nil {
		return err
	}
	if err := j.suites.copyTo(j.w); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, "\n</testsuites>\n")
	return err
}
