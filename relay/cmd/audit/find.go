package audit

import (
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/difftext"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newFind(g *cli.Globals) *cobra.Command {
	f := &readFlags{Globals: g}
	c := &cobra.Command{
		Use:   "find TASK POINTER[=VALUE]",
		Short: "Find the handoff that introduced a value into a task",
		Long: `Find investigates a failure (EAAPL-MAG006, section 6.2): it shows the first accepted
handoff of a task with a value at a JSON Pointer, and the difference from its parent's
message at this place; then each later handoff that changed the value.

VALUE is JSON, or else plain text; if omitted, any value matches.

Exit code 0: found; 1: no handoff has the value, or the log has no record of the task;
2: the log could not be read.`,
		Example: `  handoff audit find cc35de8b-6ece-4435-abfd-a60e12baff98 /currentState/riskFlags
  handoff audit find cc35de8b-6ece-4435-abfd-a60e12baff98 /currentState/rating=high`,
		ValidArgsFunction: relayflags.OneID(f.log.Recorded(relayflags.TaskID)),
		Args:              cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, func(r audit.Reader, out *output.File) error { return f.find(c, r, out, args[0], args[1]) })
		},
	}
	f.registerMessages(c, "text", "json")
	return c
}

func (f *readFlags) find(c *cobra.Command, r audit.Reader, out *output.File, id, where string) error {
	t, err := trace.Read(r, id)
	if err != nil {
		return err
	}
	q := trace.Question{Pointer: where}
	if pointer, value, ok := strings.Cut(where, "="); ok {
		q = trace.Question{Pointer: pointer, Value: &value}
	}
	p := f.picture(c, out)
	first := true
	return t.Search(r, q, func(change trace.Change) error {
		defer func() { first = false }()
		if f.format == "json" {
			return report.WriteJSON(out, newChangeJSON(change, q, first))
		}
		return writeChange(out, &p, change, q, first)
	})
}

// A changeJSON is a line of find -f json: docs/audit.md.
type changeJSON struct {
	Change       string         `json:"change"` // "first" or "later"
	Pointer      string         `json:"pointer"`
	HandoffID    string         `json:"handoffId"`
	ComparedWith *string        `json:"comparedWith"` // handoffId; null if there is no earlier one
	From         string         `json:"from"`
	To           string         `json:"to"`
	Sequence     int64          `json:"sequence"`
	RecordedAt   time.Time      `json:"recordedAt"`
	Old          jsontext.Value `json:"old,omitzero"`
	New          jsontext.Value `json:"new,omitzero"`
	Changes      []diff.Change  `json:"changes,omitzero"` // as in "handoff diff -f json"
}

func newChangeJSON(c trace.Change, q trace.Question, first bool) changeJSON {
	s := c.Handoff.Accepted
	j := changeJSON{
		Change: which(first), Pointer: q.Pointer, HandoffID: s.HandoffID, From: s.Sender, To: s.Receiver,
		Sequence: s.Sequence, RecordedAt: s.RecordedAt, New: at(c.New, q.Pointer),
	}
	if c.Before != nil {
		j.ComparedWith = &c.Before.HandoffID
	}
	if c.Old == nil {
		return j
	}
	j.Old = at(c.Old, q.Pointer)
	switch {
	case j.Old == nil && j.New != nil:
		j.Changes = []diff.Change{{Pointer: q.Pointer, Kind: diff.Added, New: compact(j.New)}}
	case j.Old != nil && j.New == nil:
		j.Changes = []diff.Change{{Pointer: q.Pointer, Kind: diff.Removed, Old: compact(j.Old)}}
	default:
		j.Changes = c.Edit.Changes()
	}
	return j
}

func which(first bool) string {
	if first {
		return "first"
	}
	return "later"
}

func compact(v jsontext.Value) []byte { return jsonstream.AppendCompact(nil, v) }

// at returns the value at a pointer, nil if there is none.
func at(d *jsonstream.Document, pointer string) jsontext.Value {
	if v := d.Root().At(pointer); v.Exists() {
		return v.Raw()
	}
	return nil
}

// writeChange writes a change as text.
func writeChange(w io.Writer, p *term.Picture, c trace.Change, q trace.Question, first bool) error {
	s := c.Handoff.Accepted
	if !first {
		p.Line()
	}
	p.Line(p.Bold(which(first)), "  ", term.Clip(s.Sender, tasktree.MaxAgentColumns), " → ", term.Clip(s.Receiver, tasktree.MaxAgentColumns), "  ", p.Cyan(term.Clip(s.HandoffID, maxID)),
		"  record ", term.Grouped(s.Sequence), ", ", s.RecordedAt.Format(timeForm))
	value := func(sign string, v jsontext.Value) {
		for _, line := range term.Wrap(string(compact(v)), p.Width-4, term.MaxFindingLines) {
			p.Line("  ", sign, line)
		}
	}
	var before, now jsontext.Value
	if now = at(c.New, q.Pointer); c.Old != nil {
		before = at(c.Old, q.Pointer)
	}
	switch {
	case c.Old == nil:
		p.Line("  ", p.Dim("there is no message before it"))
		value(p.Green("+ "), now)
	case before == nil && now != nil:
		p.Line("  ", p.Dim("not in "), term.Clip(c.Before.HandoffID, maxID))
		value(p.Green("+ "), now)
	case before != nil && now == nil:
		p.Line("  ", p.Dim("no more, after "), term.Clip(c.Before.HandoffID, maxID))
		value(p.Red("- "), before)
	case c.Edit == nil:
		p.Line("  ", p.Dim("as before, in "), term.Clip(c.Before.HandoffID, maxID))
	default:
		p.Line("  ", p.Dim("compared with "), term.Clip(c.Before.HandoffID, maxID))
	}
	if _, err := p.Text.WriteTo(w); err != nil || c.Edit == nil {
		return err
	}
	return difftext.Write(w, p.Width, p.Palette, difftext.Options{}, "", c.Old, c.New, c.Edit)
}
