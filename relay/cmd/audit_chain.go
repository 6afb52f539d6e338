package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/chain"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newAuditChain(g *cli.Globals) *cobra.Command {
	f := &chain.Flags{Globals: g}
	var log relayflags.AuditLogFlag
	c := &cobra.Command{
		Use:   "chain TASK",
		Short: "Check a task by its messages in the audit log",
		Long: `Chain checks the accepted messages of a task in the audit log, with the rules,
severities and reports of "handoff chain". The place of a message is the number of its
record.

Exit code 0: no errors; 1: at least one error, or the log has no record of the task; 2:
the log or a message in it could not be read.`,
		Example:           `  handoff audit chain cc35de8b-6ece-4435-abfd-a60e12baff98`,
		ValidArgsFunction: relayflags.OneID(log.Recorded(relayflags.TaskID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			err := f.Run(c, func(r *chain.Run) error { return readChain(c, r, &log, args[0], g.Limits) })
			if unknown := (*trace.UnknownTaskError)(nil); errors.As(err, &unknown) {
				term.PrintError(c.ErrOrStderr(), err)
				return cli.ErrNo
			}
			return err
		},
	}
	f.Register(c)
	log.Register(g, c)
	log.RegisterArchive(c)
	return c
}

// readChain adds the accepted messages of a task, and their parents in other tasks. The report covers only
// the task.
func readChain(c *cobra.Command, r *chain.Run, flag *relayflags.AuditLogFlag, id string, limits jsonstream.Limits) error {
	log, err := flag.Open(c.Context(), false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // read only: errors of Close do not matter
	r.Progress.StartDoing("reading messages of the audit log", -1)
	defer r.Progress.Stop()
	return log.Store().View(c.Context(), func(v audit.Reader) error {
		list, err := trace.Accepted(v, id)
		if err != nil {
			return err
		}
		for i := range list {
			m, err := trace.Chained(v, &list[i], limits)
			if err != nil {
				r.AddUnread(list[i].TaskID, list[i].HandoffID, err)
				continue
			}
			r.Add(m)
		}
		r.Only(id)
		return nil
	})
}
