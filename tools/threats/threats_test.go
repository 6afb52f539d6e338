package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreats checks that every test in docs/threats.md exists in the named package, and that every promise has
// tests and edits that fit the source. scripts/threats.sh shows that the tests detect the edits.
func TestThreats(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	promises, err := readPromises()
	if err != nil {
		t.Fatal(err)
	}
	if len(promises) < 100 {
		t.Errorf("found %d promises", len(promises))
	}
	found := 0
	for _, p := range promises {
		if len(p.tests) == 0 {
			t.Errorf("no test for the promise: %s", p.text)
		}
		for pkg, names := range p.tests {
			source := testSource(t, pkg)
			for _, name := range names {
				if s, ok := strings.CutPrefix(name, scripts); ok {
					if _, err := os.Stat(filepath.Join("testdata", "script", s+".txtar")); err != nil {
						t.Error(err)
					}
					continue
				}
				found++
				if !strings.Contains(source, "func "+name+"(") {
					t.Errorf("%s has no %s", pkg, name)
				}
			}
		}
		if len(p.edits) == 0 {
			t.Errorf("tools/threats has no edit for: %s", p.text)
		}
		for _, e := range p.edits {
			if _, err := e.edited(); err != nil {
				t.Errorf("the edit for %q is stale: %v", e.promise, err)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join("docs", "threats.md"))
	if err != nil {
		t.Fatal(err)
	}
	if all := len(regexp.MustCompile("`(?:Test|Fuzz)").FindAll(page, -1)); found != all {
		t.Errorf("only %d of %d tests are in a row, before their package", found, all)
	}
}

// testSource returns the text of all tests of a package.
func testSource(t *testing.T, pkg string) string {
	files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no tests: %v", pkg, err)
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
