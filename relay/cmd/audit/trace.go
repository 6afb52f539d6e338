package audit

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/audit/trace/otlp"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newTrace(g *cli.Globals) *cobra.Command {
	f := &readFlags{Globals: g}
	c := &cobra.Command{
		Use:   "trace TASK",
		Short: "Reconstruct the history of a task from the audit log",
		Long: `Trace reconstructs a task (EAAPL-MAG006, section 8.2): the tree of its handoffs, the
records of each, the time of acceptance and the running time of the agent, the cost, the
receiver's input and the sender's conclusions, according to the recorded message.

The cost of a handoff is the spending since its parent's message, as in "handoff chain".
A handoff that was not accepted is shown without a cost.

-f otlp writes the spans of the task as OTLP/JSON for an OpenTelemetry collector: ids,
times, events and costs, but no message content.

Exit code 0: the task is shown; 1: the log has no record of it; 2: the log could not be
read.`,
		Example: `  handoff audit trace cc35de8b-6ece-4435-abfd-a60e12baff98
  handoff audit trace -f mermaid cc35de8b-6ece-4435-abfd-a60e12baff98
  handoff audit trace -f otlp cc35de8b-6ece-4435-abfd-a60e12baff98 > spans.json`,
		ValidArgsFunction: relayflags.OneID(f.log.Recorded(relayflags.TaskID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, func(r audit.Reader, out *output.File) error {
				t, err := trace.Read(r, args[0])
				if err != nil {
					return err
				}
				switch f.format {
				case "json":
					v, err := newTraceJSON(r, t)
					if err != nil {
						return err
					}
					return report.WriteJSON(out, v)
				case "otlp":
					request, err := otlp.Export(r, t, report.BuildVersion())
					if err != nil {
						return err
					}
					return report.WriteJSON(out, request)
				case "mermaid":
					return drawTrace(out, t)
				default:
					p := tracePicture{f.picture(c, out), r, t}
					return p.write(out)
				}
			})
		},
	}
	f.registerMessages(c, "text", "json", "mermaid", "otlp")
	return c
}
