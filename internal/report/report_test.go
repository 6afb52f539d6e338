package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// sampleReports returns a report of each outcome.
func sampleReports() []Record {
	schema := finding.Finding{
		Layer: finding.Schema, Reason: validate.SchemaInvalid, Severity: finding.Error, Rule: "schema/required",
		Message: "taskId is missing: 50% of it, a \x1b[31m and a\nline", Line: 3, Column: 7,
	}
	lint := finding.Finding{
		Layer: finding.Lint, Severity: finding.Warning, Pointer: "/constraints/0", Rule: "lint/no-such-rule",
		Message: "<not> name:value & so on", Line: 12, Column: 2,
	}
	invalid := validate.Result{Reason: validate.SchemaInvalid, Details: schema.Message, Findings: []finding.Finding{schema}}
	return []Record{
		{Source: "a, b/x:y.json", ID: "h-1", Result: invalid, Origin: input.Origin{Line: 1}},
		{Source: "lines.jsonl", Index: 0, ID: "h-2", Result: validate.Result{Valid: true, Findings: []finding.Finding{lint}}, Origin: input.Origin{Line: 1}},
		{Source: "lines.jsonl", Index: 1, ID: "", Result: validate.Result{Valid: true}, Origin: input.Origin{Line: 2}},
		{Source: "valid.json", ID: "h-3", Result: validate.Result{Valid: true}, Origin: input.Origin{Line: 1}, Expected: "invalid", Unexpected: true},
		{Source: "other.json", ID: "h-4", Result: invalid, Origin: input.Origin{Line: 1}, Expected: "invalid:BUDGET_EXHAUSTED", Unexpected: true},
		{Source: "wanted.json", ID: "h-5", Result: invalid, Origin: input.Origin{Line: 1}, Expected: "invalid"},
	}
}

