// Package vectors implements the commands of "handoff vectors".
package vectors

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	run "github.com/eaapl/handoff/internal/vectors"
	"github.com/eaapl/handoff/vectors"
)

// New returns the group of commands for the conformance suite.
func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "vectors",
		Short: "Run the conformance suite on any implementation",
		Long: `Vectors is a conformance suite for programs in any language that keep or convert
histories of model APIs, continue sessions of coding agents, canonicalize or sign JSON,
receive handoff messages, or keep audit logs: cases with an input and the verdict on it
(docs/vectors.md). "vectors run" asks a program.`,
		Example: `  handoff vectors run --command ./adapter --group canonical
  handoff vectors list --group histories
  handoff vectors show histories/anthropic/result-place`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRun(g), newServe(), newList(g), newShow(g))
	return c
}

// choice are the flags that select cases.
type choice struct {
	dir    string
	groups []string
}

func (f *choice) registerDir(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "dir", "", "read the cases from the files in `FOLDER` instead of the built-in ones")
}

func (f *choice) register(c *cobra.Command) {
	f.registerDir(c)
	c.Flags().StringSliceVar(&f.groups, "group", nil, "only the cases of `GROUP`; may be repeated")
	cli.CompleteWith(c, "group", func([]string) []string { return groupNames(vectors.Files()) })
}

// read returns the selected groups.
func (f *choice) read() ([]vectors.Group, error) {
	var dir fs.FS = vectors.Files()
	if f.dir != "" {
		dir = regular.DirFS(f.dir)
	}
	groups, err := vectors.Read(dir)
	if err != nil {
		if f.dir != "" {
			err = fmt.Errorf("--dir %s: %w", term.Visible(f.dir), err)
		}
		return nil, err
	}
	for _, name := range f.groups {
		if !slices.ContainsFunc(groups, func(g vectors.Group) bool { return g.Name == name }) {
			return nil, fmt.Errorf("unknown group %q%s", term.Visible(name), report.UseOne(name, names(groups)))
		}
	}
	return slices.DeleteFunc(groups, func(g vectors.Group) bool { return len(f.groups) > 0 && !slices.Contains(f.groups, g.Name) }), nil
}

func groupNames(dir fs.FS) []string {
	groups, err := vectors.Read(dir)
	if err != nil {
		return nil
	}
	return names(groups)
}

func names(groups []vectors.Group) (list []string) {
	for _, g := range groups {
		list = append(list, g.Name)
	}
	return list
}

func newServe() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Answer the cases of a conformance run",
		Long: `Serve reads a case per line from standard input and writes an answer per line to standard
output, by the protocol of the suite (docs/vectors.md). It is handoff's own side of
"vectors run".`,
		Example: `  handoff vectors run --command 'handoff vectors serve'`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return run.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout(), "handoff")
		},
	}
}

func newList(g *cli.Globals) *cobra.Command {
	var f choice
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List the cases of the conformance suite",
		Long: `List prints a line for each case: its id, its operation, the expected verdict and its
flags. With -f json, it prints the cases.`,
		Example: `  handoff vectors list --group signatures
  handoff vectors list -f json | jq 'select(.flags and any(.flags[]; . == "forgery"))'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			groups, err := f.read()
			if err != nil {
				return err
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return err
			}
			for _, group := range groups {
				for _, one := range group.Cases {
					if out.JSON {
						err = report.WriteIndex(out, one)
					} else {
						line := fmt.Sprintf("%s  %s  %s  %s", one.ID, one.Operation, one.Expected.Verdict, strings.Join(one.Flags, ","))
						_, err = fmt.Fprintln(out, strings.TrimRight(line, " "))
					}
					if err != nil {
						return out.Close(err)
					}
				}
			}
			return out.Close(nil)
		},
	}
	f.register(c)
	facts.Register(c, "output format: text or json", "write the output to `FILE` instead of standard output")
	return c
}

func newShow(g *cli.Globals) *cobra.Command {
	var f choice
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show a case of the conformance suite",
		Long: `Show prints a case as JSON: its source, its input as a program gets it, and the expected
verdict. "vectors list" lists the ids.`,
		Example: `  handoff vectors show signatures/changed/hmac/number-text`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			groups, err := f.read()
			if err != nil {
				return err
			}
			for _, group := range groups {
				for _, one := range group.Cases {
					if one.ID != args[0] {
						continue
					}
					text, err := json.Marshal(one, jsontext.WithIndent("  "))
					if err != nil {
						return err
					}
					_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", text)
					return err
				}
			}
			return term.WithHint(fmt.Errorf("unknown case %q", term.Visible(args[0])), "handoff vectors list shows the ids")
		},
	}
	f.registerDir(c)
	return c
}
