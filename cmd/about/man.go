package about

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

func NewMan(g *cli.Globals) *cobra.Command {
	installs, dir := false, ""
	c := &cobra.Command{
		Use:   "man",
		Short: "Print or install the manual page",
		Long: `Man prints the manual page. With --install, it writes the page to
~/.local/share/man/man1 (or below $XDG_DATA_HOME), where man finds it, or to another
manual folder. A file there that handoff did not write is never overwritten: this is an
error.`,
		Example: `  handoff man | less
  handoff man --install`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var page bytes.Buffer
			if err := writeMan(&page, describe(c.Root())); err != nil {
				return err
			}
			switch {
			case installs && dir == "":
				if dir = cli.DataHome(); dir == "" {
					return errNoHome
				}
				dir = filepath.Join(dir, "man", "man1")
			case !installs && dir != "":
				return errors.New("--dir needs --install")
			case !installs:
				return g.WriteData("", c.OutOrStdout(), page.Bytes())
			}
			path := filepath.Join(dir, "handoff.1")
			if err := install(g, c.OutOrStdout(), path, manBegin, page.Bytes()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "\"man handoff\" shows it if \"manpath\" lists %s.\n", term.Visible(filepath.Dir(filepath.Clean(dir))))
			return err
		},
	}
	c.Flags().BoolVar(&installs, "install", false, "write the page to the user's manual folder")
	c.Flags().StringVar(&dir, "dir", "", "with --install: the `FOLDER` for pages of section 1, such as /usr/local/share/man/man1")
	_ = c.MarkFlagDirname("dir") // the flag exists
	cli.OnlyForCall(c)
	return c
}

// manBegin is the beginning of the page in all versions.
const manBegin = ".TH HANDOFF 1 "

// roff escapes text for the macros of man(7).
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// writeMan writes one man(7) page about all commands.
func writeMan(w io.Writer, root commandInfo) error {
	var b strings.Builder
	fmt.Fprintf(&b, manBegin+"\"\" \"handoff %s\"\n.SH NAME\nhandoff \\- %s\n", report.BuildVersion(), roff.Replace(root.Summary))
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
	b.WriteString(".SH TOPICS\n\\(lqhandoff help TOPIC\\(rq shows:\n")
	for _, t := range root.Topics {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff.Replace(t.Name), roff.Replace(t.Summary))
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
