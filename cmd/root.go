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
	"syscall"

	"github.com/spf13/cobra"

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

// A hint is an error with advice for the next line.
type hint struct {
	error
	advice string
}

func (h hint) Unwrap() error { return h.error }

// Main runs the command line and returns the exit code.
func Main() int {
	// Without this, a closed pipe would end the process before temporary files
	// are removed; with it, writing fails with EPIPE.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-interrupts
		removeUnfinished()
		code := 128 + int(syscall.SIGTERM)
		if s == os.Interrupt {
			code = 128 + int(syscall.SIGINT)
		}
		os.Exit(code)
	}()

	root := newRoot()
	err := root.ExecuteContext(context.Background())
	removeUnfinished()
	return exitCode(err, root.ErrOrStderr())
}

// exitCode tells the error and maps it to an exit code.
func exitCode(err error, stderr io.Writer) int {
	var h hint
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
	printError(stderr, err)
	if errors.As(err, &h) {
		fmt.Fprintf(stderr, "handoff: hint: %s\n", visibleLines(h.advice))
	}
	return exitTrouble
}

// printError tells an error, which may name files and words of any characters.
func printError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "handoff: %s\n", visibleLines(err.Error()))
}

// globals are the flags of every command.
type globals struct {
	color    string
	limits   jsonstream.Limits
	maxRatio int64
}

func (g *globals) check() error {
	if d := g.limits.MaxDepth; d < 1 || d > jsonstream.MaxDepth {
		return fmt.Errorf("--max-depth %d: use 1 to %d", d, jsonstream.MaxDepth)
	}
	if g.maxRatio < 0 {
		return fmt.Errorf("--max-ratio %d: use 1 or more, or 0 for any", g.maxRatio)
	}
	return checkColor(g.color)
}

// unpacking returns how compressed input is to be read.
func (g *globals) unpacking() compress.ReaderOptions {
	o := compress.ReaderOptions{MaxBytes: g.limits.MaxBytes, MaxRatio: g.maxRatio}
	if g.maxRatio == 0 {
		o.MaxRatio = -1
	}
	return o
}

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	g := &globals{}
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
			if err := configure(c); err != nil {
				return err
			}
			unpacking = g.unpacking()
			return g.check()
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&g.color, "color", "auto", "colour the output: auto, always or never")
	flags.Var(newByteSize(&g.limits.MaxBytes, jsonstream.DefaultMaxBytes), "max-message-bytes", "size of the longest message, decompressed")
	flags.IntVar(&g.limits.MaxDepth, "max-depth", jsonstream.DefaultMaxDepth, "deepest nesting of a message")
	flags.Int64Var(&g.maxRatio, "max-ratio", compress.DefaultMaxRatio, "how many times its compressed size input may be long, beyond --max-message-bytes; 0 for any")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hint{err, fmt.Sprintf("%s --help shows what it takes", c.CommandPath())}
	})
	complete(root, "color", "auto", "always", "never")
	root.AddCommand(
		newValidate(g), newBuild(g), newInspect(g),
		newCanonicalize(g), newSign(g), newVerify(g), newKeygen(), newScan(g), newCount(g), newTrim(g),
		newDiff(g), newPatch(g), newChain(g), newConvert(g),
		newSW4RM(g), newMACP(g), newOpenAI(g),
		newCompress(g), newDecompress(g),
		newExample(), newExplain(), newConfig(), newCommands(), newVersion(), newMan(),
	)
	return root
}
