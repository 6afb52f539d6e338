package macp

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// A handoffQuery queries one handoff of each session.
type handoffQuery struct {
	shown, accepted, declined, context string // ids
	no                                 bool   // the answer for a session was no
}

func (q *handoffQuery) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&q.shown, "handoff", "", "show the handoff with this `ID`")
	flags.StringVar(&q.context, "context-of", "", "write the last context of the handoff with this `ID`, unchanged")
	flags.StringVar(&q.accepted, "accepted", "", "exit with 0 if the handoff `ID` was accepted")
	flags.StringVar(&q.declined, "declined", "", "exit with 0 if the handoff `ID` was declined")
}

func (q *handoffQuery) id() string { return cmp.Or(q.shown, q.context, q.accepted, q.declined) }

func (q *handoffQuery) asked() bool { return q.id() != "" }

// A macpHandoff is the output of --handoff for one transcript.
type macpHandoff struct {
	Source    string `json:"source"`
	Index     int    `json:"index"`
	SessionID string `json:"session_id"`
	macp.Handoff
}

// WriteText writes the handoff in a line, in the form of --pending.
func (h macpHandoff) WriteText(w io.Writer, _ int, _ term.Palette) error {
	_, err := fmt.Fprintf(w, "%s: %s %s %s\n", term.Visible(h.Source), term.Visible(h.ID), h.Status, term.Visible(h.Target))
	return err
}

// answer writes the answer for one session.
func (q *handoffQuery) answer(s macpSession, out *cli.Facts, progress *term.Progress) error {
	id := q.id()
	h, there := s.Handoff(id)
	switch {
	case !there:
		q.no = true
		progress.Fail(fmt.Errorf("%s: no handoff has the id %s: the session has %d", term.Visible(s.Source), term.Visible(fmt.Sprintf("%q", id)), len(s.Handoffs)))
		return nil
	case q.shown != "":
		return out.Print(macpHandoff{s.Source, s.Index, s.SessionID, h})
	case q.context != "":
		given := s.Contexts[id]
		if len(given) == 0 {
			q.no = true
			progress.Fail(fmt.Errorf("%s: there is no context for the handoff %s", term.Visible(s.Source), term.Visible(fmt.Sprintf("%q", id))))
			return nil
		}
		last := given[len(given)-1]
		if len(given) > 1 {
			progress.Fail(fmt.Errorf("%s: wrote the last of %d contexts, %s", term.Visible(s.Source), len(given), term.Visible(last.ContentType)))
		}
		_, err := out.Write(last.Context)
		return err
	case q.accepted != "":
		q.no = q.no || h.Status != macp.Accepted
	default:
		q.no = q.no || h.Status != macp.Declined
	}
	return nil
}
