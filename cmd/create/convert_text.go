package create

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
)

// A convertRecord is the report on one converted message.
type convertRecord struct {
	Source string `json:"source"`
	Index  int    `json:"index"`
	convert.Report
	place   input.Origin
	omitted []string
}

// omissions describes the turns in a session that are not part of the conversation and so are not converted,
// except for the program's own notes.
func omissions(f format.Format, text []byte, limits jsonstream.Limits) (notes []string) {
	if !slices.Contains(session.Agents(), session.Agent(f)) {
		return nil
	}
	s, err := session.Read(bytes.NewReader(text), int64(len(text)), session.Options{TailBytes: 1, Limits: limits})
	if err != nil || string(s.Agent) != string(f) { // the user has named the format of another document
		return nil
	}
	for _, o := range s.Omissions {
		if o.Cause == session.ByProgram {
			continue
		}
		notes = append(notes, fmt.Sprintf("%s %s, first in line %d", term.Plural(o.Turns, "turn"), o.Cause.Describe(), o.Lines[0]))
	}
	return notes
}

// publish writes the reports, or only the notices.
func (f *convertFlags) publish(stderr io.Writer, news []any) error {
	if f.quiet {
		return nil
	}
	for _, n := range news {
		r := n.(convertRecord)
		if f.report && f.format == "json" {
			if err := report.WriteJSON(stderr, r); err != nil {
				return err
			}
			continue
		}
		if f.report {
			fmt.Fprintf(stderr, "handoff: %s: %s → %s\n", r.place, r.From, r.To)
			r.writeMembers(stderr)
		}
		if made := r.madeUp(); made != "" && !f.told[made] && !f.report {
			if f.told == nil {
				f.told = map[string]bool{}
			}
			f.told[made] = true
			fmt.Fprintf(stderr, "handoff: %s: %s\n", r.place, made)
		}
		if len(r.omitted) > 0 {
			fmt.Fprintf(stderr, "handoff: %s: not converted, because not part of the conversation: %s\n", r.place, strings.Join(r.omitted, "; "))
		}
		r.writeNotices(stderr)
	}
	return nil
}

// madeUp names the made-up values that flags set, with the flags; "" for none.
func (r convertRecord) madeUp() string {
	var list []string
	for _, m := range r.MadeUp {
		switch m.Setting {
		case "":
		case "budget":
			list = append(list, "a remaining budget of 0 (--budget)")
		default:
			list = append(list, fmt.Sprintf("%s = %s (--%s)", placeIn(m.Pointer), term.Clip(string(m.Value), maxMadeUp), m.Setting))
		}
	}
	if list == nil {
		return ""
	}
	return "made up, because the source has none: " + strings.Join(list, ", ") + "; receivers reject such values: give them with these flags"
}

// maxMadeUp is the maximum width of a made-up value in the report, in columns.
const maxMadeUp = 60

// writeMembers lists the members by the result of their conversion.
func (r convertRecord) writeMembers(w io.Writer) {
	for _, m := range r.Mapped {
		fmt.Fprintf(w, "  mapped   %s → %s%s\n", placeIn(m.From), placeIn(m.To), ofTurns(m.Turns))
	}
	for _, at := range r.Implied {
		fmt.Fprintf(w, "  implied  %s\n", placeIn(at))
	}
	for _, m := range r.Carried {
		fmt.Fprintf(w, "  carried  %s in %s%s\n", placeIn(m.Pointer), placeIn(m.Place), ofTurns(m.Turns))
	}
	for _, m := range r.MadeUp {
		fmt.Fprintf(w, "  made up  %s = %s: %s\n", placeIn(m.Pointer), term.Clip(string(m.Value), maxMadeUp), m.Rule)
	}
	for _, m := range r.Filled {
		fmt.Fprintf(w, "  lenient  %s: %s\n", placeIn(m.Pointer), term.Visible(m.Message))
	}
}

// placeIn formats a JSON Pointer.
func placeIn(pointer string) string {
	if pointer == "" {
		return "the document"
	}
	return term.Visible(pointer)
}

func ofTurns(n int) string {
	if n == 0 {
		return ""
	}
	return " (" + term.Plural(n, "turn") + ")"
}

// writeNotices lists the parts of the source that are no longer valid or present.
func (r convertRecord) writeNotices(w io.Writer) {
	for _, m := range r.Changed {
		fmt.Fprintf(w, "handoff: %s: %s%s: changed since it was converted: its carried data is left out\n", r.place, placeIn(m.Pointer), ofTurns(m.Turns))
	}
	if r.Signature != "" {
		fmt.Fprintf(w, "handoff: %s: the signature does not cover the converted message, and is kept as data\n", r.place)
	}
}
