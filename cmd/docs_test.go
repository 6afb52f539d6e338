package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/tier"
)

// notRun has texts of the blocks that TestDocs does not run, with the reasons.
var notRun = map[string]string{
	"# usage: sh signature.sh": "TestSigningRecipes runs it",
	"handoff receive":          "it runs until it is stopped: TestScripts/receive and its like run it",
	"handoff mcp --listen":     "it runs until it is stopped: TestMCPHTTP runs it",
	"claude mcp add":           "it is a command of another program",
	"handoff serve":            "it runs until it is stopped: TestScripts/serve runs it",
	"git difftool":             "it asks the user; the command that it configures is run by TestScripts/diff-git",
}

// configured has the commands that use the YAML of each page. A command with the argument
// FILE reads the YAML as that file; for others it is the configuration.
var configured = map[string][]string{
	"tour.md":          {"handoff validate --receiver FILE message.json"},
	"safety.md":        {"handoff scan --rules FILE message.json"},
	"signing.md":       {"handoff verify --receiver FILE signed.json"},
	"privacy.md":       {"handoff redact --policy FILE message.json"},
	"configuration.md": {"handoff validate message.json", "handoff scan message.json", "handoff trim message.json", "handoff sign message.json"},
	"chain.md":         {"handoff chain archive/"},
	"audit.md":         {"handoff accept --personal-data FILE message.json"},
	"openai-agents.md": {"handoff openai agents check --strict FILE"},
}

// TestDocs checks every command and every configuration file in the documents and in every --help. The second
// tier runs all of them as written, in a folder with the files that they name (testdata/docs/folder.sh). None may
// end with exit code 2, unless a console session shows an error. docs/commands.md has the examples of --help.
//
// The first tier parses every command. It runs the README, and the blocks with a combination of flags that
// neither a script of TestScripts nor an earlier block has. It runs commands that need no shell in this
// process.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	shell := newDocsShell(t)
	ran := scriptedForms(t)
	root := newRoot()
	commands, left := 0, 0
	run := func(t *testing.T, b docsBlock, always bool) {
		calls, isNew := b.calls(t), false
		for _, args := range calls {
			isNew = isNew || !ran[form(root, args)]
			ran[form(root, args)] = true
		}
		commands += len(calls)
		if always || isNew || tier.Full() {
			shell.run(t, b)
		} else {
			left += len(calls)
		}
	}
	t.Run("help", func(t *testing.T) {
		var walk func(c *cobra.Command)
		walk = func(c *cobra.Command) {
			if c.Example != "" {
				t.Run(c.CommandPath(), func(t *testing.T) { run(t, docsBlock{lines: strings.Split(c.Example, "\n")}, false) })
			}
			for _, sub := range c.Commands() {
				walk(sub)
			}
		}
		walk(newRoot())
	})
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("found the pages %q, %v", pages, err)
	}
	for _, page := range append(pages, "../README.md") {
		name := filepath.Base(page)
		if name == "commands.md" || name == "rules.md" || name == "providers.md" { // generated from --help, and from examples that packages validate and provider test
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range docsBlocks(string(text)) {
				switch {
				case block.language == "yaml":
					shell.configure(t, name, block)
				case name == "tour.md" && block.language == "console", name == "cookbook.md": // TestTour and TestCookbook run them
				default:
					run(t, block, name == "README.md")
				}
			}
		})
	}
	if commands < 500 {
		t.Errorf("found only %d calls of handoff", commands)
	}
	t.Logf("%d calls of handoff, of which %d run only with %s=1", commands, left, tier.Variable)
}

// A docsBlock is a block of code in a document, or the example of a command.
type docsBlock struct {
	language string
	lines    []string
}

// docsBlocks returns the fenced and the indented blocks of a document.
func docsBlocks(text string) []docsBlock {
	var blocks []docsBlock
	fenced, indented := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		code, isIndented := strings.CutPrefix(line, "    ")
		language, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence:
			if fenced = !fenced; fenced {
				blocks = append(blocks, docsBlock{language: language})
			}
		case fenced || isIndented && indented:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, map[bool]string{true: line, false: code}[fenced])
		case isIndented:
			blocks = append(blocks, docsBlock{lines: []string{code}})
		}
		indented = isIndented && !fenced && !isFence
	}
	return blocks
}

// callsHandoff matches a line where handoff is the name of a command, rather than a word.
var callsHandoff = regexp.MustCompile(`^(.*(\| |\(|&& ))?([A-Z_]+=\S+ )*handoff( [a-z]|$)`)

