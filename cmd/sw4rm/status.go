package sw4rm

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// sw4rmStatusFlags are the flags of sw4rm status.
type sw4rmStatusFlags struct {
	*cli.Globals
	format string
}

func newSW4RMStatus(g *cli.Globals) *cobra.Command {
	f := &sw4rmStatusFlags{Globals: g}
	c := &cobra.Command{
		Use:   "status [EVENT]... | [FILE|-]...",
		Short: "Follow the status of handoffs, and reject what cannot happen",
		Long: `Status walks the HandoffStatus of handoffs through events, by the rules of the
reference service: PENDING becomes ACCEPTED or REJECTED, and ACCEPTED becomes COMPLETED
or EXPIRED. What cannot happen is rejected with the service's code, changes nothing, and
makes the exit code 1.

The events are words (request, accept, reject, complete, expire) about one handoff, which
is there as PENDING; or JSON Lines about any number of handoffs, with any further members:

  {"event": "request", "request_id": "r1", "from_agent": "a", "to_agent": "b"}
  {"event": "accept", "request_id": "r1"}`,
		Example: `  handoff sw4rm status accept complete
  handoff sw4rm status -f json events.jsonl`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return actionNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	cli.RegisterFormat(c, &f.format, "output format: text, json", report.PlainFormats)
	return c
}

func actionNames() []string {
	var names []string
	for _, a := range sw4rm.Actions() {
		names = append(names, string(a))
	}
	return names
}

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
	out, err := f.Open("", c.OutOrStdout())
	if err != nil {
		return err
	}
	run := statusRun{format: f.format, out: out, progress: f.NewProgress(c.ErrOrStderr(), false), colors: term.NewPalette(term.UseColor(f.Color, c.OutOrStdout()))}
	if words > 0 {
		err = run.words(args)
	} else {
		err = run.files(f.Sources(args, c.InOrStdin(), c.ErrOrStderr()), f.Limits)
	}
	run.progress.Stop()
	if err := out.Close(err); err != nil {
		return err
	}
	return cli.Answer(run.unread, run.rejected)
}

// A statusRecord is one event, and what it did. Status is the one afterwards.
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

// statusRun is one run of sw4rm status.
type statusRun struct {
	format string
	out    *output.File
	colors term.Palette
	ledger sw4rm.Ledger

	progress *term.Progress

	unread   int
	rejected bool
}

// oneHandoff is the name of the handoff that words are about, which has none.
const oneHandoff = "handoff"

// words applies events to one handoff. It is there already, unless the first event
// makes it.
func (r *statusRun) words(args []string) error {
	if args[0] != string(sw4rm.Submit) {
		args = append([]string{string(sw4rm.Submit)}, args...)
	}
	for i, word := range args {
		e := sw4rm.Event{Action: sw4rm.Action(word), RequestID: oneHandoff, FromAgent: "from", ToAgent: "to"}
		record := r.apply(e)
		record.RequestID = ""
		if i == 0 {
			continue // said by what follows it
		}
		if err := r.print(record); err != nil {
			return err
		}
	}
	if len(args) == 1 {
		return r.print(statusRecord{Event: sw4rm.Submit, Status: sw4rm.Pending})
	}
	return nil
}

// files applies the events of files, in their order.
func (r *statusRun) files(list []input.Source, limits jsonstream.Limits) (err error) {
	for _, s := range list {
		s.Documents(limits, func(int) {}, func(d input.Document, ready bool) bool {
			err = r.document(d, limits)
			if err == nil && !ready {
				err = r.out.Flush()
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *statusRun) document(d input.Document, limits jsonstream.Limits) error {
	event, err := readEvent(d, limits)
	if err != nil {
		r.unread++
		r.progress.Fail(err)
		return nil
	}
	record := r.apply(event)
	record.Source, record.Line = d.Source.Name, d.Raw.Start.Line
	return r.print(record)
}

func readEvent(d input.Document, limits jsonstream.Limits) (sw4rm.Event, error) {
	if errors.Is(d.Err, fs.ErrNotExist) {
		return sw4rm.Event{}, fmt.Errorf("%s: neither a file nor an event: events are %s", d.Source.Name, strings.Join(actionNames(), ", "))
	}
	doc, err := d.Parse(limits)
	if err != nil {
		return sw4rm.Event{}, err
	}
	e, problems := sw4rm.ReadEvent(doc)
	return e, Problems(term.Visible(d.Source.Name), problems)
}

func (r *statusRun) apply(e sw4rm.Event) statusRecord {
	before, status, err := r.ledger.Apply(e)
	record := statusRecord{RequestID: e.RequestID, Event: e.Action, Before: before, Status: status}
	if rejected := (*sw4rm.TransitionError)(nil); errors.As(err, &rejected) {
		record.Rejected, record.Reason = rejected.Code, rejected.Reason
		r.rejected = true
	}
	return record
}

func (r *statusRun) print(record statusRecord) error {
	if r.format == "json" {
		return report.WriteJSON(r.out, record)
	}
	var b strings.Builder
	if record.Source != "" {
		fmt.Fprintf(&b, "%s:%d: ", term.Visible(record.Source), record.Line)
	}
	if record.RequestID != "" {
		fmt.Fprintf(&b, "%s: ", term.Visible(record.RequestID))
	}
	fmt.Fprintf(&b, "%s: ", record.Event)
	switch {
	case record.Rejected != "":
		fmt.Fprintf(&b, "%s: %s", r.colors.Red(string(record.Rejected)), term.Visible(record.Reason))
	case record.Before != "":
		fmt.Fprintf(&b, "%s → %s", record.Before, record.Status)
	default:
		b.WriteString(string(record.Status))
	}
	_, err := fmt.Fprintln(r.out, b.String())
	return err
}