func write(t *testing.T, make func(*bytes.Buffer) Printer, all []Record) string {
	t.Helper()
	var b bytes.Buffer
	r := make(&b)
	for _, one := range all {
		if err := r.Report(&one); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGitHub(t *testing.T) {
	got := write(t, func(b *bytes.Buffer) Printer { return newGitHub(b) }, sampleReports())
	want := `::error file=a%2C b/x%3Ay.json,line=3,col=7,title=SCHEMA_INVALID [schema/required]::taskId is missing: 50%25 of it, a \x1b[31m and a\nline
::warning file=lines.jsonl,line=12,col=2,title=handoff [lint/no-such-rule]::/constraints/0: <not> name:value & so on
::error file=valid.json,line=1,col=1,title=handoff [expect/outcome]::valid, but expected invalid
::error file=other.json,line=1,col=1,title=handoff [expect/outcome]::SCHEMA_INVALID, but expected invalid:BUDGET_EXHAUSTED
::error file=other.json,line=3,col=7,title=SCHEMA_INVALID [schema/required]::taskId is missing: 50%25 of it, a \x1b[31m and a\nline
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJUnit(t *testing.T) {
	got := write(t, func(b *bytes.Buffer) Printer { return newJUnit(b) }, sampleReports())
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="handoff" tests="6" failures="3" errors="0" time="0">
  <testsuite name="a, b/x:y.json" tests="1" failures="1" errors="0" time="0">
    <testcase name="x:y.json" classname="a, b" time="0"><failure type="SCHEMA_INVALID" message="taskId is missing: 50% of it, a \x1b[31m and a\nline">a, b/x:y.json:3:7: error: taskId is missing: 50% of it, a \x1b[31m and a\nline [schema/required]&#xA;</failure></testcase>
  </testsuite>
  <testsuite name="lines.jsonl" tests="2" failures="0" errors="0" time="0">
    <testcase name="lines.jsonl" classname="handoff" time="0"><system-out>lines.jsonl:12:2: warning: /constraints/0: &lt;not&gt; name:value &amp; so on [lint/no-such-rule]&#xA;</system-out></testcase>
    <testcase name="lines.jsonl, message 2" classname="handoff" time="0"></testcase>
  </testsuite>
  <testsuite name="valid.json" tests="1" failures="1" errors="0" time="0">
    <testcase name="valid.json" classname="handoff" time="0"><failure type="UNEXPECTED" message="valid, but expected invalid">valid.json:1:1: error: valid, but expected invalid [expect/outcome]&#xA;</failure></testcase>
  </testsuite>
  <testsuite name="other.json" tests="1" failures="1" errors="0" time="0">
    <testcase name="other.json" classname="handoff" time="0"><failure type="UNEXPECTED" message="SCHEMA_INVALID, but expected invalid:BUDGET_EXHAUSTED">other.json:1:1: error: SCHEMA_INVALID, but expected invalid:BUDGET_EXHAUSTED [expect/outcome]&#xA;other.json:3:7: error: taskId is missing: 50% of it, a \x1b[31m and a\nline [schema/required]&#xA;</failure></testcase>
  </testsuite>
  <testsuite name="wanted.json" tests="1" failures="0" errors="0" time="0">
    <testcase name="wanted.json" classname="handoff" time="0"><system-out>invalid as expected: SCHEMA_INVALID: taskId is missing: 50% of it, a \x1b[31m and a\nline</system-out></testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Characters that XML does not allow must not make the report unreadable.
func TestJUnitIsXML(t *testing.T) {
	hostile := "\x00\x1b\uffff\xff<]]>&\"'"
	for _, all := range [][]Record{nil, {{Source: hostile, ID: hostile}}} {
		text := write(t, func(b *bytes.Buffer) Printer { return newJUnit(b) }, all)
		var any struct {
			Suites []struct{} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(text), &any); err != nil || len(any.Suites) != len(all) {
			t.Errorf("%d suites and error %v in %s", len(any.Suites), err, text)
		}
	}
}

func TestSARIF(t *testing.T) {
	text := write(t, func(b *bytes.Buffer) Printer { return newSARIF(b, "1.2.3") }, sampleReports())
	log, err := sarif.FromString(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	run := log.Runs[0]
	if driver := run.Tool.Driver; *driver.Name != "handoff" || *driver.Version != "1.2.3" || *driver.InformationURI != homePage {
		t.Errorf("driver %+v", driver)
	}
	if *run.ColumnKind != "unicodeCodePoints" || !*run.Invocations[0].ExecutionSuccessful {
		t.Error("the column kind or the invocation is not as it should be")
	}
	type result struct {
		Rule, Level, URI, Pointer string
		Line, Column              int
	}
	var got []result
	for _, r := range run.Results {
		place := r.Locations[0].PhysicalLocation
		if id := *run.Tool.Driver.Rules[r.RuleIndex].ID; id != *r.RuleID {
			t.Errorf("the rule index of %s leads to %s", *r.RuleID, id)
		}
		got = append(got, result{
			*r.RuleID, r.Level, *place.ArtifactLocation.URI, r.Properties.Properties["pointer"].(string),
			*place.Region.StartLine, *place.Region.StartColumn,
		})
	}
	want := []result{
		{"schema/required", "error", "a,%20b/x:y.json", "", 3, 7},
		{"lint/no-such-rule", "warning", "lines.jsonl", "/constraints/0", 12, 2},
		{"expect/outcome", "error", "valid.json", "", 1, 1},
		{"expect/outcome", "error", "other.json", "", 1, 1},
		{"schema/required", "error", "other.json", "", 3, 7},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if rule := run.Tool.Driver.Rules[0]; rule.ShortDescription == nil || rule.Help == nil {
		t.Error("schema/required has no description")
	}
}

// The schema is that of OASIS, embedded in the library.
func TestSARIFIsValid(t *testing.T) {
	for _, all := range [][]Record{nil, sampleReports(), {{Source: "/abs/ü.json", Result: validate.Result{Findings: []finding.Finding{{Rule: "x", Severity: finding.Error}}}}}} {
		text := write(t, func(b *bytes.Buffer) Printer { return newSARIF(b, "devel") }, all)
		if n := strings.Count(text, `"results":`); n != 1 || !json.Valid([]byte(text)) {
			t.Fatalf("%d members named results in %s", n, text)
		}
		log, err := sarif.FromString(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%v in %s", err, text)
		}
	}
}

func TestSARIFURI(t *testing.T) {
	for source, want := range map[string]string{
		"a/b.json":            "a/b.json",
		"../a.json":           "../a.json",
		"a b%20#?.js":         "a%20b%2520%23%3F.js",
		"x:y.json":            "./x:y.json",
		"ü.json":              "%C3%BC.json",
		"/abs/a.json":         "file:///abs/a.json",
		"/abs/inner/b/a.json": "b/a.json",
	} {
		if got := sarifURI("/abs/inner", source); got != want {
			t.Errorf("sarifURI(%q) = %s, want %s", source, got, want)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestReportersKeepWriteErrors(t *testing.T) {
	for name, r := range map[string]Printer{
		"sarif": newSARIF(failingWriter{}, ""), "junit": newJUnit(failingWriter{}), "github": newGitHub(failingWriter{}),
	} {
		var errs []error
		for _, one := range sampleReports() {
			errs = append(errs, r.Report(&one))
		}
		if err := errors.Join(append(errs, r.Close())...); !errors.Is(err, errFull) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestSARIFTellsOfUnreadableSources(t *testing.T) {
	var b bytes.Buffer
	r := newSARIF(&b, "1.2.3")
	if err := errors.Join(r.Unreadable(Unread{Source: "no such/file.json", Err: errFull}), r.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromString(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Errorf("%v in %s", err, b.String())
	}
	if invocation := log.Runs[0].Invocations[0]; *invocation.ExecutionSuccessful || len(invocation.ToolExecutionNotifications) != 1 {
		t.Errorf("the invocation is %s", b.String())
	}
}
