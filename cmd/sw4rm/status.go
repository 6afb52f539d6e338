package sw4rm

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

// sw4rmStatusFlags are the flags of sw4rm status.
type sw4rmStatusFlags struct {
	*cli.Globals
	cli.FactsFlags
}

func newSW4RMStatus(g *cli.Globals) *cobra.Command {
	f := &sw4rmStatusFlags{Globals: g}
	c := &cobra.Command{
		Use:   "status [EVENT]... | [FILE|-]...",
		Short: "Track the status of handoffs, and reject invalid transitions",
		Long: `Status applies events to the HandoffStatus of handoffs, by the rules of the reference
service: PENDING becomes ACCEPTED, REJECTED or EXPIRED, and ACCEPTED becomes COMPLETED
or EXPIRED. An invalid transition is rejected with the service's code and has no effect;
the exit code is then 1.

The events are words (request, accept, reject, complete, expire) about one handoff,
initially PENDING; or JSON Lines about any number of handoffs, with any further members:

  {"event": "request", "request_id": "r1", "from_agent": "a", "to_agent": "b"}
  {"event": "accept", "request_id": "r1"}`,
		Example: `  handoff sw4rm status accept complete
  handoff sw4rm status -f json events.jsonl`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return actionNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.FactsFlags.Register(c, "output format: text, json", "write the output to `FILE`")
	return c
}

func actionNames() []string { return cli.Names(sw4rm.Actions()) }

func (f *sw4rmStatusFlags) run(c *cobra.Command, args []string) error {
	words := 0
	for _, arg := range args {
		if slices.Contains(actionNames(), arg) {
			words++
		}
	}
	if words > 0 && words < len(args) {
		return fmt.Errorf("%s: the arguments are either events (%s) or files: write a file as ./FILE", strings.Join(args, " "), strings.Join(actionNames(), ", "))
	}
	out, err := f.FactsFlags.Open(f.Globals, c)
	if err != nil {
		return err
	}
	run := statusRun{out: out, progress: f.NewProgress(c.ErrOrStderr())}
	if words > 0 {
		err = run.words(args)
	} else {
		err = run.files(f.Sources(args, c.InOrStdin(), c.ErrOrStderr()), f.Limits)
	}
	run.progress.Stop()
	return cli.Answer(out.Close(err), run.unread, run.rejected)
}

// A statusRecord is one event and its effect. Status is the status after the event.
type statusRecord struct {
	Source    string       `json:"source,omitzero"`
	Line      int          `json:"line,omitzero"`
	RequestID string       `json:"requestId,omitzero"`
	Event     sw4rm.Action `json:"event"`
	Before    sw4rm.Status `json:"before,omitzero"`
	Status    sw4rm.Status `json:"status,omitzero"`
	Rejected  sw4rm.Code   `json:"rejected,omitzero"`
	Reason    string       `json:"reason,omitzero"`
}

// WriteText writes the event in a line.
func (r statusRecord) WriteText(w io.Writer, _ int, colors term.Palette) error {
	var b strings.Builder
	if r.Source != "" {
		fmt.Fprintf(&b, "%s:%d: ", term.Visible(r.Source), r.Line)
	}
	if r.RequestID != "" {
		fmt.Fprintf(&b, "%s: ", term.Visible(r.RequestID))
	}
	fmt.Fprintf(&b, "%s: ", r.Event)
	switch {
	case r.Rejected != "":
		fmt.Fprintf(&b, "%s: %s", colors.Red(string(r.Rejected)), term.Visible(r.Reason))
	case r.Before != "":
		fmt.Fprintf(&b, "%s → %s", r.Before, r.Status)
	default:
		b.WriteString(string(r.Status))
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}
