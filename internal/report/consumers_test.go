package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// jenkins is the format that Jenkins accepts (junit-10.xsd of its xUnit plugin): for each
// element that we write, its required attributes, its other attributes, and its child elements.
var jenkins = map[string]struct{ required, optional, children []string }{
	"testsuites": {nil, []string{"name", "tests", "failures", "errors", "time"}, []string{"testsuite"}},
	"testsuite":  {[]string{"name", "tests", "failures", "errors"}, []string{"time", "skipped"}, []string{"testcase"}},
	"testcase":   {[]string{"name"}, []string{"classname", "time"}, []string{"failure", "error", "system-out"}},
	"failure":    {nil, []string{"type", "message"}, nil},
	"error":      {nil, []string{"type", "message"}, nil},
	"system-out": {nil, nil, nil},
}

// junitReports are reports of all kinds, by name.
func junitReports(t *testing.T) map[string]string {
	var unreadable bytes.Buffer
	r := newJUnit(&unreadable)
	if err := errors.Join(r.Unreadable(Unread{Source: "no/such.json", Err: errFull}), r.Close()); err != nil {
		t.Fatal(err)
	}
	to := func(b *bytes.Buffer) Printer { return newJUnit(b) }
	several := slices.Repeat([]Record{{Source: "lines.jsonl", ID: "h-1", Result: validate.Result{Valid: true}, Origin: input.Origin{Several: true}}}, 3)
	for i := range several {
		several[i].Index = i
	}
	return map[string]string{
		"nothing": write(t, to, nil), "outcomes": write(t, to, sampleReports()), "unreadable": unreadable.String(),
		"one id": write(t, to, several),
	}
}

func TestJUnitForJenkins(t *testing.T) {
	for name, text := range junitReports(t) {
		var within []string
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in %s", name, err, text)
			}
			switch token := token.(type) {
			case xml.StartElement:
				element := token.Name.Local
				allowed, ok := jenkins[element]
				if len(within) > 0 && !slices.Contains(jenkins[within[len(within)-1]].children, element) || !ok {
					t.Errorf("%s: %s in %q", name, element, within)
				}
				within = append(within, element)
				var attributes []string
				for _, a := range token.Attr {
					attributes = append(attributes, a.Name.Local)
					if n, err := strconv.Atoi(a.Value); slices.Contains([]string{"tests", "failures", "errors", "time"}, a.Name.Local) && (err != nil || n < 0) {
						t.Errorf("%s: %s is %q", name, a.Name.Local, a.Value)
					}
				}
				for _, a := range attributes {
					if !slices.Contains(slices.Concat(allowed.required, allowed.optional), a) {
						t.Errorf("%s: %s has %s", name, element, a)
					}
				}
				for _, a := range allowed.required {
					if !slices.Contains(attributes, a) {
						t.Errorf("%s: %s is without %s", name, element, a)
					}
				}
			case xml.EndElement:
				within = within[:len(within)-1]
			}
		}
	}
}

