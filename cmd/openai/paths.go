package openai

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
)

// pathsFlags are the flags of openai paths.
type pathsFlags struct {
	*cli.Globals
	facts       cli.FactsFlags
	recorded    recordedFlags
	options     agents.RunOptions
	minCoverage float64
}

func newPaths(g *cli.Globals) *cobra.Command {
	f := &pathsFlags{Globals: g}
	c := &cobra.Command{
		Use:   "paths --agents FILE [FILE|DIR|-]...",
		Short: "Report the handoffs taken and never taken in recorded runs",
		Long: `Paths counts, for every defined handoff, the recorded runs that took it and the number
of times: a handoff without runs is untested. A run is a HandoffInputData; items in its
summaries count, too. A handoff that is disabled in every run is not counted. Undefined
handoffs that a run took are also shown.

Exit code 0: the coverage is at least --min-coverage; 1: it is lower; 2: an input could
not be read.`,
		Example: `  handoff openai paths --agents agents.yaml recorded/
  handoff openai paths --agents agents.yaml --min-coverage 80 -f json recorded/`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.facts.Register(c, "output format: text, json", "write the output to `FILE`")
	f.recorded.register(c)
	registerMarkers(c, &f.options.Start, &f.options.End)
	c.Flags().Float64Var(&f.minCoverage, "min-coverage", 0, "minimum `PERCENTAGE` of handoffs that runs must take")
	return c
}

func (f *pathsFlags) run(c *cobra.Command, args []string) error {
	if f.recorded.agents == "" {
		return errors.New("--agents: name the definitions of the agents")
	}
	if !(f.minCoverage >= 0 && f.minCoverage <= 100) {
		return fmt.Errorf("--min-coverage %v: write a number from 0 to 100", f.minCoverage)
	}
	d, err := f.recorded.load(f.Globals, c, args, &f.options)
	if err != nil {
		return err
	}
	out, err := f.facts.Open(f.Globals, c)
	if err != nil {
		return err
	}
	taken := newTaken(d)
	p := f.NewProgress(c.ErrOrStderr())
	unread, err := cli.Each(f.Globals, c, args, p, func(doc input.Document) ([]agents.Transfer, error) { return f.transfers(d, doc) },
		func(run []agents.Transfer) error { taken.add(run); return nil }, func(report.Unread) error { return nil }, func() error { return nil })
	summary := taken.summary()
	if err == nil {
		err = out.Print(summary)
	}
	return cli.Answer(out.Close(err), unread, summary.Coverage < f.minCoverage)
}

// transfers returns the handoffs of one run. It may run concurrently.
func (f *pathsFlags) transfers(d *agents.Definitions, run input.Document) ([]agents.Transfer, error) {
	doc, err := run.Parse(f.Limits)
	if err != nil {
		return nil, err
	}
	if named, known := formats.Detect(doc.Root()); !known || !isInputData(named) {
		return nil, fmt.Errorf("%s: %w", run.Origin(), notInputData(doc, errors.New("input_history, pre_handoff_items and new_items are missing")))
	}
	return d.Transfers(doc.Root(), f.options), nil
}

// A pathRow is the number of times that a handoff was taken.
type pathRow struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Tool  string `json:"tool,omitzero"`
	Runs  int    `json:"runs"`  // the number of runs that took it
	Times int    `json:"times"` // the number of times in all runs
}

// A pathSummary is the result for all runs.
type pathSummary struct {
	Runs      int       `json:"runs"`
	Taken     int       `json:"taken"` // handoffs that a run took
	Handoffs  int       `json:"handoffs"`
	Coverage  float64   `json:"coverage"` // taken handoffs, in percent
	Paths     []pathRow `json:"paths"`
	Undefined []pathRow `json:"undefined"` // taken, but not defined
}

// A taken counts handoffs.
type taken struct {
	runs      int
	rows      []pathRow
	byHandoff map[*agents.Handoff]int // indexes into rows
	undefined []pathRow
	byNames   map[[2]string]int // indexes into undefined
}

func newTaken(d *agents.Definitions) *taken {
	t := &taken{byHandoff: map[*agents.Handoff]int{}, byNames: map[[2]string]int{}}
	for _, a := range d.Agents {
		for _, h := range a.Handoffs {
			if !h.Never() {
				t.byHandoff[h] = len(t.rows)
				t.rows = append(t.rows, pathRow{From: a.Name, To: h.Name, Tool: h.Tool})
			}
		}
	}
	return t
}

// add counts the handoffs of one run.
func (t *taken) add(run []agents.Transfer) {
	t.runs++
	defined, undefined := map[int]int{}, map[int]int{} // counts of this run
	for _, transfer := range run {
		if i, known := t.byHandoff[transfer.Handoff]; known {
			defined[i]++
			continue
		}
		names := [2]string{transfer.From, transfer.To}
		i, known := t.byNames[names]
		if !known {
			i = len(t.undefined)
			t.byNames[names] = i
			t.undefined = append(t.undefined, pathRow{From: transfer.From, To: transfer.To})
		}
		undefined[i]++
	}
	count(t.rows, defined)
	count(t.undefined, undefined)
}

// count adds the counts of one run.
func count(rows []pathRow, times map[int]int) {
	for i, n := range times {
		rows[i].Runs++
		rows[i].Times += n
	}
}

func (t *taken) summary() pathSummary {
	s := pathSummary{Runs: t.runs, Handoffs: len(t.rows), Coverage: 100, Paths: slices.Concat([]pathRow{}, t.rows), Undefined: slices.Concat([]pathRow{}, t.undefined)}
	for _, row := range t.rows {
		if row.Times > 0 {
			s.Taken++
		}
	}
	if s.Handoffs > 0 {
		s.Coverage = 100 * float64(s.Taken) / float64(s.Handoffs)
	}
	return s
}

// WriteText implements [cli.Shown].
func (s pathSummary) WriteText(w io.Writer, _ int, colors term.Palette) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s taken (%.0f%%), in %s\n", s.Taken, term.Plural(s.Handoffs, "handoff"), math.Floor(s.Coverage), term.Plural(s.Runs, "run"))
	writeRows(&b, "Taken", s.Paths, func(r pathRow) bool { return r.Times > 0 }, colors)
	writeRows(&b, "Never taken", s.Paths, func(r pathRow) bool { return r.Times == 0 }, colors)
	writeRows(&b, "Taken, but not defined", s.Undefined, func(pathRow) bool { return true }, colors)
	_, err := io.WriteString(w, b.String())
	return err
}

// maxPathName is the maximum width of a name, in columns.
const maxPathName = 40

// writeRows writes the wanted rows, with a title if there are any.
func writeRows(b *strings.Builder, title string, rows []pathRow, wanted func(pathRow) bool, colors term.Palette) {
	var cells [][]string
	for _, r := range rows {
		if !wanted(r) {
			continue
		}
		cell := pathName(r.From) + " → " + pathName(r.To)
		if r.Tool != "" {
			cell += " by " + term.Clip(r.Tool, maxPathName)
		}
		figure := ""
		if r.Times > 0 {
			figure = term.Plural(r.Runs, "run")
		}
		cells = append(cells, []string{cell, figure})
	}
	if cells == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n", colors.Bold(title))
	for _, line := range term.Columns(cells) {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// pathName returns the name of an agent, "?" if it is not defined.
func pathName(name string) string {
	if name == "" {
		return "?"
	}
	return term.Clip(name, maxPathName)
}
