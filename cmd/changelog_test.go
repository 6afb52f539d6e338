package cmd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changeKinds are the sections of a version, in order (keepachangelog.com, 1.1.0).
var changeKinds = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}

// TestChangelog checks the form of CHANGELOG.md: first the unreleased changes, then the versions with their
// dates, the newest first; in each, sections that are not empty, with unique entries; and a link for each
// version. Releases extract their notes from it.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var (
		heading = regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?)\]( - \d{4}-\d{2}-\d{2}( \[YANKED\])?)?$`)
		link    = regexp.MustCompile(`^\[([^\]]+)\]: https://`)
		kinds   []string
		dates   []string
		linked  = map[string]bool{}
		version []string
		seen    = map[string]int{}
		entries int // of the section
	)
	endSection := func(line int) {
		if len(kinds) > 0 && entries == 0 {
			t.Errorf("line %d: the section %q before it is empty", line, kinds[len(kinds)-1])
		}
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			m := heading.FindStringSubmatch(line)
			if m == nil || (m[1] == "Unreleased") != (m[3] == "") || (m[1] == "Unreleased") != (version == nil) {
				t.Fatalf("line %d: %q: want ## [Unreleased] first, and then headings such as ## [1.2.3] - 2026-01-02", number, line)
			}
			endSection(number)
			version, kinds = append(version, m[1]), nil
			if m[3] != "" {
				dates = append(dates, m[3])
			}
		case strings.HasPrefix(line, "### "):
			endSection(number)
			kind := line[len("### "):]
			i := slices.Index(changeKinds, kind)
			if version == nil || i < 0 || len(kinds) > 0 && i <= slices.Index(changeKinds, kinds[len(kinds)-1]) {
				t.Errorf("line %d: %q: want each of %s once, in this order, below a version", number, line, strings.Join(changeKinds, ", "))
			}
			kinds, entries = append(kinds, kind), 0
		case strings.HasPrefix(line, "* "):
			if entries++; len(kinds) == 0 {
				t.Errorf("line %d: an entry outside of a section: put it below one of %s", number, strings.Join(changeKinds, ", "))
			}
			if first := seen[line]; first > 0 && !strings.HasSuffix(line, ",") {
				t.Errorf("line %d: the entry begins like the one in line %d: is it a duplicate?", number, first)
			}
			seen[line] = number
		case link.MatchString(line):
			linked[link.FindStringSubmatch(line)[1]] = true
		case line == "" || strings.HasPrefix(line, "  ") || version == nil: // of an entry, or the introduction
		default:
			t.Errorf("line %d: %q is in no entry: entries begin with \"* \", and their other lines with two spaces", number, line)
		}
	}
	endSection(number)
	if len(seen) == 0 {
		t.Error("there are no entries")
	}
	if !slices.IsSortedFunc(dates, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("the versions are not in the order of their dates, the newest first: %q", dates)
	}
	for _, v := range version {
		if !linked[v] {
			t.Errorf("there is no link for [%s] at the end", v)
		}
	}
}