// We may not distribute the schema: if it is next to the checkout, xmllint validates the
// reports.
func TestJUnitSchema(t *testing.T) {
	schema := filepath.Join("..", "..", "..", "..", "shared", "ci", "junit-10.xsd")
	if _, err := os.Stat(schema); err != nil {
		t.Skipf("%v: TestJUnitForJenkins checks what it demands", err)
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("xmllint is not installed")
	}
	for name, text := range junitReports(t) {
		c := exec.Command("xmllint", "--nonet", "--noout", "--schema", schema, "-")
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestJUnitClasses checks that names of classes survive Jenkins, which splits them at the last dot into package
// and class, and that no two files have the same class and name.
func TestJUnitClasses(t *testing.T) {
	got := map[string]string{}
	for _, source := range []string{"one.json", "fixtures/valid/one.json", "v1.2/one.json", "v1_2/one.json", "../one.json", "/abs/one.json"} {
		c := newTestCase(source)
		if class := c.ClassName[strings.LastIndex(c.ClassName, ".")+1:]; c.Name != "one.json" || class == "json" {
			t.Errorf("%s: the case %q of %q", source, c.Name, c.ClassName)
		}
		if other, ok := got[c.ClassName]; ok {
			t.Errorf("%s and %s share the class %q", source, other, c.ClassName)
		}
		got[c.ClassName] = source
	}
	for _, want := range []string{"handoff", "fixtures.valid", "v1\u20242"} {
		if got[want] == "" {
			t.Errorf("no class %q in %q", want, got)
		}
	}
}

type junitReport struct {
	junitTotals
	Suites []struct {
		junitTotals
		Cases []struct {
			Name      string    `xml:"name,attr"`
			ClassName string    `xml:"classname,attr"`
			Failure   *struct{} `xml:"failure"`
			Error     *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// readJUnit counts the contents of a report. They must equal its totals, and no two cases may
// have the same name: GitLab drops the second.
func readJUnit(t *testing.T, text string) junitTotals {
	t.Helper()
	var report junitReport
	if err := xml.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	var total junitTotals
	names := map[string]bool{}
	for _, suite := range report.Suites {
		got := junitTotals{Tests: len(suite.Cases)}
		for _, c := range suite.Cases {
			if name := c.ClassName + "\x00" + c.Name; names[name] {
				t.Errorf("two cases are called %q", name)
			} else {
				names[name] = true
			}
			if c.Failure != nil {
				got.Failures++
			}
			if c.Error != nil {
				got.Errors++
			}
		}
		if got != suite.junitTotals {
			t.Errorf("a suite has %+v, and says %+v", got, suite.junitTotals)
		}
		total.add(got)
	}
	if total != report.junitTotals {
		t.Errorf("the report has %+v, and says %+v", total, report.junitTotals)
	}
	return total
}

func TestJUnitTotals(t *testing.T) {
	got := map[string]junitTotals{}
	for name, text := range junitReports(t) {
		got[name] = readJUnit(t, text)
	}
	want := map[string]junitTotals{
		"nothing": {}, "outcomes": {Tests: 6, Failures: 3}, "unreadable": {Tests: 1, Errors: 1}, "one id": {Tests: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A report beyond the memory limit goes through a temporary file, which is removed.
func TestJUnitOfManyMessages(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("TMPDIR", directory)
	t.Setenv("TMP", directory) // for Windows
	const messages = 60_000
	var b bytes.Buffer
	r := newJUnit(&b)
	for i := range messages {
		record := Record{Source: "lines.jsonl", Index: i, Result: validate.Result{Valid: true}}
		if err := r.Report(&record); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() < maxInMemory {
		t.Errorf("the report has %d bytes, which need no file", b.Len())
	}
	if got := readJUnit(t, b.String()); got.Tests != messages {
		t.Errorf("it has %d cases", got.Tests)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The requirements of GitHub's code scanning beyond the schema (its page "SARIF support for code scanning"):
// three texts for each rule, with descriptions of at most 1,024 characters, and files that are relative to
// the repository.
func TestSARIFForCodeScanning(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(page), -1) {
		headings[strings.ReplaceAll(heading[1], "/", "")] = true // as in GitHub's anchors
	}
	var all []Record
	for i, rule := range append(Rules(), finding.Rule{ID: "expect/outcome"}) {
		f := finding.Finding{Rule: rule.ID, Severity: finding.Error, Message: "m", Line: 1, Column: 1}
		all = append(all, Record{Source: filepath.Join(here, "in", "a.json"), Index: i, Result: validate.Result{Findings: []finding.Finding{f}}})
	}
	log, err := sarif.FromString(write(t, func(b *bytes.Buffer) Printer { return newSARIF(b, "1.2.3") }, all))
	if err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for _, rule := range run.Tool.Driver.Rules {
		for name, text := range map[string]*sarif.MultiformatMessageString{"shortDescription": rule.ShortDescription, "fullDescription": rule.FullDescription, "help": rule.Help} {
			if text == nil || *text.Text == "" || name != "help" && len([]rune(*text.Text)) > 1024 {
				t.Errorf("%s: %s is %+v", *rule.ID, name, text)
			}
		}
		if rule.HelpURI == nil && *rule.ID == "expect/outcome" {
			continue
		}
		if _, anchor, _ := strings.Cut(*rule.HelpURI, "docs/rules.md#"); !headings[anchor] {
			t.Errorf("%s: there is no %s", *rule.ID, *rule.HelpURI)
		}
	}
	fingerprints := map[string]bool{}
	for _, result := range run.Results {
		fingerprints[result.PartialFingerprints["primaryLocationLineHash"]] = true
		if uri := *result.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "in/a.json" {
			t.Errorf("the file is %s", uri)
		}
	}
	if len(fingerprints) != len(all) {
		t.Errorf("%d results have %d fingerprints", len(all), len(fingerprints))
	}
}

// A finding keeps its fingerprint when its message has moved, and has another one in another message.
func TestFingerprint(t *testing.T) {
	f := finding.Finding{Rule: "schema/required", Pointer: "/taskId", Message: "is missing", Line: 1, Column: 1}
	moved := f
	moved.Line = 7
	first := fingerprint(&Record{ID: "h-1"}, f)
	if got := fingerprint(&Record{ID: "h-1", Index: 3}, moved); got != first {
		t.Errorf("it is %s after it has moved, and was %s", got, first)
	}
	if got := fingerprint(&Record{ID: "h-2"}, f); got == first {
		t.Error("it is the same in another message")
	}
}

// runnerReads parses a command as GitHub's runner does (ActionCommand.cs): its properties up to
// the first "::", separated by commas, and its message, unescaped.
func runnerReads(line string) (command, message string, properties map[string]string) {
	head, message, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	command, list, _ := strings.Cut(head, " ")
	unescape := func(s string, escapes ...string) string {
		return strings.NewReplacer(append(escapes, "%0D", "\r", "%0A", "\n", "%25", "%")...).Replace(s)
	}
	properties = map[string]string{}
	for property := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(property, "=")
		properties[name] = unescape(value, "%3A", ":", "%2C", ",")
	}
	return command, unescape(message), properties
}

func TestGitHubIsReadBack(t *testing.T) {
	source, message := "a, b::c%3A/x=1:y.json", "50%25 of it: a, b::c"
	f := finding.Finding{Rule: "x/y", Reason: "SCHEMA_INVALID", Severity: finding.Error, Message: message, Line: 3, Column: 7}
	text := write(t, func(b *bytes.Buffer) Printer { return newGitHub(b) }, []Record{{Source: source, Result: validate.Result{Findings: []finding.Finding{f}}}})
	command, got, properties := runnerReads(strings.TrimSuffix(text, "\n"))
	want := map[string]string{"file": source, "line": "3", "col": "7", "title": "SCHEMA_INVALID [x/y]"}
	if command != "error" || got != message || !maps.Equal(properties, want) {
		t.Errorf("the runner reads %q %q %v of %s", command, got, properties, text)
	}
}

// GitHub shows ten of each kind in a step.
func TestGitHubTellsOfMoreThanItShows(t *testing.T) {
	for n, want := range map[int]string{
		10: "",
		11: "::notice title=handoff::11 errors, 0 warnings, 0 notes; GitHub shows the first 10 of each in a step, the log has all",
	} {
		var all []Record
		for i := range n {
			f := finding.Finding{Rule: "x/y", Severity: finding.Error, Message: fmt.Sprint(i)}
			all = append(all, Record{Source: "a.json", Result: validate.Result{Findings: []finding.Finding{f}}})
		}
		lines := strings.Split(strings.TrimSuffix(write(t, func(b *bytes.Buffer) Printer { return newGitHub(b) }, all), "\n"), "\n")
		if got := strings.Join(lines[n:], "\n"); got != want {
			t.Errorf("after %d errors: %q", n, got)
		}
	}
}
