package vectors

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	run "github.com/eaapl/handoff/internal/vectors"
	"github.com/eaapl/handoff/vectors"
)

// runFlags are the flags of vectors run.
type runFlags struct {
	*cli.Globals
	choice
	commands         []string
	baseline, format string
	output           string
	timeout          time.Duration
}

func newRun(g *cli.Globals) *cobra.Command {
	f := &runFlags{Globals: g}
	c := &cobra.Command{
		Use:   "run --command COMMAND",
		Short: "Ask programs for their verdicts and judge them",
		Long: `Run starts a program, sends it one case per line, reads one answer per line, and prints
the failures and a table of the outcomes. A case fails if the verdict differs, if another
step than the expected one refuses the input, or if the output is wrong. A program that
ends or takes too long has failed the case; it is started again for the next one.

A program that does not have an operation answers not_applicable. With a baseline, a list
of the ids of expected failures, only other failures count.
vectors/PROTOCOL.md describes the protocol.

Exit code 0: no unexpected failure; 1: at least one; 2: a program cannot be asked.`,
		Example: `  handoff vectors run --command 'handoff vectors serve'
  handoff vectors run --command ./adapter --group canonical --baseline known.txt
  handoff vectors run --command ./adapter -f junit -o results.xml
  handoff vectors run --command ./adapter --command 'handoff vectors serve' -f html -o results.html`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c)
	flags := c.Flags()
	flags.StringArrayVar(&f.commands, "command", nil, "the `COMMAND` that starts a program, run by the shell; may be repeated")
	flags.StringVar(&f.baseline, "baseline", "", "read the ids of expected failures from `FILE`, one per line; # begins a comment")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "timeout for one answer")
	flags.StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	cli.RegisterFormat(c, &f.format, "output format: text, json, junit, markdown or html", []string{"text", "json", "junit", "markdown", "html"})
	return c
}

func (f *runFlags) run(c *cobra.Command) error {
	switch {
	case len(f.commands) == 0:
		return errors.New("there is no program to ask: give --command, such as --command 'handoff vectors serve'")
	case f.baseline != "" && len(f.commands) > 1:
		return errors.New("--baseline: a baseline belongs to one program, but several are given: run them one by one")
	case f.timeout <= 0:
		return errors.New("--timeout: use a duration above 0, such as 30s")
	}
	groups, err := f.read()
	if err != nil {
		return err
	}
	known, err := f.readBaseline(c)
	if err != nil {
		return err
	}
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	r := &results{runFlags: f, out: out, known: known, page: run.Page{Version: report.BuildVersion(), Visible: term.Visible}}
	for _, command := range f.commands {
		if err := r.ask(c, command, groups); err != nil {
			return out.Close(err)
		}
	}
	if err := out.Close(r.finish()); err != nil {
		return err
	}
	r.warn(c)
	failures, expected := r.table.Failures()
	return cli.Answer(nil, 0, failures > expected)
}

// readBaseline returns the ids in the baseline.
func (f *runFlags) readBaseline(c *cobra.Command) (map[string]bool, error) {
	if f.baseline == "" {
		return nil, nil
	}
	text, err := f.ReadSettings(f.baseline, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	all, err := (&choice{dir: f.dir}).read()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		id, _, _ := strings.Cut(line, "#")
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if !slices.ContainsFunc(all, func(g vectors.Group) bool {
			return slices.ContainsFunc(g.Cases, func(one vectors.Case) bool { return one.ID == id })
		}) {
			return nil, fmt.Errorf("%s:%d: unknown case %q: remove the line", term.Visible(f.baseline), n, term.Visible(id))
		}
		known[id] = true
	}
	return known, nil
}

// results writes the results of programs.
type results struct {
	*runFlags
	out     *output.File
	known   map[string]bool // expected failures
	table   run.Table
	junit   run.JUnit
	page    run.Page
	omitted int
	shown   int
	passing []string // expected failures that passed
}

// ask runs all groups with one program.
func (r *results) ask(c *cobra.Command, command string, groups []vectors.Group) error {
	runner := &run.Runner{Children: &r.Children, Timeout: r.timeout, Program: child.Options{
		Command: command,
		Inherit: true,
		Stderr:  func(line string) { fmt.Fprintf(c.ErrOrStderr(), "handoff: program: %s\n", term.Visible(line)) },
	}}
	defer runner.Close()
	name := ""
	for _, g := range groups {
		for _, one := range g.Cases {
			result, err := runner.Ask(c.Context(), g.Name, one)
			if err != nil {
				return fmt.Errorf("--command %s: case %s: %w", term.Visible(command), one.ID, err)
			}
			name = cmp.Or(name, result.Answer.Implementation, command)
			if err := r.add(name, g, one, result); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *results) add(name string, g vectors.Group, one vectors.Case, result run.Result) error {
	if r.known[result.ID] {
		result.Expected = result.Outcome == run.Failed
		if result.Outcome == run.Passed {
			r.passing = append(r.passing, result.ID)
		}
	}
	name = term.Visible(name)
	r.table.Add(name, result)
	switch r.format {
	case "json":
		return report.WriteIndex(r.out, struct {
			Implementation string `json:"implementation"`
			run.Result
		}{name, result})
	case "junit":
		r.junit.Add(name, result)
	case "html":
		r.page.Add(name, g, one, result)
	case "text":
		if result.Outcome != run.Failed || result.Expected {
			break
		}
		if r.MaxFindings > 0 && r.shown == r.MaxFindings {
			r.omitted++
			break
		}
		r.shown++
		_, err := fmt.Fprintf(r.out, "%s: %s\n", result.ID, term.Visible(result.Problem))
		return err
	}
	return nil
}

// finish writes the end of the report.
func (r *results) finish() error {
	switch r.format {
	case "junit":
		return r.junit.Write(r.out)
	case "html":
		return r.page.Write(r.out)
	case "markdown":
		return r.table.WriteMarkdown(r.out)
	case "text":
		if r.omitted > 0 {
			fmt.Fprintf(r.out, "%s more; --max-findings 0 shows all\n", term.Counted(r.omitted, "failure"))
		}
		if r.shown > 0 {
			fmt.Fprintln(r.out)
		}
		return r.table.WriteText(r.out)
	}
	return nil
}

// warn reports lines of the baseline that are out of date.
func (r *results) warn(c *cobra.Command) {
	for _, id := range r.passing {
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("%s passes: remove it from %s", id, r.baseline))
	}
}
