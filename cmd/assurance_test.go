package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAssurance checks that every test in docs/assurance.md exists in the named package, that every row has one,
// and that all ten risks and the parts of Article 12 have a row.
func TestAssurance(t *testing.T) {
	page, err := os.ReadFile("../docs/assurance.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (ASI\d\d |12\(|evidence |logs ).*$`).FindAllString(string(page), -1)
	if len(rows) != 17 {
		t.Errorf("%d rows, want 17", len(rows))
	}
	of := regexp.MustCompile("((?:`(?:Test|Fuzz)\\w+`(?:, | and )?)+) in ([\\w/]+)")
	named := 0
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		shown := strings.TrimSuffix(cells[len(cells)-1], " |")
		tests := 0
		for _, script := range regexp.MustCompile("`([\\w-]+\\.txtar)`").FindAllStringSubmatch(shown, -1) {
			tests++
			if _, err := os.Stat(filepath.Join("..", "testdata", "script", script[1])); err != nil {
				t.Error(err)
			}
		}
		for _, m := range of.FindAllStringSubmatch(shown, -1) {
			source := ""
			files, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(m[2]), "*_test.go"))
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				source += string(text)
			}
			for _, name := range regexp.MustCompile(`(?:Test|Fuzz)\w+`).FindAllString(m[1], -1) {
				tests, named = tests+1, named+1
				if !strings.Contains(source, "func "+name+"(") {
					t.Errorf("%s has no %s", m[2], name)
				}
			}
		}
		if tests == 0 {
			t.Errorf("no test in %s", row)
		}
	}
	if all := len(regexp.MustCompile("`(?:Test|Fuzz)").FindAll(page, -1)); named != all {
		t.Errorf("only %d of %d tests are in a row, before their package", named, all)
	}
}
