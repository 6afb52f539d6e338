package cmd

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	pkgaudit "github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/cmd/audit"
	"github.com/eaapl/handoff/relay/cmd/rooted"
	"github.com/eaapl/handoff/relay/mcp"
	"github.com/eaapl/handoff/relay/receiver"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	receptionFlags
	roots       []string
	listening   listeningFlags
	concurrency int
}

func newMCP(g *cli.Globals) *cobra.Command {
	f := &mcpFlags{receptionFlags: receptionFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools of handoff to models over the Model Context Protocol",
		Long: `Mcp is a Model Context Protocol server. Its tools build, validate, scan, trim, count,
compare, convert and render messages; its resources are the schemas, rules and examples;
its prompts explain how to send and how to take over a task.

By default, it serves its parent process on standard input and output, until the input
is closed. With --listen, it serves all clients with its token, over streamable HTTP at
/mcp. The token comes from --token-file or HANDOFF_TOKEN; otherwise a new one is printed
on stderr.

Tools read and write files only in the folders of --root; without --root, messages are
passed inline. With --audit-log, there are also the tool accept, which receives and
records messages, and the tool trace, which shows tasks. docs/mcp.md explains how to add
the server to a client.

Exit code 0: the client has disconnected, or with --listen a signal has stopped the
server; 2: an error.`,
		Example: `  handoff mcp
  handoff mcp --root archive/ --audit-log team.db
  handoff mcp --listen 127.0.0.1:8080 --token-file token.txt`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "`DIR` whose files tools may read and write; may be repeated")
	f.listening.register(c, "", "`HOST:PORT` for HTTP instead of standard input and output; port 0 for any free port")
	flags.IntVar(&f.concurrency, "concurrency", 0, "maximum number of concurrent tools; 0 for one per core")
	f.checks.register(c)
	f.log.Register(g, c)
	f.personal.Register(g, c)
	return c
}

func (f *mcpFlags) run(c *cobra.Command) error {
	switch {
	case f.concurrency < 0:
		return fmt.Errorf("--concurrency %d: use 1 or more, or 0 for one for each core", f.concurrency)
	case f.personal.Policy != "" && f.log.Address == "":
		return errors.New("--personal-data requires --audit-log")
	}
	files := append(f.files(), f.listening.tokenFile)
	if f.listening.address == "" {
		for _, name := range []string{"token-file", "host", "tls-cert", "tls-key"} {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s requires --listen: without it, no token is needed", name)
			}
		}
		for _, file := range files {
			if file == "-" {
				return errors.New("-: standard input carries the protocol: name a file")
			}
		}
	}
	if err := input.OneStdin(nil, files...); err != nil {
		return err
	}
	o := mcp.Options{
		Version: report.ReadVersion().Version, Limits: f.Limits, Concurrency: f.concurrency, Rules: report.Rules,
	}
	if len(f.roots) > 0 {
		folders, err := rooted.Open(f.roots, f.LimitsOfUnpacking())
		if err != nil {
			return fmt.Errorf("--root: %w", err)
		}
		defer folders.Close() // nothing to flush
		o.Files = folders
	}
	if f.log.Address == "" {
		_, scanner, err := f.checks.validator(f.Globals, c, false)
		if err != nil {
			return err
		}
		return scanner.Close(f.serve(c, o))
	}
	var store pkgaudit.Store
	f.measured = func(s pkgaudit.Store) pkgaudit.Store { store = s; return s }
	return f.withReceiver(c, true, func(r *receiver.Receiver) error {
		o.Receiver = r
		log := pkgaudit.NewLog(store, nil)
		o.Trace = func(ctx context.Context, task string) ([]byte, error) {
			return audit.Task(ctx, log, f.personal.Keys, task)
		}
		return f.serve(c, o)
	})
}

// serve serves clients until they have disconnected.
func (f *mcpFlags) serve(c *cobra.Command, o mcp.Options) error {
	o.Checks = f.checks.options
	if o.Checks.Receiver == nil {
		o.Checks.Formats = nil // formats of all systems
	}
	s := mcp.New(o)
	if f.listening.address == "" {
		return s.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout())
	}
	listener, err := f.listening.listen(f.Globals, c)
	if err != nil {
		return err
	}
	mux := nethttp.NewServeMux()
	mux.Handle("/mcp", s.Handler(listener.guard))
	at := "listening at " + listener.url("/mcp")
	if listener.token != "" {
		at += "\nhandoff: bearer token: " + listener.token
	}
	return listener.serve(f.Globals, c, mux, at)
}
