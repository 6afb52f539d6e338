// Package cmd is the command line of handoff: flags, inputs, configuration and
// output. What it does with messages is in the packages under pkg.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/a2a"
	"github.com/eaapl/handoff/cmd/audit"
	"github.com/eaapl/handoff/cmd/macp"
	"github.com/eaapl/handoff/cmd/openai"
	"github.com/eaapl/handoff/cmd/schema"
	"github.com/eaapl/handoff/cmd/session"
	"github.com/eaapl/handoff/cmd/sw4rm"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Exit codes: yes, no, no answer.
const (
	exitYes     = 0
	exitNo      = 1
	exitTrouble = 2
	exitSignal  = 128 // and its number
	exitPipe    = exitSignal + int(syscall.SIGPIPE)
)

// Main runs the command line and returns the exit code.
func Main() int {
	// Without this, a closed pipe would end the process before temporary files
	// are removed; with it, writing fails with EPIPE.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	interrupts := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // as nohup has it, and a shell for what runs in the background
			signal.Notify(interrupts, s)
		}
	}
	g, screen := cli.NewGlobals(), &term.Screen{}
	go func() {
		s := (<-interrupts).(syscall.Signal)
		for g.Pass(s) {
			s = (<-interrupts).(syscall.Signal)
		}
		g.RemoveUnfinished()
		g.Children.Close()
		screen.Clear()
		if report := g.LastWords.Load(); report != nil {
			(*report)()
		}
		os.Exit(exitSignal + int(s))
	}()

	delayCollection()
	root := newRootFor(g, os.Args[1:])
	if term.IsTerminal(os.Stderr) { // or there is no progress to show
		root.SetOut(screen.Stream(os.Stdout))
		root.SetErr(screen.Stream(os.Stderr))
	}
	return execute(g, root)
}

// execute runs the command line of root and returns the exit code. No temporary file and no child
// process is left.
func execute(g *cli.Globals, root *cobra.Command) int {
	err := root.ExecuteContext(context.Background())
	g.RemoveUnfinished()
	code := exitCode(err, root.ErrOrStderr())
	g.Children.Close()
	return code
}

// delayCollection lets the heap grow to 32 MB before garbage is collected for the first
// time: most calls end before. From then on it is collected as usual.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of the 4 MB that the runtime starts with
	first := new([64]byte)           // the first collection finds that nothing refers to it
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// exitCode prints the error and maps it to an exit code.
func exitCode(err error, stderr io.Writer) int {
	var h term.Hint
	if e := (*cli.SignalError)(nil); errors.As(err, &e) {
		return exitSignal + int(e.Signal)
	}
	code := exitTrouble
	switch {
	case err == nil:
		return exitYes
	case errors.Is(err, cli.ErrNo):
		code = exitNo
	case errors.Is(err, cli.ErrReported):
	case errors.Is(err, syscall.EPIPE) && !errors.As(err, new(*net.OpError)): // of a pipe, and not of a connection
		return exitPipe
	default:
		term.PrintError(stderr, err)
	}
	if errors.As(err, &h) {
		fmt.Fprintf(stderr, "handoff: hint: %s\n", term.Visible(h.Advice))
	}
	return code
}

// A maker makes the command of a name, so that a call need not make those of other names.
type maker struct {
	name  string
	group string // of which it is in the help
	make  func(*cli.Globals) *cobra.Command
	// about: the command looks at the whole tree.
	about bool
}

// makers lists the commands.
func makers() []maker {
	return []maker{
		{name: "new", group: making, make: newNew},
		{name: "build", group: making, make: newBuild},
		{name: "canonicalize", group: making, make: newCanonicalize},
		{name: "redact", group: making, make: newRedact},
		{name: "trim", group: making, make: newTrim},
		{name: "repair", group: making, make: newRepair},
		{name: "patch", group: making, make: newPatch},
		{name: "convert", group: making, make: newConvert},
		{name: "stream", group: making, make: newStream},
		{name: "compress", group: making, make: newCompress},
		{name: "decompress", group: making, make: newDecompress},
		{name: "validate", group: checking, make: newValidate},
		{name: "sign", group: checking, make: newSign},
		{name: "verify", group: checking, make: newVerify},
		{name: "keygen", group: checking, make: newKeygen},
		{name: "scan", group: checking, make: newScan},
		{name: "chain", group: checking, make: newChain},
		{name: "inspect", group: looking, make: newInspect},
		{name: "report", group: looking, make: newReport},
		{name: "count", group: looking, make: newCount},
		{name: "diff", group: looking, make: newDiff},
		{name: "render", group: looking, make: newRender},
		{name: "accept", group: delivering, make: newAccept},
		{name: "send", group: delivering, make: newSend},
		{name: "outbox", group: delivering, make: newOutbox},
		{name: "status", group: delivering, make: newStatus},
		{name: "rollback", group: delivering, make: newRollback},
		{name: "acks", group: delivering, make: newAcks},
		{name: "receive", group: delivering, make: newReceive},
		{name: "mcp", group: delivering, make: newMCP},
		{name: "dead-letter", group: delivering, make: newDeadLetter},
		{name: "serve", group: delivering, make: newServe},
		{name: "audit", group: delivering, make: func(g *cli.Globals) *cobra.Command { return audit.New(g, newAuditChain(g)) }},
		{name: "sw4rm", group: systems, make: func(g *cli.Globals) *cobra.Command { return sw4rm.New(g, newSW4RMPrepare(g)) }},
		{name: "macp", group: systems, make: macp.New},
		{name: "openai", group: systems, make: openai.New},
		{name: "a2a", group: systems, make: a2a.New},
		{name: "schema", group: systems, make: schema.New},
		{name: "session", group: systems, make: session.New},
		{name: "example", group: about, make: newExample},
		{name: "explain", group: about, make: newExplain},
		{name: "config", group: about, make: newConfig, about: true},
		{name: "doctor", group: about, make: newDoctor},
		{name: "commands", group: about, make: newCommands, about: true},
		{name: "version", group: about, make: newVersion},
		{name: "completion", group: about, make: newCompletion, about: true},
		{name: "man", group: about, make: newMan, about: true},
		{name: "help", group: about, make: newHelp, about: true},
	}
}

