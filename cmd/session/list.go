package session

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/session"
)

func newList(g *cli.Globals) *cobra.Command {
	f := &search{Globals: g}
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sessions on this machine, newest first",
		Long: `List shows the sessions of all agents: the agent, the id, the time of the last write, the
size, the agent's working folder, and the title or the user's first request. It reads
only the beginning and the end of each file. Files that are damaged there are listed
with the damage.`,
		Example: `  handoff session list
  handoff session list --agent codex -f json
  handoff session list --session-dir ~/.claude/projects`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.list(c, facts)
		},
	}
	f.register(c)
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
	return c
}

// A listed is the description of a file.
type listed struct {
	Agent   session.Agent `json:"agent,omitzero"`
	ID      string        `json:"id"`
	When    string        `json:"when,omitzero"` // RFC 3339, UTC
	Bytes   int64         `json:"bytes"`
	Folder  string        `json:"folder,omitzero"`
	Branch  string        `json:"branch,omitzero"`
	Title   string        `json:"title,omitzero"`
	First   string        `json:"first,omitzero"` // the user's first request
	Path    string        `json:"path"`
	Problem string        `json:"problem,omitzero"`
	when    time.Time
}

func (f *search) list(c *cobra.Command, facts cli.FactsFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	folders, err := f.folders()
	if err != nil {
		return err
	}
	all, problems := files(folders)
	for _, p := range problems {
		term.Warn(c.ErrOrStderr(), p.Error())
	}
	for _, path := range f.databases() {
		term.Warn(c.ErrOrStderr(), inDatabase(path))
	}
	progress := f.StartDoing(c.ErrOrStderr(), "reading the sessions", int64(len(all)))
	defer progress.Stop()
	list := make([]listed, 0, len(all))
	for i, one := range all {
		progress.Reached(int64(i))
		if l := f.describe(one); f.agent == "" || string(l.Agent) == f.agent {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b listed) int {
		return cmp.Or(b.when.Compare(a.when), strings.Compare(a.Path, b.Path))
	})
	out, err := facts.Open(f.Globals, c)
	if err != nil {
		return err
	}
	if len(list) == 0 && !out.JSON {
		var places []string
		for _, d := range folders {
			places = append(places, term.Visible(d.path))
		}
		fmt.Fprintf(out, "no sessions in %s\n", strings.Join(places, ", "))
	}
	for _, l := range list {
		if err := out.Print(l); err != nil {
			return out.Close(err)
		}
	}
	return out.Close(nil)
}

// describe describes a file. If the file is unreadable, the description has a problem.
func (f *search) describe(one file) listed {
	l := listed{ID: one.id(), Path: one.path, Agent: one.folder.agent}
	s, modified, err := f.peek(one)
	l.when = modified
	if err != nil {
		l.Problem = strings.TrimPrefix(err.Error(), term.Visible(one.path)+": ")
	} else {
		l.Agent, l.ID, l.Bytes = s.Agent, s.ID, s.Bytes
		l.Folder, l.Branch, l.Title = s.Folder, s.Branch, oneLine(s.Title)
		l.when = s.When(modified)
		if len(s.Requests) > 0 {
			l.First = oneLine(s.Requests[0].Text)
		}
		if s.Damaged > 0 {
			l.Problem = term.Counted(s.Damaged, "damaged line") + ": " + s.Damage[0].Problem
		}
	}
	if !l.when.IsZero() {
		l.When = l.when.UTC().Format(time.RFC3339)
	}
	return l
}

// oneLine returns the beginning of a text, without line breaks.
func oneLine(text string) string {
	return strings.Join(strings.Fields(session.Clip(text, 300)), " ")
}

// WriteText implements [cli.Shown].
func (l listed) WriteText(w io.Writer, columns int, colors term.Palette) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  %s", term.Left(cmp.Or(string(l.Agent), "unknown"), len(session.ClaudeCode)), colors.Cyan(term.Left(l.ID, 36)), term.Left(l.When, len("2026-06-12T09:30:00Z")), term.Right(term.Short(l.Bytes), 5))
	if l.Problem != "" {
		fmt.Fprintf(&b, "  %s", colors.Yellow(term.Visible(l.Problem)))
	}
	fmt.Fprintf(&b, "\n    %s\n", strings.TrimSpace(term.Clip(cmp.Or(strings.TrimSpace(l.Folder+"  "+cmp.Or(l.Title, l.First)), l.Path), max(columns-4, 20))))
	_, err := io.WriteString(w, b.String())
	return err
}