// commands returns the commands of a block, and whether each shows an error: the inputs of a
// console session, or all lines of another block with a call of handoff.
func (b docsBlock) commands() (commands []string, shows []bool) {
	if b.language != "console" && !slices.ContainsFunc(b.lines, func(line string) bool { return callsHandoff.MatchString(strings.TrimSpace(line)) }) {
		return nil, nil
	}
	joins := false
	for _, line := range b.lines {
		input, isInput := strings.CutPrefix(line, "$ ")
		last := len(commands) - 1
		switch {
		case joins:
			commands[last] += "\n" + line
		case b.language == "console" && !isInput:
			shows[last] = shows[last] || strings.HasPrefix(line, "handoff: ")
			continue
		case strings.TrimSpace(line) != "":
			commands, shows = append(commands, input), append(shows, false)
		}
		joins = strings.HasSuffix(line, `\`)
	}
	return commands, shows
}

// calls returns the calls of handoff in a block. It checks all calls except those shown to fail.
func (b docsBlock) calls(t *testing.T) (all [][]string) {
	t.Helper()
	commands, shows := b.commands()
	for i, command := range commands {
		calls, _ := handoffCalls(command)
		for _, args := range calls {
			if !shows[i] {
				checkCall(t, args)
			}
		}
		all = append(all, calls...)
	}
	return all
}

// A docsShell runs commands of documents.
type docsShell struct{ real, folder, kept string }

func newDocsShell(t *testing.T) docsShell {
	t.Helper()
	self, err := os.Executable() // this test binary acts as the command when it is named handoff
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	real := filepath.Join(dir, "handoff")
	if err := os.Symlink(self, real); err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("../testdata/docs")
	if err != nil {
		t.Fatal(err)
	}
	return docsShell{real, folder, t.TempDir()}
}

// wrapper replaces the command: it records failures of handoff.
const wrapper = `#!/bin/sh
"$HANDOFF" "$@"
code=$?
[ $code -lt 2 ] || echo "exit code $code: handoff $*" >>"$FAILED"
exit $code
`

// run runs the commands of a block in a separate folder.
func (s docsShell) run(t *testing.T, b docsBlock) {
	t.Helper()
	commands, shows := b.commands()
	text := strings.Join(commands, "\n")
	for part := range notRun {
		if strings.Contains(text, part) {
			return
		}
	}
	if len(commands) > 0 {
		s.steps(t, text, nil, commands, shows)
	}
}

// steps runs commands in a folder with the files named in text, and with further files.
func (s docsShell) steps(t *testing.T, text string, files map[string]string, commands []string, shows []bool) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimSpace(commands[0]), "  ")
	t.Run(name, func(t *testing.T) {
		dir, env := s.prepare(t, text)
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if !tier.Full() { // for callHere
			set := env[len(os.Environ()):]
			t.Chdir(dir)
			for _, variable := range set {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
		}
		for i, command := range commands {
			if calls, plain := handoffCalls(command); plain && !tier.Full() {
				callHere(t, calls[0], shows[i])
			} else {
				s.call(t, dir, env, command, shows[i])
			}
		}
	})
}

// callHere runs, in this process, a command that needs no shell. It is otherwise like docsShell.call.
func callHere(t *testing.T, args []string, showsError bool) {
	t.Helper()
	var out bytes.Buffer
	if code := runWriting(strings.NewReader(""), &out, &out, args...); code > program.ExitNo && !showsError {
		t.Errorf("exit code %d: handoff %s\n%s", code, strings.Join(args, " "), &out)
	}
}

var docsWord = regexp.MustCompile(`[\w.-]+/?`)

// prepare makes a folder with the files that the commands in text need.
func (s docsShell) prepare(t *testing.T, text string) (dir string, env []string) {
	t.Helper()
	dir, env = s.empty(t)
	env = append(env, "BLOCK="+text, "DOCS="+s.folder, "KEPT="+s.kept)
	c := exec.Command("sh", append([]string{filepath.Join(s.folder, "folder.sh")}, docsWord.FindAllString(text, -1)...)...)
	c.Dir, c.Env = dir, env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("making the files of\n%s\n%v\n%s", text, err, out)
	}
	return dir, env
}

// empty makes a folder with only handoff, on the PATH.
func (s docsShell) empty(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "handoff"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	env = append(os.Environ(), "HANDOFF="+s.real, "FAILED="+filepath.Join(dir, "bin", "failed"), "HOME="+filepath.Join(dir, "home"),
		"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "GIT_CONFIG_GLOBAL="+filepath.Join(dir, "bin", "gitconfig"), "KEY=secret")
	return dir, env
}

// call runs one or several commands, which must not fail unless an error is shown, and returns
// their output.
func (s docsShell) call(t *testing.T, dir string, env []string, command string, showsError bool) string {
	t.Helper()
	for _, program := range []string{"jq", "openssl", "git"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(command, program+" ") && os.Getenv("CI") == "" {
			t.Logf("%s is not installed: %s is not run", program, command)
			return ""
		}
	}
	c := exec.Command("sh", "-c", command)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	failed, _ := os.ReadFile(filepath.Join(dir, "bin", "failed"))
	_ = os.Remove(filepath.Join(dir, "bin", "failed"))
	if !showsError && (len(failed) > 0 || err != nil && c.ProcessState.ExitCode() > 1) {
		t.Errorf("%s\n%v\n%s%s", command, err, failed, out)
	}
	return string(out)
}

// configure uses a YAML file of a page.
func (s docsShell) configure(t *testing.T, page string, b docsBlock) {
	t.Helper()
	commands, ok := configured[page]
	if !ok {
		t.Fatalf("%s has a YAML file without an entry in configured", page)
	}
	name := "FILE"
	if !strings.Contains(commands[0], name) {
		name, commands = "handoff.yaml", append([]string{"handoff config trust", "handoff config"}, commands...)
	}
	text := strings.Join(b.lines, "\n") + "\n"
	s.steps(t, strings.Join(commands, "\n")+"\n"+text, map[string]string{name: text}, commands, make([]bool, len(commands)))
}
