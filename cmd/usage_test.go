package cmd

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// libraryWords match texts of flag parsers that users must not see.
var libraryWords = regexp.MustCompile(`arg\(s\)|strconv|invalid argument|shorthand|needs an argument|flag\(s\)|parse error|bad flag|unknown (flag|command)|in the group|time: (invalid|unknown|missing)|pflag|cobra`)

// everyCommand calls f for each command of the tree.
func everyCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, f)
	}
}

// saysPlainly fails unless err is an error that names its cause, without words of libraries.
func saysPlainly(t *testing.T, err error, name string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", name)
	case libraryWords.MatchString(err.Error()):
		t.Errorf("words of a library: %v", err)
	case !strings.Contains(err.Error(), name):
		t.Errorf("does not name %s: %v", name, err)
	}
}

// TestUsageErrors checks that every usage error is in plain words, and names the command or the flag.
func TestUsageErrors(t *testing.T) {
	run := func(args ...string) error {
		root := both().RootFor(cli.NewGlobals(), args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs(args)
		return root.Execute()
	}
	everyCommand(newRoot(), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		many := slices.Repeat([]string{"surplus"}, 20)
		if c.Args != nil && c.Args(c, many) != nil {
			saysPlainly(t, c.Args(c, many), c.CommandPath())
		}
		if c.Args != nil && c.Args(c, nil) != nil {
			saysPlainly(t, c.Args(c, nil), c.CommandPath())
		}
		saysPlainly(t, run(append(path, "--no-such-flag")...), c.CommandPath())
		saysPlainly(t, run(append(path, "-0")...), c.CommandPath())
		saysPlainly(t, run(append(path, "---x")...), "---x")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" {
				saysPlainly(t, run(append(path, "--"+f.Name)...), "--"+f.Name)
			}
			for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
				var together []string
				for _, name := range strings.Fields(group) {
					together = append(together, "--"+name+"=true")
				}
				saysPlainly(t, run(append(path, together...)...), "--"+f.Name)
			}
			if f.Value.Set("\"x") != nil {
				saysPlainly(t, run(append(path, "--"+f.Name+"=\"x")...), "--"+f.Name)
			}
		})
		if err := cli.CheckFlags(c); err != nil {
			saysPlainly(t, err, c.CommandPath())
		}
	})
}