// newRoot returns the command tree.
func newRoot() *cobra.Command { return newTree(cli.NewGlobals(), makers()) }

// newRootFor returns as much of the command tree as a call with these arguments sees: if
// the first one names a command that does not look at the tree, that one.
func newRootFor(g *cli.Globals, args []string) *cobra.Command {
	all := makers()
	if len(args) > 0 {
		i := slices.IndexFunc(all, func(m maker) bool { return m.name == args[0] && !m.about })
		if i >= 0 {
			return newTree(g, all[i:i+1])
		}
	}
	return newTree(g, all)
}

// newTree returns a command tree of some commands.
func newTree(g *cli.Globals, makers []maker) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "handoff",
		Short: "Build, validate, sign, compare and inspect the messages that AI agents hand to each other",
		Long: `handoff works on the handoff messages of EAAPL-MAG006, SW4RM, MACP and the OpenAI
Agents SDK: it builds them from an agent's state, signs and verifies them, validates
them as their receiver must, scans them for injected instructions, trims their
histories, compresses them, converts them from one system to another and back, shows
what is in them and what changed, and checks what was lost from one to the next. The
documents are in docs/, and at https://github.com/eaapl/handoff.

Input is files, directories (*.json, *.jsonl, *.ndjson, also .gz and .zst) or
standard input: one message, JSON Lines or concatenated messages, plain, gzip or
zstd. Exit code 0 means yes, 1 means no, 2 that the question could not be
answered.`,
		Example: `  handoff example state | handoff build --from legal@2.1.0 --to scorer > message.json
  handoff validate message.json
  handoff inspect message.json`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := configure(g, c); err != nil {
				return err
			}
			g.Warnings = c.ErrOrStderr()
			g.Unpacking, g.Lines = g.LimitsOfUnpacking(), cli.TakesLines(c)
			if err := g.Check(); err != nil || c.CalledAs() == "" { // its words are completed: see audit's completion
				return err
			}
			return cli.CheckFlags(c)
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return writeVersion(c.OutOrStdout(), report.ReadVersion())
			}
			return c.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = writeHelp(c) }) // whose reader may be gone
	root.AddGroup(groups...)
	root.CompletionOptions.DisableDefaultCmd = true // newCompletion is more
	flags := root.PersistentFlags()
	flags.StringVar(&g.Color, "color", "auto", "colour the output: auto, always or never")
	flags.BoolVar(&g.Each, "each", false, "take each element of an array as a message by itself")
	flags.Var(cli.NewByteSize(&g.Limits.MaxBytes, jsonstream.DefaultMaxBytes), "max-message-bytes", "size of the longest message, decompressed")
	flags.IntVar(&g.Limits.MaxDepth, "max-depth", jsonstream.DefaultMaxDepth, "deepest nesting of a message")
	flags.Int64Var(&g.MaxRatio, "max-ratio", compress.DefaultMaxRatio, "how many times its compressed size input may be long, beyond --max-message-bytes; 0 for any")
	flags.IntVar(&g.MaxFindings, "max-findings", report.DefaultMaxFindings, "how many findings, and how many errors on stderr, a run writes; the others are counted; 0 for any")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		err = cli.FlagError(c, err)
		if errors.As(err, new(term.Hint)) {
			return err
		}
		return term.WithHint(err, fmt.Sprintf("%s --help shows what it takes", c.CommandPath()))
	})
	cli.Complete(root, "color", "auto", "always", "never")
	for _, m := range makers {
		c := m.make(g)
		c.GroupID = m.group
		if m.name == "help" {
			root.SetHelpCommand(c)
		}
		root.AddCommand(c)
	}
	cli.PlainErrors(root)
	return root
}
