// Package schema implements the commands of "handoff schema".
package schema

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
)

// New returns the group of commands for schemas.
func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schemas of messages, and compare versions",
		Long: `Schema prints the built-in JSON Schemas or, with --schema-registry, the schemas of a
registry: a directory in which NAME/VERSION.json is a version of a schema, such as
message/2.0.json. It also compares versions, tests fixtures, and migrates messages.`,
		Example: `  handoff schema list
  handoff schema show handoff-message
  handoff schema bundle handoff-message
  handoff schema compat message-2.0.json message-2.1.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(g), newShow(g), newBundle(g), newCompat(g), newMigrate(g), newTest(g))
	for _, sub := range c.Commands() {
		cli.OnlyForCall(sub, "schema-registry")
	}
	return c
}

// open returns the registry of a directory, or the built-in one for "".
func open(dir string, limits jsonstream.Limits) (*registry.Registry, error) {
	if dir == "" {
		return registry.Embedded()
	}
	return cli.OpenRegistry(dir, limits)
}

// versionsFlags select versions of a schema.
type versionsFlags struct{ at, name string }

func (f *versionsFlags) register(c *cobra.Command) {
	registerAt(c, &f.at)
	c.Flags().StringVar(&f.name, "schema-name", "", "`NAME` of the schema, if the registry has several")
}

func (f *versionsFlags) open(limits jsonstream.Limits) (*registry.Registry, []*registry.Schema, error) {
	if f.at == "" {
		return nil, nil, errors.New("--schema-registry: name the directory of the registry")
	}
	return cli.OpenVersions(f.at, f.name, "--schema-name", limits)
}

func find(r *registry.Registry, name string) (*registry.Schema, error) {
	s, err := r.Find(name)
	if err != nil {
		return nil, term.WithHint(fmt.Errorf("%s: %w", term.Visible(name), err), "handoff schema list lists the schemas")
	}
	return s, nil
}

func registerAt(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "schema-registry", "", "registry `DIR` to read instead of the built-in schemas")
}

func newList(g *cli.Globals) *cobra.Command {
	var dir string
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:     "list",
		Short:   "List schemas and their versions",
		Example: `  handoff schema list -f json`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := open(dir, g.Limits)
			if err != nil {
				return err
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return err
			}
			all := r.All()
			if out.JSON {
				return out.Close(report.WriteJSON(out, all))
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, s := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\n", term.Visible(s.Name), s.Version, term.Visible(s.Title))
			}
			return out.Close(w.Flush())
		},
	}
	registerAt(c, &dir)
	facts.Register(c, "output format: text, json", "write the output to `FILE`")
	return c
}

func newShow(g *cli.Globals) *cobra.Command {
	return newPrinter(g, &cobra.Command{
		Use:   "show NAME",
		Short: "Print a schema unchanged",
		Long: `Show prints a schema, byte for byte. NAME is a name from "handoff schema list", for the
latest version; NAME-VERSION; a file name; or an $id.`,
		Example: `  handoff schema show handoff-message-2.1`,
	}, func(_ *registry.Registry, s *registry.Schema) (*jsonstream.Document, error) { return s.Document(), nil })
}

func newBundle(g *cli.Globals) *cobra.Command {
	return newPrinter(g, &cobra.Command{
		Use:   "bundle NAME",
		Short: "Print a schema together with its references",
		Long: `Bundle prints a schema and all schemas that it refers to as one document, for validators
that do not follow references to other documents. NAME is the same as for "handoff
schema show".`,
		Example: `  handoff schema bundle handoff-message`,
	}, func(r *registry.Registry, s *registry.Schema) (*jsonstream.Document, error) {
		return registry.Bundle(s.Document(), s.URL(), r.Load, g.Limits)
	})
}

// newPrinter returns c with a run function that prints the result of document for one schema.
func newPrinter(g *cli.Globals, c *cobra.Command, document func(*registry.Registry, *registry.Schema) (*jsonstream.Document, error)) *cobra.Command {
	var dir string
	c.Args = cobra.ExactArgs(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		r, err := open(dir, g.Limits)
		if err != nil {
			return err
		}
		s, err := find(r, args[0])
		if err != nil {
			return err
		}
		doc, err := document(r, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		return g.WriteData("", c.OutOrStdout(), doc.Raw().Bytes)
	}
	registerAt(c, &dir)
	return c
}
