package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A coverageRow is one requirement of a specification in testdata/coverage.tsv, with its status
// and the tests that prove it.
type coverageRow struct {
	document, section, requirement, status string
	tests                                  []string // pkg/dir.TestName, or script/NAME of testdata/script/NAME.txtar
	note                                   string
}

// coverageStatuses are the statuses of requirements, in the order of the page.
var coverageStatuses = []string{"works", "partly", "missing", "declined", "n/a"}

// parseCoverage reads the rows of coverage.tsv, one per line, after a line with the names of the columns.
func parseCoverage(text string) ([]coverageRow, error) {
	const header = "document\tsection\trequirement\tstatus\ttests\tnote"
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if lines[0] != header {
		return nil, fmt.Errorf("line 1: expected the columns %q, found %q", header, lines[0])
	}
	rows := make([]coverageRow, 0, len(lines)-1)
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			return nil, fmt.Errorf("line %d: expected 6 cells between tabs, found %d", i+2, len(cells))
		}
		row := coverageRow{cells[0], cells[1], cells[2], cells[3], strings.Fields(cells[4]), cells[5]}
		if row.document == "" || row.section == "" || row.requirement == "" {
			return nil, fmt.Errorf("line %d: expected a document, a section and a requirement, found %q, %q and %q", i+2, row.document, row.section, row.requirement)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func readCoverage() ([]coverageRow, error) {
	path := filepath.Join("..", "testdata", "coverage.tsv")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := parseCoverage(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// problem returns the problem of a row, or "". exists reports whether a test exists.
func (r coverageRow) problem(exists func(test string) bool) string {
	if !slices.Contains(coverageStatuses, r.status) {
		return fmt.Sprintf("the status is %q, expected one of %q", r.status, coverageStatuses)
	}
	if r.status == "works" && len(r.tests) == 0 {
		return "no test is named: name one"
	}
	if r.status != "works" && r.note == "" {
		return "the note is empty: explain the status"
	}
	for _, test := range r.tests {
		if !exists(test) {
			return fmt.Sprintf("there is no test %q: name one as pkg/dir.TestName, or as script/NAME", test)
		}
	}
	return ""
}

// testExists returns a function that reports whether the source has a test.
func testExists() func(test string) bool {
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	found := map[string]map[string]bool{} // names by directory
	return func(test string) bool {
		if script, ok := strings.CutPrefix(test, "script/"); ok {
			_, err := os.Stat(filepath.Join("..", "testdata", "script", script+".txtar"))
			return err == nil
		}
		dir, name, _ := strings.Cut(test, ".")
		if found[dir] == nil {
			found[dir] = map[string]bool{}
			files, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go")) // the pattern is well-formed
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return false
				}
				for _, m := range function.FindAllSubmatch(text, -1) {
					found[dir][string(m[1])] = true
				}
			}
		}
		return found[dir][name]
	}
}

// TestCoverage checks that each requirement in testdata/coverage.tsv has a status, that each
// named test exists, that a working requirement has a test, and that the others have an explanation.
func TestCoverage(t *testing.T) {
	rows, err := readCoverage()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 390 {
		t.Errorf("there are only %d rows", len(rows))
	}
	exists := testExists()
	seen := map[[3]string]bool{}
	for _, row := range rows {
		place := [3]string{row.document, row.section, row.requirement}
		if problem := row.problem(exists); problem != "" {
			t.Errorf("%q: %s", place, problem)
		}
		if seen[place] {
			t.Errorf("%q occurs twice", place)
		}
		seen[place] = true
	}
}

func TestCoverageProblems(t *testing.T) {
	exists := testExists()
	for _, tt := range []struct {
		name string
		row  coverageRow
		want string // part of the problem; empty if there is none
	}{
		{"works", coverageRow{status: "works", tests: []string{"cmd.TestCoverage", "script/build", "pkg/jsonstream.FuzzParse"}}, ""},
		{"is for another program", coverageRow{status: "n/a", note: "a callback of the SDK"}, ""},
		{"unknown status", coverageRow{status: "done"}, `the status is "done"`},
		{"works without a test", coverageRow{status: "works"}, "no test is named"},
		{"partly without a note", coverageRow{status: "partly", tests: []string{"script/build"}}, "the note is empty"},
		{"missing without a note", coverageRow{status: "missing"}, "the note is empty"},
		{"declined without a note", coverageRow{status: "declined"}, "the note is empty"},
		{"no such script", coverageRow{status: "works", tests: []string{"script/nothing"}}, `no test "script/nothing"`},
		{"no such test", coverageRow{status: "works", tests: []string{"cmd.TestCover"}}, `no test "cmd.TestCover"`},
		{"no such package", coverageRow{status: "works", tests: []string{"pkg/nothing.TestParse"}}, `no test "pkg/nothing.TestParse"`},
		{"a test of no package", coverageRow{status: "works", tests: []string{"TestCoverage"}}, `no test "TestCoverage"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.row.problem(exists)
			if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("got the problem %q, want %q", got, tt.want)
			}
		})
	}
	for _, text := range []string{"", "document\tsection\n", "document\tsection\trequirement\tstatus\ttests\tnote\nA\t1\ttoo few\tworks\n", "document\tsection\trequirement\tstatus\ttests\tnote\nA\t\tno section\tn/a\t\tnote\n"} {
		if rows, err := parseCoverage(text); err == nil {
			t.Errorf("%q is read as %v", text, rows)
		}
	}
}

const coverageIntroduction = `# What of the specifications works

Every requirement of the documents that this program implements, in the words of this project,
what became of it, and the test that shows it: a script in ` + "`testdata/script/`" + `, or a Go test after
its package. The page is made of [testdata/coverage.tsv](../testdata/coverage.tsv); a test checks that
each test named here exists. Those that need a server (PostgreSQL, Redis, SQS, Temporal) are skipped
where it is missing.

| status | |
|---|---|
| works | as the document says, shown by a test |
| partly | what is missing is in the note |
| missing | not there |
| declined | something else is done on purpose; the note says what, and why |
| n/a | nothing that a command or a library does: callbacks of a running agent, advice, claims about others |

`

// writeCoverage writes docs/coverage.md: a table of counts, and one for each document.
func writeCoverage(out *bytes.Buffer) error {
	rows, err := readCoverage()
	if err != nil {
		return err
	}
	var documents []string // in the order of the file
	counts := map[[2]string]int{}
	for _, row := range rows {
		if !slices.Contains(documents, row.document) {
			documents = append(documents, row.document)
		}
		counts[[2]string{row.document, row.status}]++
		counts[[2]string{"all", row.status}]++
	}
	out.WriteString(coverageIntroduction)
	fmt.Fprintf(out, "| document | %s | rows |\n|---%s|---|\n", strings.Join(coverageStatuses, " | "), strings.Repeat("|---", len(coverageStatuses)))
	for _, document := range append(slices.Clone(documents), "all") {
		fmt.Fprintf(out, "| %s ", document)
		sum := 0
		for _, status := range coverageStatuses {
			n := counts[[2]string{document, status}]
			fmt.Fprintf(out, "| %d ", n)
			sum += n
		}
		fmt.Fprintf(out, "| %d |\n", sum)
	}
	cell := strings.NewReplacer("|", `\|`, "<", "&lt;")
	for _, document := range documents {
		fmt.Fprintf(out, "\n## %s\n\n| section | requirement | status | shown by | note |\n|---|---|---|---|---|\n", document)
		for _, row := range rows {
			if row.document == document {
				fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", cell.Replace(row.section), cell.Replace(row.requirement), row.status, testLinks(row.tests), cell.Replace(row.note))
			}
		}
	}
	return nil
}

// testLinks returns the names of tests, each with a link to its source.
func testLinks(tests []string) string {
	links := make([]string, len(tests))
	for i, test := range tests {
		if script, ok := strings.CutPrefix(test, "script/"); ok {
			links[i] = fmt.Sprintf("[%s.txtar](../testdata/script/%[1]s.txtar)", script)
			continue
		}
		dir, _, _ := strings.Cut(test, ".")
		links[i] = fmt.Sprintf("[%s](../%s)", test, dir)
	}
	return strings.Join(links, ", ")
}
