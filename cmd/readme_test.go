package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eaapl/handoff/cmd/internal/cli"
)

// TestReadme runs the console sessions of the README in testdata/readme and
// compares what they show.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, session := range regexp.MustCompile("(?s)```console\n\\$ (.*?)```").FindAllSubmatch(readme, -1) {
		steps = append(steps, strings.Split(string(session[1]), "\n$ ")...)
	}
	if len(steps) == 0 {
		t.Fatal("the README has no console session")
	}
	t.Chdir(filepath.Join("..", "testdata", "readme"))
	for _, step := range steps {
		command, want, shown := strings.Cut(step, "\n")
		var got bytes.Buffer
		root := newRoot()
		root.SetArgs(strings.Fields(command)[1:])
		root.SetOut(&got)
		root.SetErr(&got)
		if err := root.Execute(); err != nil && err != cli.ErrNo {
			t.Errorf("%s: %v", command, err)
		}
		if shown && want != "" && strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
			t.Errorf("%s shows\n%s\nand the README says\n%s", command, got.String(), want)
		}
	}
}
