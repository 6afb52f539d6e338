package cmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestRootHelp checks that the help of the root fits a screen and begins with the commands that everybody needs.
func TestRootHelp(t *testing.T) {
	text, _ := runHere("", "--help")
	if lines := strings.Count(text, "\n"); lines > 45 {
		t.Errorf("%d lines, want at most 45", lines)
	}
	_, list, _ := strings.Cut(text, "\nBegin with:\n")
	list, rest, _ := strings.Cut(list, "\n\n")
	var begin []string
	for line := range strings.Lines(list) {
		begin = append(begin, strings.Fields(line)[0])
	}
	if diff := cmp.Diff([]string{"build", "validate", "inspect", "diff", "chain", "sign"}, begin); diff != "" {
		t.Error(diff)
	}
	for _, c := range newRoot().Commands() {
		if c.IsAvailableCommand() && !regexp.MustCompile(`[ ,]`+c.Name()+`(,|\n|  )`).MatchString(list+rest) {
			t.Errorf("%s is not in the help", c.Name())
		}
	}
}

var helpTitle = regexp.MustCompile(`(?m)^([A-Z][\w ]+):$`)

// TestHelpGroups checks that the help of commands with many flags groups them, and lists each flag once.
func TestHelpGroups(t *testing.T) {
	everyCommand(newRoot(), func(c *cobra.Command) {
		var b bytes.Buffer
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		flags := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			flags++
			if n := len(regexp.MustCompile(`(?m)^ +(-\w, )?--`+f.Name+`\b[^-]`).FindAllString(text, -1)); n != 1 {
				t.Errorf("%s: --%s is listed %d times", c.CommandPath(), f.Name, n)
			}
		})
		grouped := !strings.Contains(text, "\nGlobal flags:\n") && c.HasParent()
		if many := flags >= 12; many != grouped {
			t.Errorf("%s: %d flags, grouped: %v", c.CommandPath(), flags, grouped)
		}
	})
	text, _ := runHere("", "validate", "--help")
	var titles []string
	for _, m := range helpTitle.FindAllStringSubmatch(text, -1) {
		titles = append(titles, m[1])
	}
	if diff := cmp.Diff([]string{"Usage", "Examples", "What to check", "Receiver and keys", "Safety scanner", "Input", "Report"}, titles); diff != "" {
		t.Error(diff)
	}
}

// TestHelpWidth checks that the descriptions of commands are broken into lines for a terminal, and that no line
// of a paragraph ends early.
func TestHelpWidth(t *testing.T) {
	everyCommand(newRoot(), func(c *cobra.Command) {
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			lines := strings.Split(paragraph, "\n")
			for i, line := range lines {
				if utf8.RuneCountInString(line) > 90 {
					t.Errorf("%s: %d columns: %s", c.CommandPath(), utf8.RuneCountInString(line), line)
				}
				if i+1 == len(lines) || strings.HasPrefix(line, " ") || strings.HasPrefix(lines[i+1], " ") {
					continue
				}
				next, _, _ := strings.Cut(lines[i+1], " ")
				if utf8.RuneCountInString(line+" "+next) < 72 {
					t.Errorf("%s: the line ends early: %s", c.CommandPath(), line)
				}
			}
		}
	})
}

// TestHelpColours checks that help and explain have colours only if they are wanted.
func TestHelpColours(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"validate", "--help"}, {"help", "schema"}, {"explain", "schema/required"}, {"explain", "lint"}, {"chain", "--explain", "subtask-lost"}} {
		plain, _ := runHere("", args...)
		coloured, _ := runHere("", append(args, "--color=always")...)
		if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[") {
			t.Errorf("%q: coloured: %q", args, coloured)
		}
		if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""); got != plain {
			t.Errorf("%q: the colours change the text:\n%s", args, cmp.Diff(plain, got))
		}
	}
}
