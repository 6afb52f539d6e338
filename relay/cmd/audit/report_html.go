package audit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// pageFlags are the flags for the page of a task.
type pageFlags struct {
	*cli.Globals
	keys        relayflags.SubjectKeysFlag
	checks      cli.ChainFlags
	html        bool
	showSecrets bool
}

func (f *pageFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.html, "html", false, "write an HTML page instead of an archive")
	c.Flags().BoolVar(&f.showSecrets, "show-secrets", false, "show credentials in messages in plain text")
	cli.OnlyForCall(c, "html", "show-secrets")
	f.keys.Register(f.Globals, c)
	f.checks.Register(c)
}

// run writes the page of a task.
func (f *pageFlags) run(c *cobra.Command, log *relayflags.AuditLogFlag, task, path string) error {
	if path == "" && term.IsTerminal(c.OutOrStdout()) {
		return errors.New("an HTML page is not written to a terminal: name a file with -o, such as -o task.html")
	}
	checks, err := f.checks.Options(nil, false)
	if err != nil {
		return err
	}
	return withLog(c, log, func(l *audit.Log) error {
		progress := atWork(f.Globals, c)
		defer progress.Stop()
		sealer := f.keys.Sealer(l)
		defer sealer.Close() // read only: errors of Close do not matter
		return l.Store().View(c.Context(), func(r audit.Reader) error {
			reader := personal.NewReader(c.Context(), r, sealer, false)
			page, err := records.Read(c.Context(), reader, task, PageOptions(f.Globals, reader, checks, f.showSecrets))
			if err != nil {
				return answered(c.ErrOrStderr(), err)
			}
			page.Index.Title = "Task " + term.Visible(page.Index.Tasks[0].ID)
			out, err := f.OpenData(path, c.OutOrStdout())
			if err != nil {
				return err
			}
			for _, err := range page.Unread {
				progress.Fail(err)
			}
			return cli.Answer(out.Close(viewer.Write(out, page.Index, page.Details)), len(page.Unread), false)
		})
	})
}

// PageOptions returns the options for the page of a task from the records of a log.
func PageOptions(g *cli.Globals, r audit.Reader, checks chain.Options, showSecrets bool) records.Options {
	return records.Options{
		Options: collect.Options{
			Version: report.BuildVersion(), Rules: report.Rules(), Chain: checks,
			Limits: g.Limits, Secrets: showSecrets, Doubt: tasktree.Doubt, Commands: recordCommands, Command: traceCommand,
		},
		Facts: func(s *audit.Stored) ([]viewer.Fact, error) {
			erased, err := erasure(r, s)
			return factsOf(s, erased), err
		},
	}
}

// recordCommands are shell commands that show parts of a handoff.
func recordCommands(s collect.Subject) []viewer.Command {
	list := []viewer.Command{}
	if s.ID != "" {
		list = append(list, viewer.Command{Shows: "its records", Line: "handoff audit show " + cli.ShellWord(s.ID)})
	}
	message := fmt.Sprint("handoff audit show --message ", s.Recorded)
	return append(list,
		viewer.Command{Shows: "the message", Line: message + " | handoff inspect"},
		viewer.Command{Shows: "its findings", Line: message + " | handoff validate"},
		viewer.Command{Shows: "the task", Line: traceCommand(s.TaskID, nil)},
	)
}

func traceCommand(taskID string, _ []string) string {
	return "handoff audit trace " + cli.ShellWord(taskID)
}
