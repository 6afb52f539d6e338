package audit

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

func newSubject(g *cli.Globals) *cobra.Command {
	var f subjectFlags
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "subject ID",
		Short: "List a person's data in the audit log",
		Long: `Subject lists the records with personal data of one data subject: the time, the sender
and the receiver of each handoff, and the data itself, unless it was erased (GDPR,
Article 15). The id is the one that the policy of accept --personal-data finds in
messages; a message without an id is a separate subject, identified by the number of its
record.

Exit code 1: there is no data of this subject.`,
		Example: `  handoff audit subject C-4711
  handoff audit subject C-4711 -f json | jq -r '.data[].value'
  handoff audit subject --record 17`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			subject, err := f.subject(c, args)
			if err != nil {
				return err
			}
			return f.with(c, func(log *audit.Log, s *personal.Sealer) error {
				out, err := g.OpenData(facts.Output, c.OutOrStdout())
				if err != nil {
					return err
				}
				print := printHeld
				if facts.Format == "json" {
					print = printHeldJSON
				}
				return out.Close(log.Store().View(c.Context(), func(r audit.Reader) error {
					return s.Held(c.Context(), r, subject, func(h personal.Held) error { return print(out, h) })
				}))
			})
		},
	}
	f.register(g, c)
	facts.Register(c, "output format: text, json (one line per record)", "write the output to `FILE`")
	cli.OnlyForCall(c, "subject", "record")
	return c
}

// printHeld prints a record with its personal data, as text.
func printHeld(w io.Writer, h personal.Held) error {
	r := h.Record
	if _, err := fmt.Fprintf(w, "record %d, %s, %s, %s -> %s, handoff %s, task %s\n", r.Sequence, audit.FormatTime(r.RecordedAt), r.Event,
		visible(r.Sender), visible(r.Receiver), visible(r.HandoffID), visible(r.TaskID)); err != nil {
		return err
	}
	if e := h.Erased; e != nil {
		by := ""
		if e.Details.By != "" {
			by = " by " + term.Visible(e.Details.By)
		}
		_, err := fmt.Fprintf(w, "  erased at %s%s (record %d): %s\n", audit.FormatTime(e.RecordedAt), by, e.Sequence, term.Visible(e.Details.Explanation))
		return err
	}
	for _, d := range h.Data {
		if _, err := fmt.Fprintf(w, "  %s: %s: %s\n", visible(d.Pointer), d.Class, term.Visible(d.Value)); err != nil {
			return err
		}
	}
	return nil
}

// visible returns a text, or a placeholder if it is empty.
func visible(text string) string {
	if text == "" {
		return "?"
	}
	return term.Visible(text)
}

// heldJSON is a line of "subject -f json".
type heldJSON struct {
	Record jsontext.Value   `json:"record"`
	Data   []personal.Datum `json:"data"` // empty after erasure
	Erased *erasedJSON      `json:"erased,omitzero"`
}

type erasedJSON struct {
	Record int64  `json:"record"` // its sequence number
	At     string `json:"at"`
	By     string `json:"by,omitzero"`
	Reason string `json:"reason"`
}

func printHeldJSON(w io.Writer, h personal.Held) error {
	record, err := h.Record.AppendJSON(nil)
	if err != nil {
		return err
	}
	line := heldJSON{Record: record, Data: h.Data}
	if e := h.Erased; e != nil {
		line.Erased = &erasedJSON{e.Sequence, audit.FormatTime(e.RecordedAt), e.Details.By, e.Details.Explanation}
	}
	text, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
