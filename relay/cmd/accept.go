package cmd

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/render"
)

// acceptFlags are the flags of accept.
type acceptFlags struct {
	receptionFlags
	format string
	resume bool
	exec   bool
}

func newAccept(g *cli.Globals) *cobra.Command {
	f := &acceptFlags{receptionFlags: receptionFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "accept [FILE|DIR|-]... [flags] [-- AGENT ARGS...]",
		Short: "Accept messages as a receiver, and record them",
		Long: `Accept is the receiver of EAAPL-MAG006 (sections 6.1 to 6.3, 7.2 and 11): it runs every
layer of validate, writes the record to the audit log, and then prints the message.
Accepted messages go to standard output unchanged, one per line, in input order, and
never before their record is durable; if the record cannot be written, no message
passes.

A message that was already accepted is a duplicate, and is not printed again, no matter
how many processes receive it. If the process that accepted it died before it handed the
message over, the next delivery of the message, or --resume, hands it over. A message
can therefore arrive twice after a crash: agents use its handoffId as the idempotency
key (docs/accepting.md).

With --personal-data, the data that a policy names is stored separately in the audit
log, encrypted and erasable (docs/audit.md); the printed message is unchanged.

With --exec, the program after -- runs once per message, with the message on standard
input. If accept is killed while the agent runs, the agent counts as failed: the task
returns to the sender or, with --rerun, the agent gets the message again.

Several receivers of a fan-out can share an audit log: --as, or the agentType of the
profile, distinguishes them.

Exit code 0: all were accepted or are duplicates; 1: at least one was rejected; 2: an
error.`,
		Example: `  consumer | handoff accept | agent
  handoff accept -f json --audit-log team.db queue/
  handoff accept --resume
  handoff accept --exec message.json -- agent --once`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.register(c)
	cli.RegisterFormat(c, &f.format, "output: messages (the accepted ones), or json (the answers to all messages)", []string{acceptMessages, acceptAnswers})
	flags.BoolVar(&f.resume, "resume", false, "first hand over messages accepted by processes that died; without FILE, only resume")
	flags.BoolVar(&f.options.Rerun, "rerun", false, "with --exec: hand over a message again if accept died while the agent ran; without this flag, the task returns to the sender")
	flags.BoolVar(&f.exec, "exec", false, "run the program after -- for every message")
	flags.DurationVar(&f.failWithin, "fail-within", 30*time.Second, "with --exec: period in which the failure of an agent rejects its message, so that the task returns to the sender")
	return c
}

// Values of accept's --format.
const (
	acceptMessages = "messages"
	acceptAnswers  = "json"
)

// split separates the arguments from the agent after "--".
func (f *acceptFlags) split(c *cobra.Command, args []string) (files, agent []string, err error) {
	files = args
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		files, agent = args[:dash], args[dash:]
	}
	switch {
	case f.exec && len(agent) == 0:
		return nil, nil, errors.New("--exec: name the agent after --, as in: handoff accept --exec message.json -- agent")
	case !f.exec && len(agent) > 0:
		return nil, nil, fmt.Errorf("%q after --: add --exec to run it", agent[0])
	case f.render != "" && len(files) > 0 && slices.Contains(cli.Names(render.Targets()), files[0]):
		return nil, nil, fmt.Errorf("--render %[1]s: write --render=%[1]s, or ./%[1]s for a file of this name", files[0])
	case f.resume && f.options.AtMostOnce:
		return nil, nil, errors.New("--resume hands over messages again that another process accepted, and --at-most-once never does: use one of them")
	}
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	if f.exec {
		if err := child.FindAgent(agent[0]); err != nil {
			return nil, nil, fmt.Errorf("--exec: %w", err)
		}
	}
	return files, agent, input.OneStdin(files, f.files()...)
}
