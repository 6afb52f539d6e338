package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/report"
)

func newMan(*cli.Globals) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Example: `  handoff man >~/.local/share/man/man1/handoff.1`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			c.Root().InitDefaultCompletionCmd()
			return writeMan(c.OutOrStdout(), describe(c.Root()))
		},
	}
}

// roff escapes text for the macros of man(7).
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// writeMan writes one page for all commands, in the macros of man(7).
func writeMan(w io.Writer, root commandInfo) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HANDOFF 1 \"\" \"handoff %s\"\n.SH NAME\nhandoff \\- %s\n", report.BuildVersion(), roff.Replace(root.Summary))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", roff.Replace(root.Usage), paragraphs(root.Details))
	b.WriteString(".SH OPTIONS\nOf every command:\n")
	root.manFlags(&b)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands {
		fmt.Fprintf(&b, ".SS %s\n%s.\n.PP\n%s\n.PP\n%s\n", roff.Replace(c.Name), roff.Replace(c.Summary), roff.Replace(c.Usage), paragraphs(c.Details))
		c.manFlags(&b)
		for i, example := range c.Examples {
			if i == 0 {
				b.WriteString(".PP\nExamples:\n.nf\n")
			}
			fmt.Fprintf(&b, "%s\n", roff.Replace("    "+example))
		}
		if len(c.Examples) > 0 {
			b.WriteString(".fi\n")
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range root.Exits {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.Code, roff.Replace(e.Meaning))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func paragraphs(text string) string {
	return strings.ReplaceAll(roff.Replace(text), "\n\n", "\n.PP\n")
}

func (c commandInfo) manFlags(b *strings.Builder) {
	for _, f := range c.Flags {
		fmt.Fprintf(b, ".TP\n.B %s\n%s", roff.Replace(f.spelling()), roff.Replace(f.Usage))
		if f.Default != "" && f.Default != "false" {
			fmt.Fprintf(b, " (default %s)", roff.Replace(f.Default))
		}
		b.WriteByte('\n')
	}
}
