package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	nethttp "net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/audit"
	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/rooted"
	pkgaudit "github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/mcpserver"
	"github.com/eaapl/handoff/pkg/receiver"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	receptionFlags
	roots       []string
	listen      string
	tokenFile   string
	concurrency int
}

func newMCP(g *cli.Globals) *cobra.Command {
	f := &mcpFlags{receptionFlags: receptionFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve what handoff does to models, by the Model Context Protocol",
		Long: `Mcp is a server of the Model Context Protocol. Its tools build, validate, scan, trim,
count, compare, convert and render messages, its resources are the schemas, rules and
examples, and its prompts say how to hand a task over and how to take one over.

It serves the program that has started it, by standard input and output, until that
closes its side; or with --listen any that know its token, by streamable HTTP at /mcp.
The token is that of --token-file, or a new one, which is printed on stderr.

No file is read or written outside the folders of --root; without one, messages are
given and returned inline. With --audit-log, the tool accept receives messages and
records that, and the tool trace looks tasks up; without it there is neither.
docs/mcp.md says how to add it to a client.

Exit code 0: the client has ended; 2: trouble.`,
		Example: `  handoff mcp
  handoff mcp --root messages/ --audit-log team.db
  handoff mcp --listen 127.0.0.1:8080 --token-file token.txt`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "a `DIR` whose files tools may read and write; may be repeated")
	flags.StringVar(&f.listen, "listen", "", "serve HTTP at this `ADDRESS`, such as 127.0.0.1:8080 or :8080, which is the same, in place of standard input and output")
	flags.StringVar(&f.tokenFile, "token-file", "", "the bearer token that clients need with --listen, in a `FILE` (default: a new one)")
	flags.IntVar(&f.concurrency, "concurrency", 0, "how many tools may run at once; 0 for one for each core")
	f.checks.register(c)
	f.log.Register(c)
	f.personal.Register(c)
	return c
}

func (f *mcpFlags) run(c *cobra.Command) error {
	switch {
	case f.concurrency < 0:
		return fmt.Errorf("--concurrency %d: use 1 or more, or 0 for one for each core", f.concurrency)
	case f.tokenFile != "" && f.listen == "":
		return errors.New("--token-file: a token is for --listen; who starts the server needs none")
	case f.personal.Policy != "" && f.log.Address == "":
		return errors.New("--personal-data is for --audit-log")
	}
	files := append(f.files(), f.tokenFile)
	if f.listen == "" {
		for _, file := range files {
			if file == "-" {
				return errors.New("-: standard input is for the protocol: name a file")
			}
		}
	}
	if err := input.OneStdin(nil, files...); err != nil {
		return err
	}
	o := mcpserver.Options{
		Version: report.ReadVersion().Version, Limits: f.Limits, Concurrency: f.concurrency, Rules: report.Rules,
	}
	if len(f.roots) > 0 {
		folders, err := rooted.Open(f.roots, f.LimitsOfUnpacking())
		if err != nil {
			return fmt.Errorf("--root: %w", err)
		}
		defer folders.Close() // nothing is unwritten
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

// serve serves clients until they have ended.
func (f *mcpFlags) serve(c *cobra.Command, o mcpserver.Options) error {
	o.Checks = f.checks.options
	if o.Checks.Receiver == nil {
		o.Checks.Formats = nil // those of any system
	}
	s := mcpserver.New(o)
	if f.listen == "" {
		return s.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout())
	}
	address := f.listen
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s: write ADDRESS:PORT, such as 127.0.0.1:8080", f.listen)
	}
	token, err := loadToken(f.Globals, c, f.tokenFile)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(c.Context(), "tcp", address)
	if err != nil {
		if e := (*net.OpError)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "handoff: listening at http://%s/mcp\n", listener.Addr())
	if token == "" {
		token = rand.Text()
		fmt.Fprintf(c.ErrOrStderr(), "handoff: bearer token: %s\n", token)
	}
	mux := nethttp.NewServeMux()
	mux.Handle("/mcp", s.Handler(token, host))
	server := &nethttp.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	return server.Serve(listener)
}
