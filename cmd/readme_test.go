package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the console session of the README in testdata/readme and
// compares what it shows.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	session := regexp.MustCompile("(?s)```console\n(.*?)```").FindSubmatch(readme)
	if session == nil {
		t.Fatal("the README has no console session")
	}
	t.Chdir(filepath.Join("..", "testdata", "readme"))
	ran := 0
	for step := range strings.SplitSeq(strings.TrimPrefix(string(session[1]), "$ "), "\n$ ") {
		command, want, shown := strings.Cut(step, "\n")
		var got bytes.Buffer
		root := newRoot()
		root.SetArgs(strings.Fields(command)[1:])
		root.SetOut(&got)
		root.SetErr(&got)
		if err := root.Execute(); err != nil && err != errNo {
			t.Errorf("%s: %v", command, err)
		}
		if shown && want != "" && strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
			t.Errorf("%s shows\n%s\nand the README says\n%s", command, got.String(), want)
		}
		ran++
	}
	if ran == 0 {
		t.Error("the session has no commands")
	}
}
