package program

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// A description describes a command of the other program for help, completion and settings.
type description struct {
	Use      string          `json:"use"`
	Short    string          `json:"short"`
	Long     string          `json:"long,omitzero"`
	Example  string          `json:"example,omitzero"`
	Flags    []describedFlag `json:"flags,omitzero"`
	Commands []description   `json:"commands,omitzero"`
}

type describedFlag struct {
	Name         string              `json:"name"`
	Shorthand    string              `json:"shorthand,omitzero"`
	Usage        string              `json:"usage"`
	Kind         string              `json:"kind"` // of the value, see [cli.KindOf]
	Default      string              `json:"default,omitzero"`
	NoOptDefault string              `json:"noOptDefault,omitzero"`
	Hidden       bool                `json:"hidden,omitzero"`
	Annotations  map[string][]string `json:"annotations,omitzero"`
}

// Describe returns the description of this program's commands for the other program.
func (p *Program) Describe() ([]byte, error) {
	var all []description
	for _, c := range Commands {
		if make := p.Make[c.Name]; make != nil {
			all = append(all, describe(make(cli.NewGlobals())))
		}
	}
	text, err := json.Marshal(all, json.Deterministic(true), jsontext.WithIndent("\t"))
	return append(text, '\n'), err
}

// name returns the name of the command.
func (d description) name() string { return strings.Fields(d.Use)[0] }

func describe(c *cobra.Command) description {
	d := description{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		d.Flags = append(d.Flags, describedFlag{f.Name, f.Shorthand, f.Usage, cli.KindOf(f.Value), f.DefValue, f.NoOptDefVal, f.Hidden, f.Annotations})
	})
	for _, sub := range c.Commands() {
		d.Commands = append(d.Commands, describe(sub))
	}
	return d
}

// description returns the description of a command of the other program.
func (p *Program) description(name string) description {
	if p.descriptions == nil {
		if err := json.Unmarshal(p.Others, &p.descriptions); err != nil {
			panic(fmt.Sprintf("the embedded description of commands: %v", err))
		}
	}
	for _, d := range p.descriptions {
		if d.name() == name {
			return d
		}
	}
	return description{Use: name} // before TestGenerated has written it
}

// AddFlagsOfOther adds to c the flags that exist only in the other program's command of the same name. It
// returns their names.
func (p *Program) AddFlagsOfOther(c *cobra.Command) []string {
	var names []string
	for _, f := range p.description(c.Name()).Flags {
		if c.Flags().Lookup(f.Name) == nil {
			c.Flags().AddFlag(f.flag())
			names = append(names, f.Name)
		}
	}
	return names
}

// stub returns a command with the help and flags of the description. args are the arguments of the call.
func (p *Program) stub(d description, args []string) *cobra.Command {
	c := p.other(&cobra.Command{Use: d.Use, Short: d.Short, Long: d.Long, Example: d.Example}, args)
	for _, f := range d.Flags {
		c.Flags().AddFlag(f.flag())
	}
	for _, sub := range d.Commands {
		c.AddCommand(p.stub(sub, args))
	}
	return c
}

// other makes the other program run a command with args.
func (p *Program) other(c *cobra.Command, args []string) *cobra.Command {
	c.DisableFlagParsing, c.Args = true, cobra.ArbitraryArgs
	c.PersistentPreRunE = func(*cobra.Command, []string) error { return nil } // the other program has its own
	c.RunE = func(c *cobra.Command, _ []string) error { return p.RunOther(c, args) }
	return c
}

func (f describedFlag) flag() *pflag.Flag {
	return &pflag.Flag{
		Name: f.Name, Shorthand: f.Shorthand, Usage: f.Usage, Value: cli.NewValue(f.Kind, f.Default),
		DefValue: f.Default, NoOptDefVal: f.NoOptDefault, Hidden: f.Hidden, Annotations: f.Annotations,
	}
}
