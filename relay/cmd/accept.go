package cmd

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/child"
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
		Short: "Accept messages as their receiver, and record it",
		Long: `Accept is the receiver of EAAPL-MAG006 (sections 6.1 to 6.3, 7.2 and 11): every layer
of validate, then the record in the audit log, then the message. Accepted messages go to
standard output as they came, one a line, in the order of the input, and none before its
record is durable; if the record cannot be written, nothing passes.

A message that was accepted before is a duplicate, and not printed again, whatever the
number of processes that get it. One that was accepted by a process that died before it
had handed the message over is handed over by the next attempt that brings it, or by
--resume. So a message may come twice after a crash: agents use its handoffId as their
idempotency key (docs/accepting.md).

With --personal-data, what a policy names is kept apart in the audit log, encrypted, so
that it can be erased (docs/audit.md); what is printed is the message as it came.

With --exec the program after -- runs once for every message, which it reads from its
standard input. If accept itself is killed meanwhile, its agent is taken to have failed:
then the task is the sender's again, or with --rerun the agent gets the message again.

Several receivers may share an audit log and get a copy of one message each: --as, or
the agentType of the profile, tells them apart.

Exit code 0: all accepted, or duplicates; 1: at least one was rejected; 2: trouble.`,
		Example: `  consumer | handoff accept | agent
  handoff accept -f json --audit-log team.db queue/
  handoff accept --resume
  handoff accept --exec message.json -- agent --once`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.register(c)
	cli.RegisterFormat(c, &f.format, "what to print: messages (those accepted), or json (the answers to all)", []string{acceptMessages, acceptAnswers})
	flags.BoolVar(&f.resume, "resume", false, "first hand over what was accepted by processes that died; without FILE that is all")
	flags.BoolVar(&f.options.Rerun, "rerun", false, "hand over again what an agent of --exec had that ended with its receiver; without it the task is the sender's again")
	flags.BoolVar(&f.exec, "exec", false, "run the program after -- for every message")
	flags.DurationVar(&f.failWithin, "fail-within", 30*time.Second, "with --exec: an agent that fails so soon rejects the message, and the task is the sender's again")
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
		return nil, nil, errors.New("--resume hands over again what another process had accepted, and --at-most-once never does: use one of them")
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
