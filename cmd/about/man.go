package about

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

func NewMan(g *cli.Globals) *cobra.Command {
	installs, dir := false, ""
	c := &cobra.Command{
		Use:   "man [COMMAND]...",
		Short: "Print or install the manual pages",
		Long: `Man prints the manual page of handoff, or of a command, such as "validate" or "audit
list". With --install, it writes the pages of all commands (handoff.1,
handoff-validate.1, handoff-audit-list.1) to ~/.local/share/man/man1 (or below
$XDG_DATA_HOME), where man finds them, or to another manual folder. A file there that
handoff did not write is never overwritten: this is an error.`,
		Example: `  handoff man audit list | less
  handoff man --install`,
		RunE: func(c *cobra.Command, args []string) error {
			root := describe(c.Root())
			pages := root.manPages(nil)
			switch {
			case installs && len(args) > 0:
				return errors.New("--install installs the pages of all commands: leave out " + term.Visible(strings.Join(args, " ")))
			case installs && dir == "":
				if dir = cli.DataHome(); dir == "" {
					return errNoHome
				}
				dir = filepath.Join(dir, "man", "man1")
			case !installs && dir != "":
				return errors.New("--dir needs --install")
			case !installs:
				i := slices.IndexFunc(pages, func(p commandInfo) bool { return p.Name == strings.Join(append([]string{"handoff"}, args...), " ") })
				if i < 0 {
					return term.WithHint(fmt.Errorf("handoff has no command %q", term.Visible(strings.Join(args, " "))), "handoff help lists the commands")
				}
				return g.WriteData("", c.OutOrStdout(), pages[i].man(root))
			}
			for _, page := range pages {
				if err := install(g, filepath.Join(dir, page.manName()+".1"), page.manBegin(), page.man(root)); err != nil {
					return err
				}
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "wrote %d pages, handoff.1 to %s.1, into %s\n\"man handoff\" shows them if \"manpath\" lists %s.\n",
				len(pages), pages[len(pages)-1].manName(), term.Visible(dir), term.Visible(filepath.Dir(filepath.Clean(dir))))
			return err
		},
	}
	c.Flags().BoolVar(&installs, "install", false, "write the pages to the user's manual folder")
	c.Flags().StringVar(&dir, "dir", "", "with --install: the `FOLDER` for pages of section 1, such as /usr/local/share/man/man1")
	_ = c.MarkFlagDirname("dir") // the flag exists
	cli.OnlyForCall(c)
	return c
}

// roff escapes text for the macros of man(7).
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// manPages appends the command and all commands below it, each of which has a page.
func (c commandInfo) manPages(pages []commandInfo) []commandInfo {
	pages = append(pages, c)
	for _, sub := range c.Commands {
		pages = sub.manPages(pages)
	}
	return pages
}

// manName returns the name of the command's page: handoff-audit-list.
func (c commandInfo) manName() string { return strings.ReplaceAll(c.Name, " ", "-") }

// manBegin returns the beginning of the command's page in all versions.
func (c commandInfo) manBegin() string {
	return ".TH " + roff.Replace(strings.ToUpper(c.manName())) + " 1 "
}

// man returns the man(7) page of a command of root.
func (c commandInfo) man(root commandInfo) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\"\" \"handoff %s\"\n.SH NAME\n%s \\- %s\n", c.manBegin(), report.BuildVersion(), roff.Replace(c.manName()), roff.Replace(c.Summary))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", roff.Replace(c.Usage), paragraphs(cmp.Or(c.Details, c.Summary+".")))
	if len(c.Commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, sub := range c.Commands {
		fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff.Replace(sub.manName()), roff.Replace(sub.Summary))
	}
	b.WriteString(".SH OPTIONS\n")
	c.manFlags(&b)
	if c.Name != root.Name {
		b.WriteString(".SS Of every command\n")
		root.manFlags(&b)
	}
	for i, example := range c.Examples {
		if i == 0 {
			b.WriteString(".SH EXAMPLES\n.nf\n")
		}
		fmt.Fprintf(&b, "%s\n", roff.Replace("    "+example))
	}
	if len(c.Examples) > 0 {
		b.WriteString(".fi\n")
	}
	for i, t := range c.Topics {
		if i == 0 {
			b.WriteString(".SH TOPICS\n\\(lqhandoff help TOPIC\\(rq shows:\n")
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff.Replace(t.Name), roff.Replace(t.Summary))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range c.Exits {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.Code, roff.Replace(e.Meaning))
	}
	if above := strings.LastIndexByte(c.Name, ' '); above > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff.Replace(commandInfo{Name: c.Name[:above]}.manName()))
	}
	return b.Bytes()
}

func paragraphs(text string) string {
	return strings.ReplaceAll(roff.Replace(text), "\n\n", "\n.PP\n")
}

func (c commandInfo) manFlags(b *bytes.Buffer) {
	for _, f := range c.Flags {
		fmt.Fprintf(b, ".TP\n.B %s\n%s", roff.Replace(f.spelling()), roff.Replace(f.Usage))
		if f.Default != "" && f.Default != "false" {
			fmt.Fprintf(b, " (default %s)", roff.Replace(f.Default))
		}
		b.WriteByte('\n')
	}
}
