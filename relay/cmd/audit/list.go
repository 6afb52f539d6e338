package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// listFlags are the flags of list.
type listFlags struct {
	readFlags
	tasks, events []string
	agent, reason string
	since, until  cli.TimeFlag
	limit         int
	oldest        bool
}

func newList(g *cli.Globals) *cobra.Command {
	f := &listFlags{readFlags: readFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the records of the audit log, newest first",
		Long: `List shows the records of the audit log that match all filters, newest first. Its memory
use is constant, whatever the size of the log.

-f json writes each record exactly as hashed, with its hash:
{"hash":"sha256:…","record":{…}}, one per line.`,
		Example: `  handoff audit list --limit 20
  handoff audit list --event REJECTED,DEAD_LETTERED --since 24h
  handoff audit list --agent risk-scoring-agent --since 2026-06-01 --until 2026-07-01 -f json`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			return f.run(c, func(r audit.Reader, out *output.File) error { return f.write(out, f.picture(c, out), r, filter) })
		},
	}
	f.register(c, "text", "json")
	flags := c.Flags()
	flags.StringArrayVar(&f.tasks, "task", nil, "list only records of the task with this `ID`; may be repeated")
	flags.StringVar(&f.agent, "agent", "", "list only records of messages that this `AGENT` sent or received")
	flags.StringSliceVar(&f.events, "event", nil, "list only these `EVENTS`, such as REJECTED")
	flags.StringVar(&f.reason, "rejected-for", "", "list only rejections for this `REASON`, such as SCHEMA_INVALID")
	flags.Var(&f.since, "since", "earliest time of a record: 2026-06-12T09:30:00Z, 2026-06-12, or an age like 24h or 30d")
	flags.Var(&f.until, "until", "latest time of a record, exclusive, in the forms of --since")
	flags.IntVar(&f.limit, "limit", 0, "maximum number of records; 0 for no limit")
	flags.BoolVar(&f.oldest, "oldest-first", false, "begin with the first record")
	cli.OnlyForCall(c, "task", "agent", "event", "rejected-for", "since", "until", "limit", "oldest-first")
	cli.CompleteFlag(c, "task", relayflags.CompleteIDs(f.log.Recorded(relayflags.TaskID)))
	cli.Complete(c, "event", cli.Names(audit.Events())...)
	cli.Complete(c, "rejected-for", reasons()...)
	return c
}

// reasons returns the reasons for rejections.
func reasons() []string {
	return []string{"SCHEMA_INVALID", "INCOMPLETE_CONTEXT", "SAFETY_VIOLATION", "BUDGET_EXHAUSTED", "SIGNATURE_INVALID", "HANDOFF_ID_REUSED", "REVOKED"}
}

// filter returns the filter of the flags.
func (f *listFlags) filter() (audit.Filter, error) {
	filter := audit.Filter{
		Tasks: f.tasks, Agent: f.agent, Reason: f.reason, Since: f.since.Time, Until: f.until.Time, Limit: f.limit, Newest: !f.oldest,
	}
	if f.limit < 0 {
		return filter, fmt.Errorf("--limit %d: use 1 or more, or 0 for all", f.limit)
	}
	for _, name := range f.events {
		event := audit.Event(strings.ToUpper(name))
		if !slices.Contains(audit.Events(), event) {
			return filter, fmt.Errorf("--event %s: there is no such event: use %s", finding.Quote(name), strings.Join(cli.Names(audit.Events()), ", "))
		}
		filter.Events = append(filter.Events, event)
	}
	return filter, nil
}

// write writes the records while reading them.
func (f *listFlags) write(w io.Writer, p term.Picture, r audit.Reader, filter audit.Filter) error {
	if f.format == "text" {
		p.Line(p.Dim(term.Right("record", sequenceColumns), "  ", term.Left("recorded at (UTC)", len(timeForm)), "  ", term.Left("event", eventColumns), "  ",
			term.Left("handoff", idColumns), "  from → to, reason"))
	}
	for s, err := range r.Records(filter) {
		if err != nil {
			return err
		}
		if f.format == "json" {
			err = writeRecord(w, &s)
		} else {
			brief(&p, &s)
			_, err = p.Text.WriteTo(w)
		}
		if err != nil {
			return err
		}
	}
	_, err := p.Text.WriteTo(w)
	return err
}

// writeRecord writes the hashed form of a record, with its hash.
func writeRecord(w io.Writer, s *audit.Stored) error {
	text, err := s.AppendJSON(fmt.Appendf(nil, `{"hash":%q,"record":`, s.Hash))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '}', '\n'))
	return err
}

// Columns of the table of records.
const (
	sequenceColumns = 8
	eventColumns    = len("EXECUTION_FAILED")
	idColumns       = 36
	timeForm        = time.DateTime
)

// brief draws a record in one line.
func brief(p *term.Picture, s *audit.Stored) {
	var notes []string
	if s.Sender != "" || s.Receiver != "" {
		notes = append(notes, strings.TrimSpace(term.Clip(s.Sender, tasktree.MaxAgentColumns)+" → "+term.Clip(s.Receiver, tasktree.MaxAgentColumns)))
	}
	if s.Reason != "" {
		notes = append(notes, p.Red(term.Visible(string(s.Reason))))
	}
	if s.Details.By != "" {
		notes = append(notes, "by "+term.Clip(s.Details.By, tasktree.MaxAgentColumns))
	}
	switch d := &s.Details; {
	case d.Setting != nil:
		notes = append(notes, term.Clip(d.Setting.Name, tasktree.MaxAgentColumns)+" "+term.Clip(d.Setting.Value, tasktree.MaxAgentColumns))
	case d.Archive != nil:
		notes = append(notes, term.Visible(d.Archive.File))
	case d.Removal != nil:
		notes = append(notes, term.Counted(d.Removal.Records, "record"))
	}
	p.Line(term.Right(fmt.Sprint(s.Sequence), sequenceColumns), "  ", s.RecordedAt.Format(timeForm), "  ",
		paint(p, s.Event)(term.Left(string(s.Event), eventColumns)), "  ", p.Cyan(term.Left(s.HandoffID, idColumns)), "  ", strings.Join(notes, ", "))
}

// paint returns the colour of an event.
func paint(p *term.Picture, event audit.Event) func(...any) string {
	switch class(event) {
	case string(finding.Error):
		return p.Red
	case string(finding.Warning):
		return p.Yellow
	default:
		return p.Green
	}
}
