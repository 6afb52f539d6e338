package vectors

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Table counts outcomes by implementation and group.
type Table struct{ rows []row }

type row struct {
	implementation, group                string
	passed, failed, expected, notApplied int
}

// Add counts a result of an implementation.
func (t *Table) Add(implementation string, r Result) {
	i := slices.IndexFunc(t.rows, func(r2 row) bool { return r2.implementation == implementation && r2.group == r.Group })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, row{implementation: implementation, group: r.Group})
	}
	switch r.Outcome {
	case Passed:
		t.rows[i].passed++
	case NotApplicable:
		t.rows[i].notApplied++
	case Failed:
		t.rows[i].failed++
		if r.Expected {
			t.rows[i].expected++
		}
	}
}

// Failures returns the number of failures, and how many of them were expected.
func (t *Table) Failures() (failures, expected int) {
	for _, r := range t.rows {
		failures, expected = failures+r.failed, expected+r.expected
	}
	return failures, expected
}

var heads = []string{"implementation", "group", "passed", "failed", "not applicable"}

func (r row) cells() []string {
	return []string{r.implementation, r.group, fmt.Sprint(r.passed), fmt.Sprint(r.failed), fmt.Sprint(r.notApplied)}
}

// WriteText writes the table in columns.
func (t *Table) WriteText(w io.Writer) error {
	lines := [][]string{heads}
	for _, r := range t.rows {
		lines = append(lines, r.cells())
	}
	widths := make([]int, len(heads))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, cells := range lines {
		line := fmt.Sprintf("%-*s  %-*s  %*s  %*s  %*s", widths[0], cells[0], widths[1], cells[1], widths[2], cells[2], widths[3], cells[3], widths[4], cells[4])
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// WriteMarkdown writes the table in Markdown.
func (t *Table) WriteMarkdown(w io.Writer) error {
	text := "| " + strings.Join(heads, " | ") + " |\n|---|---|---:|---:|---:|\n"
	for _, r := range t.rows {
		text += "| " + strings.ReplaceAll(strings.Join(r.cells(), "\x00"), "|", `\|`) + " |\n"
	}
	_, err := io.WriteString(w, strings.ReplaceAll(text, "\x00", " | "))
	return err
}

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Failure   *junitMessage `xml:"failure"`
	Skipped   *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr,omitempty"`
}

// A JUnit collects results for a report in the format of JUnit, with a suite for each implementation and group.
// Cases that are not applicable, and expected failures, are skipped ones.
type JUnit struct{ report junitReport }

// Add adds a result of an implementation.
func (j *JUnit) Add(implementation string, r Result) {
	name := implementation + ": " + r.Group
	i := slices.IndexFunc(j.report.Suites, func(s junitSuite) bool { return s.Name == name })
	if i < 0 {
		i = len(j.report.Suites)
		j.report.Suites = append(j.report.Suites, junitSuite{Name: name})
	}
	s, c := &j.report.Suites[i], junitCase{Name: r.ID, ClassName: name}
	s.Tests++
	j.report.Tests++
	switch {
	case r.Outcome == NotApplicable:
		s.Skipped++
		c.Skipped = &junitMessage{"not applicable"}
	case r.Outcome == Failed && r.Expected:
		s.Skipped++
		c.Skipped = &junitMessage{"expected failure: " + r.Problem}
	case r.Outcome == Failed:
		s.Failures++
		j.report.Failures++
		c.Failure = &junitMessage{r.Problem}
	}
	s.Cases = append(s.Cases, c)
}

// Write writes the report.
func (j *JUnit) Write(w io.Writer) error {
	j.report.Name = "handoff vectors"
	text, err := xml.MarshalIndent(j.report, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
