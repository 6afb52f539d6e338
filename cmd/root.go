// Package cmd is the command line of handoff: flags, inputs, configuration and
// output. What it does with messages is in the packages under pkg.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Exit codes: yes, no, could not tell.
const (
	exitYes     = 0
	exitNo      = 1
	exitTrouble = 2
	exitPipe    = 128 + int(syscall.SIGPIPE)
)

// errNo says that the answer is no, and that it has been given.
var errNo = errors.New("the answer is no")

// errReported says that something could not be done, and that it has been told.
var errReported = errors.New("reported")

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
	g := newGlobals()
	go func() {
		s := (<-interrupts).(syscall.Signal)
		g.RemoveUnfinished()
		g.children.Close()
		if report := g.lastWords.Load(); report != nil {
			(*report)()
		}
		os.Exit(128 + int(s))
	}()

	delayCollection()
	root := newRootFor(g, os.Args[1:])
	err := root.ExecuteContext(context.Background())
	g.RemoveUnfinished()
	code := exitCode(err, root.ErrOrStderr())
	g.children.Close()
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

// exitCode tells the error and maps it to an exit code.
func exitCode(err error, stderr io.Writer) int {
	var h term.Hint
	switch {
	case err == nil:
		return exitYes
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, errReported):
		return exitTrouble
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	}
	term.PrintError(stderr, err)
	if errors.As(err, &h) {
		fmt.Fprintf(stderr, "handoff: hint: %s\n", term.Visible(h.Advice))
	}
	return exitTrouble
}

// globals are the flags of every command.
type globals struct {
	color    string
	limits   jsonstream.Limits
	maxRatio int64
	// maxFindings is how many findings, and how many errors, a run reports; 0 for any.
	maxFindings int

	*input.Reader
	*output.Files
	children  child.Set              // the processes that this run has started: none outlives it
	lastWords atomic.Pointer[func()] // what an interrupted run still has to say, nil for nothing
}

func newGlobals() *globals {
	c := &claim.Set{}
	return &globals{Reader: &input.Reader{Claims: c}, Files: &output.Files{Claims: c}}
}

func (g *globals) check() error {
	if d := g.limits.MaxDepth; d < 1 || d > jsonstream.MaxDepth {
		return fmt.Errorf("--max-depth %d: use 1 to %d", d, jsonstream.MaxDepth)
	}
	if g.maxRatio < 0 {
		return fmt.Errorf("--max-ratio %d: use 1 or more, or 0 for any", g.maxRatio)
	}
	if g.maxFindings < 0 {
		return fmt.Errorf("--max-findings %d: use 1 or more, or 0 for any", g.maxFindings)
	}
	return term.CheckColor(g.color)
}

// newProgress is [newProgress] with as many errors as the flags allow.
func (g *globals) newProgress(stderr io.Writer, wanted bool) *term.Progress {
	return term.NewProgress(stderr, wanted, g.maxFindings)
}

// limitsOfUnpacking returns how compressed input is to be read.
func (g *globals) limitsOfUnpacking() compress.ReaderOptions {
	o := compress.ReaderOptions{MaxBytes: g.limits.MaxBytes, MaxRatio: g.maxRatio}
	if g.maxRatio == 0 {
		o.MaxRatio = -1
	}
	return o
}

// A maker makes the command of a name, so that a call need not make those of other names.
type maker struct {
	name string
	make func(*globals) *cobra.Command
	// about tells that the command looks at the whole tree.
	about bool
}

// makers lists the commands.
func makers() []maker {
	return []maker{
		{name: "validate", make: newValidate}, {name: "build", make: newBuild}, {name: "inspect", make: newInspect},
		{name: "canonicalize", make: newCanonicalize}, {name: "sign", make: newSign}, {name: "verify", make: newVerify},
		{name: "keygen", make: newKeygen}, {name: "scan", make: newScan}, {name: "count", make: newCount},
		{name: "trim", make: newTrim}, {name: "diff", make: newDiff}, {name: "patch", make: newPatch},
		{name: "chain", make: newChain}, {name: "convert", make: newConvert},
		{name: "sw4rm", make: newSW4RM}, {name: "macp", make: newMACP}, {name: "openai", make: newOpenAI},
		{name: "compress", make: newCompress}, {name: "decompress", make: newDecompress},
		{name: "example", make: newExample}, {name: "explain", make: newExplain},
		{name: "config", make: newConfig, about: true}, {name: "commands", make: newCommands, about: true},
		{name: "version", make: newVersion}, {name: "man", make: newMan, about: true},
	}
}

// newRoot returns the command tree.
func newRoot() *cobra.Command { return newTree(newGlobals(), makers()) }

// newRootFor returns as much of the command tree as a call with these arguments sees: if
// the first one names a command that does not look at the tree, that one.
func newRootFor(g *globals, args []string) *cobra.Command {
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
func newTree(g *globals, makers []maker) *cobra.Command {
	root := &cobra.Command{
		Use:   "handoff",
		Short: "Build, validate, sign, compare and inspect the messages that AI agents hand to each other",
		Long: `handoff works on the handoff messages of EAAPL-MAG006, SW4RM, MACP and the OpenAI
Agents SDK: it builds them from an agent's state, signs and verifies them, validates
them as their receiver must, scans them for injected instructions, trims their
histories, compresses them, converts them from one system to another and back, shows
what is in them and what changed, and checks what was lost from one to the next.

Input is files, directories (*.json, *.jsonl, *.ndjson, also .gz and .zst) or
standard input: one message, JSON Lines or concatenated messages, plain, gzip or
zstd. Exit code 0 means yes, 1 means no, 2 that the question could not be
answered.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := g.configure(c); err != nil {
				return err
			}
			g.Unpacking = g.limitsOfUnpacking()
			return g.check()
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&g.color, "color", "auto", "colour the output: auto, always or never")
	flags.Var(newByteSize(&g.limits.MaxBytes, jsonstream.DefaultMaxBytes), "max-message-bytes", "size of the longest message, decompressed")
	flags.IntVar(&g.limits.MaxDepth, "max-depth", jsonstream.DefaultMaxDepth, "deepest nesting of a message")
	flags.Int64Var(&g.maxRatio, "max-ratio", compress.DefaultMaxRatio, "how many times its compressed size input may be long, beyond --max-message-bytes; 0 for any")
	flags.IntVar(&g.maxFindings, "max-findings", report.DefaultMaxFindings, "how many findings, and how many errors on stderr, a run writes; the others are counted; 0 for any")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return term.WithHint(err, fmt.Sprintf("%s --help shows what it takes", c.CommandPath()))
	})
	complete(root, "color", "auto", "always", "never")
	for _, m := range makers {
		root.AddCommand(m.make(g))
	}
	return root
}

// answer is what a run comes to: trouble if something could not be read, and
// otherwise yes or no.
func answer(unread int, no bool) error {
	switch {
	case unread > 0:
		return errReported
	case no:
		return errNo
	default:
		return nil
	}
}
