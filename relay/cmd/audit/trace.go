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
	f := &reading{Globals: g}
	c := &cobra.Command{
		Use:   "trace TASK",
		Short: "Show what became of a task, from the records of the audit log",
		Long: `Trace reconstructs a task (EAAPL-MAG006, section 8.2): the tree of its handoffs, the
records of each, when it was accepted and how long its agent ran, what it cost, and
what its receiver received and its sender had concluded, as the recorded message says.

A handoff costs what was spent since its parent's message, as "handoff chain" counts
it. One that was not accepted is shown, and costs nothing.

-f otlp writes the spans of the task as OTLP/JSON, which a collector of OpenTelemetry
takes: ids, times, events and costs, and nothing of what messages say.

Exit code 0: the task is shown; 1: the log has no record of it; 2: the log could not
be read.`,
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
