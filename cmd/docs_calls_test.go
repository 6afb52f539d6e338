package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// beforeCalls matches words and assignments of the shell that may precede a call of handoff.
var beforeCalls = regexp.MustCompile(`^(do|then|else|if|while|until|!|exec|xargs|\w+=.*)$`)

// handoffCalls returns the arguments of each call of handoff in a shell command, and whether the command is a
// single call that needs no shell.
func handoffCalls(command string) (calls [][]string, plain bool) {
	var words []string
	var word strings.Builder
	inWord, toFile, commands := false, false, 0
	endWord := func() {
		if inWord && !toFile {
			words = append(words, word.String())
		}
		toFile = toFile && !inWord
		inWord = false
		word.Reset()
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			commands++
		}
		before := 0
		for before < len(words) && beforeCalls.MatchString(words[before]) {
			before++
		}
		if before < len(words) && words[before] == "handoff" {
			calls = append(calls, words[before+1:])
			plain = before == 0
		}
		words = nil
	}
	shell := false // set if the command needs a shell
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			inWord = true
			for i++; i < len(command) && command[i] != '\''; i++ {
				word.WriteByte(command[i])
			}
		case c == '"':
			inWord = true
			begin := i + 1
			for i++; i < len(command) && command[i] != '"'; i++ {
				if command[i] == '\\' && i+1 < len(command) && strings.IndexByte("\"\\$`", command[i+1]) >= 0 {
					i++
				}
				word.WriteByte(command[i])
			}
			if quoted := command[begin:min(i, len(command))]; strings.ContainsAny(quoted, "$`") {
				shell = true
				if _, inner, ok := strings.Cut(quoted, "$("); ok {
					inner, _ := handoffCalls(strings.TrimSuffix(inner, ")"))
					calls = append(calls, inner...)
				}
			}
		case c == '\\' && i+1 < len(command):
			if i++; command[i] != '\n' {
				inWord = true
				word.WriteByte(command[i])
			}
		case c == '#' && !inWord:
			for i+1 < len(command) && command[i+1] != '\n' {
				i++
			}
		case c == ' ' || c == '\t':
			endWord()
		case strings.IndexByte("|;&()`\n", c) >= 0:
			shell = shell || c != '\n'
			endCommand()
		case c == '<' || c == '>':
			shell = true
			if text := word.String(); text == "2" || text == "1" { // of a stream
				inWord = false
			}
			endWord()
			toFile = true
		default:
			shell = shell || strings.IndexByte("$*?[", c) >= 0 || c == '~' && !inWord
			inWord = true
			word.WriteByte(c)
		}
	}
	endCommand()
	return calls, plain && !shell && commands == 1
}

// incidental are flags whose code the commands share: TestScripts runs it with other commands.
var incidental = []string{"output", "format", "quiet", "report", "key-file", "key-id", "audit-log", "checkpoint"}

// form returns the command of a call and the names of its flags, except the incidental ones: calls of the same
// form are equivalent.
func form(root *cobra.Command, args []string) string {
	c, rest, err := root.Find(args)
	if err != nil {
		return "" // scripts contain wrong calls on purpose
	}
	var flags []string
	for _, arg := range rest {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case strings.HasPrefix(arg, "--"):
		case strings.HasPrefix(arg, "-") && name != "":
			f := c.Flags().ShorthandLookup(name[:1])
			if f == nil {
				f = c.InheritedFlags().ShorthandLookup(name[:1])
			}
			if name = ""; f != nil {
				name = f.Name
			}
		default:
			continue
		}
		if !slices.Contains(incidental, name) {
			flags = append(flags, name)
		}
	}
	slices.Sort(flags)
	return fmt.Sprint(c.CommandPath(), slices.Compact(flags))
}

// failing matches the lines of a script that run no command, or one that must fail.
var failing = regexp.MustCompile(`^(\[[^]]*\] )*(#|!|exit 2)`)

// scriptedForms returns the forms of the calls in testdata/script that TestScripts runs with success.
func scriptedForms(t *testing.T) map[string]bool {
	t.Helper()
	scripts, err := filepath.Glob("../testdata/script/*.txt*")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("found the scripts %q, %v", scripts, err)
	}
	root := newRoot()
	forms := map[string]bool{}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "-- ") { // the files of the script
				break
			}
			if failing.MatchString(line) {
				continue
			}
			if _, call, ok := strings.Cut(" "+line, " handoff "); ok {
				calls, _ := handoffCalls("handoff " + call)
				for _, args := range calls {
					forms[form(root, args)] = true
				}
			}
		}
	}
	delete(forms, "")
	return forms
}

// checkCall checks the command of a call, its flags, and its number of arguments.
func checkCall(t *testing.T, args []string) {
	t.Helper()
	root := both().RootFor(cli.NewGlobals(), args)
	c, rest, err := root.Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil || err == pflag.ErrHelp {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil {
		t.Errorf("handoff %s: %v", strings.Join(args, " "), err)
	}
}
