package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Program is one of the two programs, handoff or handoff-relay. Users see a single tree of the commands of
// both.
type Program struct {
	// Make has the functions that create this program's commands, by their names in [Commands].
	Make map[string]func(*cli.Globals) *cobra.Command
	// Others is the output of [Program.Describe] of the other program.
	Others []byte
	// RunOther runs a command line of the other program. The error may be an [ExitError].
	RunOther func(c *cobra.Command, args []string) error

	descriptions []description // Others, parsed on first use
}

// A Command is a command below the root of the tree.
type Command struct {
	Name  string
	Group string // in the help
	// WholeTree reports that the command needs the whole tree.
	WholeTree bool
}

// Commands lists the commands of both programs.
var Commands = []Command{
	{Name: "new", Group: making},
	{Name: "build", Group: making},
	{Name: "canonicalize", Group: making},
	{Name: "redact", Group: making},
	{Name: "trim", Group: making},
	{Name: "repair", Group: making},
	{Name: "patch", Group: making},
	{Name: "convert", Group: making},
	{Name: "stream", Group: making},
	{Name: "compress", Group: making},
	{Name: "decompress", Group: making},
	{Name: "validate", Group: checking},
	{Name: "sign", Group: checking},
	{Name: "verify", Group: checking},
	{Name: "keygen", Group: checking},
	{Name: "scan", Group: checking},
	{Name: "hook", Group: checking},
	{Name: "chain", Group: checking},
	{Name: "check-claims", Group: checking},
	{Name: "vectors", Group: checking},
	{Name: "inspect", Group: looking},
	{Name: "report", Group: looking},
	{Name: "count", Group: looking},
	{Name: "diff", Group: looking},
	{Name: "render", Group: looking},
	{Name: "accept", Group: delivering},
	{Name: "send", Group: delivering},
	{Name: "outbox", Group: delivering},
	{Name: "status", Group: delivering},
	{Name: "rollback", Group: delivering},
	{Name: "acks", Group: delivering},
	{Name: "receive", Group: delivering},
	{Name: "mcp", Group: delivering},
	{Name: "dead-letter", Group: delivering},
	{Name: "serve", Group: delivering},
	{Name: "audit", Group: delivering},
	{Name: "sw4rm", Group: systems},
	{Name: "macp", Group: systems},
	{Name: "openai", Group: systems},
	{Name: "a2a", Group: systems},
	{Name: "schema", Group: systems},
	{Name: "session", Group: systems},
	{Name: "example", Group: about},
	{Name: "explain", Group: about},
	{Name: "config", Group: about, WholeTree: true},
	{Name: "doctor", Group: about, WholeTree: true},
	{Name: "install", Group: about},
	{Name: "commands", Group: about, WholeTree: true},
	{Name: "version", Group: about},
	{Name: "completion", Group: about, WholeTree: true},
	{Name: "man", Group: about, WholeTree: true},
	{Name: "help", Group: about, WholeTree: true},
}

// Root returns the tree of all commands.
func (p *Program) Root() *cobra.Command { return p.tree(cli.NewGlobals(), Commands, nil) }

// RootFor returns the part of the tree that a call with these arguments needs: only the command that the
// first one names, unless that command needs the whole tree.
func (p *Program) RootFor(g *cli.Globals, args []string) *cobra.Command {
	if len(args) == 0 {
		return p.tree(g, Commands, args)
	}
	find := func(name string) int {
		return slices.IndexFunc(Commands, func(c Command) bool { return c.Name == name && !c.WholeTree })
	}
	i, completes := find(args[0]), strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) && len(args) > 2
	switch {
	case i >= 0 && p.Make[args[0]] == nil, completes && find(args[1]) >= 0 && p.Make[args[1]] == nil: // its description is not needed
		root := p.tree(g, nil, nil)
		root.AddCommand(p.other(&cobra.Command{Use: args[0]}, args))
		return root
	case i < 0:
		return p.tree(g, Commands, args)
	default:
		return p.tree(g, Commands[i:i+1], args)
	}
}

// Settings returns the tree whose flags are the settings.
func (p *Program) Settings() settings.Tree {
	return settings.Tree{
		All: p.Root,
		Some: func(names []string) *cobra.Command {
			var some []Command
			for _, c := range Commands {
				if slices.Contains(names, c.Name) {
					some = append(some, c)
				}
			}
			return p.tree(cli.NewGlobals(), some, nil)
		},
	}
}

// tree returns a tree with the given commands. args are the arguments of the call.
func (p *Program) tree(g *cli.Globals, commands []Command, args []string) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "handoff",
		Short: "Build, check, sign, convert and deliver messages between AI agents",
		Long: `handoff builds, checks, signs, compares, converts and delivers the messages that AI
agents hand to each other: EAAPL-MAG006, SW4RM, MACP, the OpenAI Agents SDK and others.

Input: files, directories (*.json, *.jsonl, *.ndjson) or standard input; one or more
messages, plain, .gz or .zst. Exit code: 0 yes, 1 no, 2 error.`,
		Example: `  handoff example state | handoff build --from legal@2.1.0 --to scorer > message.json
  handoff validate message.json`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := p.Settings().Configure(g, c); err != nil {
				return err
			}
			g.Warnings = c.ErrOrStderr()
			g.Unpacking, g.Lines = g.LimitsOfUnpacking(), cli.TakesLines(c)
			if err := g.Check(); err != nil || c.CalledAs() == "" { // during completion: see audit's completion
				return err
			}
			return cli.CheckFlags(c)
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return WriteVersion(c.OutOrStdout(), report.ReadVersion())
			}
			return c.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { g.HelpError = writeHelp(c) })
	root.AddGroup(groups...)
	root.CompletionOptions.DisableDefaultCmd = true // NewCompletion replaces it
	flags := root.PersistentFlags()
	flags.StringVar(&g.Color, "color", "auto", "colour of the output: auto, always or never")
	flags.BoolVar(&g.Each, "each", false, "read each element of an array as a separate message")
	flags.Var(cli.NewByteSize(&g.Limits.MaxBytes, jsonstream.DefaultMaxBytes), "max-message-bytes", "maximum size of a message, decompressed")
	flags.IntVar(&g.Limits.MaxDepth, "max-depth", jsonstream.DefaultMaxDepth, "maximum nesting depth of a message")
	flags.Int64Var(&g.MaxRatio, "max-ratio", compress.DefaultMaxRatio, "maximum decompression ratio, for input over --max-message-bytes; 0 for no limit")
	flags.IntVar(&g.MaxFindings, "max-findings", report.DefaultMaxFindings, "maximum number of findings, and of errors on stderr, to print; others are only counted; 0 for no limit")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		err = cli.FlagError(c, err)
		if errors.As(err, new(term.Hint)) {
			return err
		}
		return term.WithHint(err, fmt.Sprintf("%s --help shows its arguments and flags", c.CommandPath()))
	})
	cli.Complete(root, "color", "auto", "always", "never")
	for _, m := range commands {
		var c *cobra.Command
		if make := p.Make[m.Name]; make != nil {
			c = make(g)
		} else {
			c = p.stub(p.description(m.Name), args)
		}
		c.GroupID = m.Group
		if m.Name == "help" {
			root.SetHelpCommand(c)
		}
		root.AddCommand(c)
	}
	cli.PlainErrors(root)
	return root
}
