package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreats checks that every test which docs/threats.md names exists, where it says.
func TestThreats(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "threats.md"))
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("`([a-z0-9_-]+\\.txtar)`")
	for _, m := range script.FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join("..", "testdata", "script", m[1])); err != nil {
			t.Error(err)
		}
	}
	named := regexp.MustCompile("((?:`(?:Test|Fuzz)\\w+`(?:, | and )?)+) in (cmd(?:/[a-z/0-9]+)?|(?:pkg|internal|transports)/[a-z/0-9]+)")
	test := regexp.MustCompile(`(?:Test|Fuzz)\w+`)
	found := 0
	for _, m := range named.FindAllStringSubmatch(string(page), -1) {
		source := testSource(t, filepath.Join("..", filepath.FromSlash(m[2])))
		for _, name := range test.FindAllString(m[1], -1) {
			found++
			if !strings.Contains(source, "func "+name+"(") {
				t.Errorf("%s has no %s", m[2], name)
			}
		}
	}
	if all := len(regexp.MustCompile("`(?:Test|Fuzz)").FindAll(page, -1)); found != all || all == 0 {
		t.Errorf("%d of %d tests come before the package that they are in", found, all)
	}
}

// testSource returns the text of all tests in a directory.
func testSource(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no tests: %v", dir, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
