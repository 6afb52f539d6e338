package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/internal/plugins"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/pkg/provider"
	relaycmd "github.com/eaapl/handoff/relay/cmd"
)

// TestGenerated compares the generated files, and the table of the requirements, with newly generated ones;
// go test ./cmd -run Generated -update rewrites them.
func TestGenerated(t *testing.T) {
	embedded := relay.Commands
	defer func() { relay.Commands = embedded }()
	var err error
	if relay.Commands, err = relaycmd.New().Describe(); err != nil { // in the form that is embedded
		t.Fatal(err)
	}
	run := func(args ...string) func(*testing.T, *bytes.Buffer) error {
		return func(_ *testing.T, out *bytes.Buffer) error {
			root := New().Root()
			root.SetArgs(args)
			root.SetOut(out)
			return root.Execute()
		}
	}
	files := map[string]func(*testing.T, *bytes.Buffer) error{
		"completions/handoff.bash":     run("completion", "bash"),
		"completions/_handoff":         run("completion", "zsh"),
		"completions/handoff.fish":     run("completion", "fish"),
		"completions/handoff.ps1":      run("completion", "powershell"),
		"cmd/relay/commands.json":      describes(relaycmd.New()),
		"relay/cmd/commands.json":      describes(New()),
		"docs/commands.md":             run("commands", "-f", "markdown"),
		"docs/rules.md":                run("explain", "-f", "markdown"),
		"docs/coverage.md":             func(_ *testing.T, out *bytes.Buffer) error { return writeCoverage(out) },
		"docs/providers.md":            func(_ *testing.T, out *bytes.Buffer) error { _, err := out.WriteString(provider.Page); return err },
		"docs/terminal.svg":            writePicture,
		"vectors/histories-rules.json": writeProviderCases,
		"vectors/chains-rules.json":    writeChainCases,
	}
	for _, f := range plugins.Repository(newestVersion(t)) {
		files[f.Path] = func(_ *testing.T, out *bytes.Buffer) error { _, err := out.Write(f.Text); return err }
	}
	for file, generate := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			var got bytes.Buffer
			if err := generate(t, &got); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s is out of date: run go test ./cmd -run Generated -update", file)
			}
		})
	}
}

// newestVersion returns the newest version in the changelog, 0.0.0 before the first.
func newestVersion(t *testing.T) string {
	t.Helper()
	changes, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?m)^## \[(\d[^]]*)\]`).FindSubmatch(changes); found != nil {
		return string(found[1])
	}
	return "0.0.0"
}

// describes returns a function that writes the description of a program's commands.
func describes(p *program.Program) func(*testing.T, *bytes.Buffer) error {
	return func(_ *testing.T, out *bytes.Buffer) error {
		text, err := p.Describe()
		out.Write(text)
		return err
	}
}
