package macp

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// macpShowFlags are the flags of macp show.
type macpShowFlags struct {
	transcriptInput
	policyFlag
	format  string
	pending bool
	all     bool
	query   handoffQuery
	output  string
}

func newMACPShow(g *cli.Globals) *cobra.Command {
	f := &macpShowFlags{transcriptInput: transcriptInput{Globals: g}}
	c := &cobra.Command{
		Use:   "show [FILE|DIR|-]...",
		Short: "Show the state and history of a session",
		Long: `Show prints, for each transcript, the state and phase of its session, the responsible
participant, the handoffs and their outcomes, and the timeline. Rejected messages are
listed in the timeline, but have no effect.

With --pending, it lists the handoffs that wait for an answer and their targets, one per
line; if there are none, the output is empty. --handoff shows one handoff. --context-of
writes the last context of a handoff, decoded, byte for byte. --accepted and --declined
print nothing: exit code 0 means yes, 1 means no.`,
		Example: `  handoff macp show session.json
  handoff macp show --pending sessions/
  handoff macp show --context-of h1 -o context.json session.json
  handoff macp show -f json session.json | jq .responsible`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.transcriptInput.register(c)
	f.policyFlag.register(c)
	flags := c.Flags()
	cli.RegisterFormat(c, &f.format, "output format: text, json", report.PlainFormats)
	flags.BoolVar(&f.pending, "pending", false, "list the handoffs that wait for an answer")
	f.query.register(c)
	flags.StringVarP(&f.output, "output", "o", "", "write the output to `FILE`")
	c.MarkFlagsMutuallyExclusive("pending", "handoff", "context-of", "accepted", "declined")
	flags.BoolVar(&f.all, "all", false, "show all handoffs and the complete timeline")
	return c
}

// A macpSession is the projection of a transcript.
type macpSession struct {
	Source string `json:"source"` // as named by the user
	Index  int    `json:"index"`  // 0-based, within the source
	macp.Projection
	all   bool             // draw every handoff and every message
	wrong []macp.Violation // in the transcript's own members
}

// A macpPending is the JSON output of --pending for one transcript.
type macpPending struct {
	Source    string         `json:"source"`
	Index     int            `json:"index"`
	SessionID string         `json:"session_id"`
	Pending   []macp.Handoff `json:"pending"`
}

// waiting returns the handoffs that wait for an answer.
func (s macpSession) waiting() macpPending {
	p := macpPending{s.Source, s.Index, s.SessionID, []macp.Handoff{}}
	for _, h := range s.Handoffs {
		if h.Pending() {
			p.Pending = append(p.Pending, h)
		}
	}
	return p
}

// WriteText writes a line for each handoff.
func (p macpPending) WriteText(w io.Writer, _ int, _ term.Palette) error {
	for _, h := range p.Pending {
		if _, err := fmt.Fprintf(w, "%s: %s %s %s\n", term.Visible(p.Source), term.Visible(h.ID), h.Status, term.Visible(h.Target)); err != nil {
			return err
		}
	}
	return nil
}

func (f *macpShowFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, f.path); err != nil {
		return err
	}
	policy, err := f.load(f.Globals, c)
	if err != nil {
		return err
	}
	out, err := (&cli.FactsFlags{Format: f.format, Output: f.output}).Open(f.Globals, c)
	if err != nil {
		return err
	}
	work := func(t transcript) (macpSession, error) {
		read, wrong := macp.Read(t.doc)
		return macpSession{t.source, t.index, macp.Project(read, macp.Options{Policy: policy}), f.all, wrong}, t.hasMessages()
	}
	drawn := false
	f.lost = out.Unreadable
	unread, err := readTranscripts(c, &f.transcriptInput, args, work, func(t transcript, s macpSession) error {
		if len(s.wrong) > 0 {
			if err := out.Flush(); err != nil {
				return err
			}
			first := finding.Finding{Pointer: s.wrong[0].Pointer, Message: s.wrong[0].Message}
			f.progress.Fail(fmt.Errorf("%s: %s", t.origin, term.Visible(first.PlacedMessage())))
		}
		if f.pending {
			return out.Print(s.waiting())
		}
		if f.query.asked() {
			return f.query.answer(s, out, f.progress)
		}
		if drawn && !out.JSON {
			out.WriteString("\n") // sticky: a later write returns the error
		}
		drawn = true
		return out.Print(s)
	}, out.Flush)
	return cli.Answer(out.Close(err), unread, f.query.no)
}
