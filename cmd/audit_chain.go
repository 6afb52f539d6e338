package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/trace"
)

func newAuditChain(g *cli.Globals) *cobra.Command {
	f := &chainFlags{Globals: g}
	var log cli.AuditLogFlag
	c := &cobra.Command{
		Use:   "chain TASK",
		Short: "Check what became of a task, by the messages in the audit log",
		Long: `Chain checks the messages of a task that were accepted, as the audit log has them:
with the rules, the severities and the reports of "handoff chain". A message's place
is the number of its record.

Exit code 0: no finding is an error; 1: at least one is, or the log has no record of
the task; 2: the log or a message in it could not be read.`,
		Example:           `  handoff audit chain cc35de8b-6ece-4435-abfd-a60e12baff98`,
		ValidArgsFunction: cli.OneID(log.Recorded(cli.TaskID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			err := f.run(c, func(r *chainRun) error { return r.readLog(c, &log, args[0]) })
			if unknown := (*trace.UnknownTaskError)(nil); errors.As(err, &unknown) {
				term.PrintError(c.ErrOrStderr(), err)
				return cli.ErrNo
			}
			return err
		},
	}
	f.register(c)
	log.Register(c)
	log.RegisterArchive(c)
	return c
}

// readLog takes in the messages of a task that were accepted, and those of other tasks that
// they name as their parents. Only the task is reported on.
func (r *chainRun) readLog(c *cobra.Command, flag *cli.AuditLogFlag, id string) error {
	log, err := flag.Open(c.Context(), false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // it has written nothing
	r.progress.StartDoing("reading messages of the audit log", -1)
	defer r.progress.Stop()
	return log.Store().View(c.Context(), func(v audit.Reader) error {
		list, err := trace.Accepted(v, id)
		if err != nil {
			return err
		}
		for i := range list {
			m, err := trace.Chained(v, &list[i], r.limits)
			if err != nil {
				r.unread++
				r.checker.AddUnread(list[i].TaskID, list[i].HandoffID)
				r.progress.Fail(err)
				continue
			}
			r.checker.Add(m)
		}
		r.only = []string{id}
		return nil
	})
}
