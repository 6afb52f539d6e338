// Package look implements the commands that display messages in other ways: count, render and report.
package look

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// reportFlags are the flags of report.
type reportFlags struct {
	*cli.Globals
	cli.FormatFlag
	receiver    cli.ReceiverFlags
	scanner     cli.ScannerFlags
	checks      cli.ChainFlags
	severities  cli.SeverityFlags
	title       string
	output      string
	showSecrets bool
}

func NewReport(g *cli.Globals) *cobra.Command {
	f := &reportFlags{Globals: g}
	c := &cobra.Command{
		Use:   "report [FILE|DIR|-]... -o FILE.html",
		Short: "Write an HTML report of tasks, their handoffs and losses",
		Long: `Report reads messages, in any order, and writes one self-contained HTML file, which
needs no network: each task as a tree and as a timeline, each agent's spending, the
losses of each handoff, the message of each handoff, its difference from the message
that its sender received, and the findings next to the text that they refer to.

The findings come from "handoff chain" and "handoff validate". Each message that is not
canonical is shown as a separate handoff. Message text remains text: the page neither
executes nor loads any of it. Credentials are masked by asterisks, unless --show-secrets
is set. The same messages produce the same bytes. The lists count all findings, and show
up to --max-findings of them.

Exit code 0: the page was written, whatever its findings; 2: an input could not be read,
which the page reports, or the page could not be written.`,
		Example: `  handoff report archive/ -o report.html
  producer | handoff report -o report.html
  handoff report --title "Nightly run" relay.jsonl -o report.html`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.FormatFlag.Register(c)
	f.receiver.Register(c)
	f.scanner.Register(c)
	f.checks.Register(c)
	f.severities.Register(c, "warning, or rule of a chain", reportRules)
	c.Flags().StringVar(&f.title, "title", "", "page `TITLE` (default: the description of the only task, or the names of the sources)")
	c.Flags().BoolVar(&f.showSecrets, "show-secrets", false, "show credentials in messages in plain text")
	cli.OnlyForCall(c, "show-secrets")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the page to `FILE`")
	return c
}

func (f *reportFlags) run(c *cobra.Command, args []string) error {
	if f.output == "" && term.IsTerminal(c.OutOrStdout()) {
		return errors.New("the page is not written to a terminal: name a file with -o, such as -o report.html")
	}
	if err := input.OneStdin(args, append(f.receiver.Keys.Files, f.receiver.Profile, f.scanner.Rules)...); err != nil {
		return err
	}
	profile, err := f.receiver.Load(f.Globals, c.InOrStdin())
	if err != nil {
		return err
	}
	verifier, err := f.receiver.Verifier(f.Globals, c, profile)
	if err != nil {
		return err
	}
	severities, err := f.severities.Load(c)
	if err != nil {
		return err
	}
	checks, err := f.checks.Options(severities, f.severities.Strict)
	if err != nil {
		return err
	}
	scanner, err := f.scanner.Load(f.Globals, c)
	if err != nil {
		return err
	}
	list := f.Sources(args, c.InOrStdin(), c.ErrOrStderr())
	return scanner.Close(f.write(c, list, validate.New(validate.Options{
		Formats: f.Formats(), All: true, Receiver: profile, Verifier: verifier, Scanner: scanner.Scanner, Allow: scanner.Allow, Limits: f.Limits,
		Severities: severities, Strict: f.severities.Strict,
	}), collect.Options{
		Title: term.Visible(cmp.Or(f.title, titleOf(list))), Version: report.BuildVersion(), Rules: report.Rules(), Limits: f.Limits,
		Chain: checks, Secrets: f.showSecrets, Verifies: verifier != nil, MaxFindings: f.MaxFindings,
		Doubt: tasktree.Doubt, Commands: messageCommands, Command: chainCommand(checks),
	}))
}

// reportRules are the rules with configurable severities.
func reportRules() []finding.Rule { return append(cli.WarningRules(), chain.Rules()...) }

// write writes the page.
func (f *reportFlags) write(c *cobra.Command, list []input.Source, validator *validate.Validator, o collect.Options) error {
	out, err := f.OpenPart(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	var spool report.Spool
	defer spool.Close()
	messages, err := collect.NewMessages(o, &spool)
	if err != nil {
		return out.Close(err)
	}
	unread, err := f.read(c, list, validator, messages)
	if err == nil {
		page := messages.Page()
		if tasks := page.Index.Tasks; f.title == "" && len(tasks) == 1 && tasks[0].ID != "" {
			page.Index.Title = cmp.Or(page.Index.Handoffs[tasks[0].First].Title, page.Index.Title)
		}
		err = f.make(c, page, out)
	}
	return cli.Answer(out.Close(err), unread, false)
}

// titleOf returns a title that names the sources.
func titleOf(list []input.Source) string {
	switch len(list) {
	case 0:
		return "Handoffs"
	case 1:
		return "Handoffs of " + filepath.Base(list[0].Name)
	}
	return fmt.Sprintf("Handoffs of %s", term.Plural(len(list), "file"))
}

// A reportOutcome is the message of a document, or the reason why there is none.
type reportOutcome struct {
	message *collect.Message
	err     error
}

// read reads every document of the sources. It returns the number of unreadable documents and sources.
func (f *reportFlags) read(c *cobra.Command, list []input.Source, validator *validate.Validator, messages *collect.Messages) (unread int, err error) {
	progress := f.NewProgress(c.ErrOrStderr())
	work := func(batch []input.Document) []reportOutcome {
		all := make([]reportOutcome, 0, len(batch))
		for _, d := range batch {
			all = append(all, f.examine(c, d, validator, messages))
		}
		return all
	}
	err = input.Process(list, f.Limits, progress, work, func(all []reportOutcome) error {
		for _, e := range all {
			progress.Message()
			if cli.ClassifierFailed(e.err) {
				return e.err
			}
			if e.err != nil {
				unread++
				if progress.Fail(e.err) {
					messages.Unread(term.WithoutSecrets(e.err.Error()))
				}
				continue
			}
			if err := messages.Add(e.message); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return nil })
	return unread, err
}

// examine examines one document. It may run concurrently.
func (f *reportFlags) examine(c *cobra.Command, d input.Document, validator *validate.Validator, messages *collect.Messages) reportOutcome {
	if d.Unreadable() || len(d.Raw.Bytes) == 0 {
		_, err := d.Parse(f.Limits) // the error names the source
		return reportOutcome{err: err}
	}
	_, result, err := validator.ValidateRaw(c.Context(), d.Raw, f.Limits)
	if err != nil {
		return reportOutcome{err: err}
	}
	return reportOutcome{message: messages.Examine(d.Raw, chain.Place{Source: d.Source.Name, Index: d.Index, Line: d.Raw.Start.Line}, result)}
}

// make writes a page and shows its progress.
func (f *reportFlags) make(c *cobra.Command, page collect.Page, out *output.File) error {
	progress := f.StartDoing(c.ErrOrStderr(), "writing the page", -1)
	defer progress.Stop()
	return viewer.Write(out, page.Index, page.Details)
}
