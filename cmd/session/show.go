package session

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/session"
)

func newShow(g *cli.Globals) *cobra.Command {
	f := &search{Globals: g}
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show the subject, remaining work and token use of a session",
		Long: `Show reads a complete session: the user's request, the agent's to-do list, the files
that tools touched, the tokens used, and damaged lines.`,
		Example: `  handoff session show 5f0c
  handoff session show ~/.codex/sessions/2026/06/14/rollout-2026-06-14T11-00-00-019a2d7a-41c4-78b1-b7cc-a45d62a89cd5.jsonl -f json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			one, err := f.resolve(args[0])
			if err != nil {
				return err
			}
			defer f.atWork(c).Stop()
			s, modified, err := f.read(one, session.Options{})
			if err != nil {
				return err
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return err
			}
			return out.Close(out.Print(newShown(s, one.path, modified)))
		},
	}
	f.register(c)
	facts.Register(c, "output format: text or json", "write the output to `FILE` instead of standard output")
	return c
}

// A shown is the description of a session.
type shown struct {
	Agent       session.Agent           `json:"agent"`
	ID          string                  `json:"id"`
	Path        string                  `json:"path"`
	Title       string                  `json:"title,omitzero"`
	Folder      string                  `json:"folder,omitzero"`
	Branch      string                  `json:"branch,omitzero"`
	Version     string                  `json:"version,omitzero"`
	Model       string                  `json:"model,omitzero"`
	Began       string                  `json:"began,omitzero"`
	When        string                  `json:"when"`
	Bytes       int64                   `json:"bytes"`
	Lines       int                     `json:"lines"`
	Damaged     int                     `json:"damagedLines"`
	Damage      []damage                `json:"damage,omitzero"`
	Unknown     []session.UnknownRecord `json:"unknownRecords,omitzero"`
	Turns       int                     `json:"turns"` // since the last compaction
	Compactions int                     `json:"compactions"`
	Omissions   []omission              `json:"omissions,omitzero"` // turns in the file that are not among Turns
	Requests    int                     `json:"requests"`
	First       string                  `json:"first,omitzero"`
	Last        string                  `json:"last,omitzero"`
	Open        bool                    `json:"open"` // the last request has no answer
	Todos       []todo                  `json:"todos,omitzero"`
	Files       []session.File          `json:"files,omitzero"`
	ToolCalls   int                     `json:"toolCalls"`
	Usage       session.Usage           `json:"usage"`
	CostUSD     *message.Number         `json:"costUSD"` // null if unknown
}

type damage struct {
	Line    int    `json:"line"`
	Offset  int64  `json:"offset"`
	Problem string `json:"problem"`
}

type omission struct {
	Cause session.Cause `json:"cause"`
	Turns int           `json:"turns"`
	Lines []int         `json:"lines"` // of the first turns
}

type todo struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

func newShown(s *session.Session, path string, modified time.Time) shown {
	r := shown{
		Agent: s.Agent, ID: s.ID, Path: path, Title: oneLine(s.Title), Folder: s.Folder, Branch: s.Branch, Version: s.Version, Model: s.Model,
		When: s.When(modified).UTC().Format(time.RFC3339), Bytes: s.Bytes, Lines: s.Lines, Damaged: s.Damaged,
		Turns: len(s.Turns) + s.TurnsLeftOut, Compactions: s.Compactions, Requests: s.RequestCount, Open: s.Open,
		Unknown: s.UnknownRecords(), Files: s.Files, ToolCalls: s.CallCount, Usage: s.Usage,
	}
	if !s.Began.IsZero() {
		r.Began = s.Began.UTC().Format(time.RFC3339)
	}
	if n := len(s.Requests); n > 0 {
		r.First, r.Last = oneLine(s.Requests[0].Text), oneLine(s.Requests[n-1].Text)
	}
	for _, d := range s.Damage {
		r.Damage = append(r.Damage, damage(d))
	}
	for _, o := range s.Omissions {
		r.Omissions = append(r.Omissions, omission(o))
	}
	for _, t := range s.Todos {
		r.Todos = append(r.Todos, todo(t))
	}
	if s.Usage.CostUSD != nil {
		r.CostUSD = new(message.Number(s.Usage.CostUSD.String()))
	}
	return r
}

// WriteText implements [cli.Shown].
func (r shown) WriteText(w io.Writer, columns int, colors term.Palette) error {
	var b strings.Builder
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s  %s\n", colors.Dim(term.Left(name, 10)), term.Clip(text, max(columns-12, 20)))
		}
	}
	row("session", string(r.Agent)+" "+r.ID)
	row("title", r.Title)
	row("file", r.Path)
	row("folder", strings.TrimSpace(r.Folder+"  "+r.Branch))
	row("agent", strings.TrimSpace(r.Version+"  "+r.Model))
	row("time", strings.TrimPrefix(r.Began+" to "+r.When, " to "))
	row("size", fmt.Sprintf("%s bytes in %s, %s", term.Grouped(r.Bytes), term.Plural(r.Lines, "line"), term.Plural(r.Turns, "turn")))
	if r.Compactions > 0 {
		row("", "of the conversation since it was compacted, "+term.Plural(r.Compactions, "time")+" in all")
	}
	for i, o := range r.Omissions {
		row(nth(i, "beside"), fmt.Sprintf("%s %s, first in line %d", term.Plural(o.Turns, "turn"), session.Cause(o.Cause).Describe(), o.Lines[0]))
	}
	row("requests", term.Plural(r.Requests, "request"))
	row("first", r.First)
	if r.Requests > 1 {
		row("last", r.Last)
	}
	if r.Open {
		row("", "the last request has no answer")
	}
	row("tokens", fmt.Sprintf("%s read, %s written", term.Grouped(r.Usage.Prompt()), term.Grouped(r.Usage.Output)))
	if r.CostUSD != nil {
		row("cost", string(*r.CostUSD)+" USD")
	}
	row("tools", term.Plural(r.ToolCalls, "call"))
	for i, t := range r.Todos {
		row(nth(i, "to do"), "["+map[bool]string{true: "x", false: " "}[session.Todo(t).Done()]+"] "+oneLine(t.Text))
	}
	for i, f := range r.Files[:min(len(r.Files), term.MaxRows)] {
		note := map[bool]string{true: "changed", false: "read"}[f.Changed > 0]
		row(nth(i, "files"), cmp.Or(map[bool]string{true: "deleted"}[f.Deleted], note)+" "+f.Path)
	}
	if n := len(r.Files) - term.MaxRows; n > 0 {
		row("", "and "+term.Plural(n, "file")+" more")
	}
	if r.Damaged > 0 {
		row("damage", term.Plural(r.Damaged, "line"))
	}
	for _, d := range r.Damage {
		row("", fmt.Sprintf("line %d, at byte %d: %s", d.Line, d.Offset, d.Problem))
	}
	for i, u := range r.Unknown {
		row(nth(i, "unknown"), fmt.Sprintf("%s of the type %s, first in line %d", term.Plural(u.Records, "record"), finding.Quote(u.Type), u.FirstLine))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// nth returns name for the first row, "" for all others.
func nth(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}
