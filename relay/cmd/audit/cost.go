package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/cost"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// costFlags are the flags of cost.
type costFlags struct {
	readFlags
	by           string
	since, until cli.TimeFlag
}

func newCost(g *cli.Globals) *cobra.Command {
	f := &costFlags{readFlags: readFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "cost [TASK]",
		Short: "Sum the costs of tasks in the audit log",
		Long: `Cost sums the spending on one task, or on all tasks in the log (EAAPL-MAG006, sections
6.2 and 9), in exact decimals and in tokens. costSpentSoFarUSD is cumulative for the
task, so each accepted handoff counts the difference from its parent's message, as in
"handoff chain". The sender bears this cost. --since and --until limit the sum to
handoffs that were accepted in a period.

Exit code 0: the sum was printed; 1: the log has no record of the task; 2: the log could
not be read.`,
		Example: `  handoff audit cost
  handoff audit cost --since 24h
  handoff audit cost --group-by day -f json
  handoff audit cost --group-by pair cc35de8b-6ece-4435-abfd-a60e12baff98`,
		ValidArgsFunction: relayflags.OneID(f.log.Recorded(relayflags.TaskID)),
		Args:              cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(cli.Names(cost.Groups()), f.by) {
				return fmt.Errorf("--group-by %q: use one of %s", f.by, strings.Join(cli.Names(cost.Groups()), ", "))
			}
			return f.run(c, func(r audit.Reader, out *output.File) error {
				bill, err := f.bill(r, args)
				if err != nil {
					return err
				}
				if f.format == "json" {
					return f.writeJSON(out, bill)
				}
				return f.writeText(out, f.picture(c, out), bill)
			})
		},
	}
	f.register(c, "text", "json")
	c.Flags().StringVar(&f.by, "group-by", string(cost.Agent), "`KEY` to group by: "+strings.Join(cli.Names(cost.Groups()), ", "))
	c.Flags().Var(&f.since, "since", "earliest time of acceptance: 2026-06-12T09:30:00Z, 2026-06-12, or an age like 24h or 30d")
	c.Flags().Var(&f.until, "until", "latest time of acceptance, exclusive, in the forms of --since")
	cli.OnlyForCall(c, "since", "until")
	cli.Complete(c, "group-by", cli.Names(cost.Groups())...)
	return c
}

func (f *costFlags) bill(r audit.Reader, args []string) (cost.Bill, error) {
	o := cost.Options{By: cost.Group(f.by), Since: f.since.Time, Until: f.until.Time}
	if len(args) == 0 {
		return cost.OfAll(r, o)
	}
	t, err := trace.Read(r, args[0])
	if err != nil {
		return cost.Bill{}, err
	}
	return cost.Of(t, o), nil
}

// A sumJSON is the cost of one group: a line of cost -f json.
type sumJSON struct {
	By       string `json:"by"`
	Agent    string `json:"agent,omitzero"`
	TaskID   string `json:"taskId,omitzero"`
	Day      string `json:"day,omitzero"`
	Sender   string `json:"sender,omitzero"`
	Receiver string `json:"receiver,omitzero"`
	Handoffs int    `json:"handoffs"`
	report.CostJSON
}

func (f *costFlags) writeJSON(w io.Writer, b cost.Bill) error {
	for _, s := range b.Sums {
		if err := report.WriteJSON(w, f.sumJSON(s)); err != nil {
			return err
		}
	}
	total := f.sumJSON(b.Total)
	total.By = "total"
	return report.WriteJSON(w, total)
}

func (f *costFlags) sumJSON(s cost.Sum) sumJSON {
	j := sumJSON{By: f.by, Handoffs: s.Handoffs, CostJSON: report.NewCostJSON(s.Cost)}
	switch cost.Group(f.by) {
	case cost.Agent:
		j.Agent = s.Name
	case cost.Task:
		j.TaskID = s.Name
	case cost.Day:
		j.Day = s.Name
	case cost.Pair:
		j.Sender, j.Receiver = s.Name, s.Receiver
	}
	return j
}

func (f *costFlags) writeText(w io.Writer, p term.Picture, b cost.Bill) error {
	total := b.Total.Cost
	p.Line(p.Bold(tasktree.USD(total.SpentUSD), " spent"), "  ", term.Plural(b.Total.Handoffs, "handoff"), ", ",
		term.Grouped(total.Prompt), " prompt and ", term.Grouped(total.Completion), " completion tokens")
	shown := b.Sums[:min(len(b.Sums), term.MaxRows)]
	if cost.Group(f.by) == cost.Day {
		shown = b.Sums[max(len(b.Sums)-term.MaxRows, 0):]
	}
	rows := make([][]string, len(shown))
	for i, s := range shown {
		name := s.Name
		if cost.Group(f.by) == cost.Pair {
			name += " → " + s.Receiver
		}
		rows[i] = tasktree.SpentRow(name, maxName, s.Handoffs, s.Cost, total)
	}
	for _, line := range term.Columns(rows) {
		p.Line(line)
	}
	p.More(len(b.Sums) - len(rows))
	_, err := p.Text.WriteTo(w)
	return err
}

// maxName is the width of a group's name, in columns.
const maxName = 60
