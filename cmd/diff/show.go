package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/difftext"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
)

var errSeveral = errors.New("a patch needs exactly two documents: name two files with one message each, or use -f json")

// show writes the differences of a pair.
func (r *comparison) show(out *bytes.Buffer, p pair, e *diff.Edit) error {
	alone := p.old == nil || p.new == nil
	switch format := r.flags.format; {
	case format == "json":
		return writeChanges(out, p, e)
	case format != "text" && (alone || p.several()):
		return errSeveral
	case alone:
		r.showAlone(out, p)
		return nil
	case format == "text":
		heading := ""
		if p.several() {
			heading = p.heading()
		}
		return difftext.Write(out, r.width, r.colors, r.flags.text, heading, p.old.doc, p.new.doc, e)
	}
	text, err := r.patch(p, e)
	if null := (*diff.NullError)(nil); errors.As(err, &null) {
		return fmt.Errorf("%s:%d:%d: %s: %w: use -f jsonpatch", p.new.Source.Name, null.Line, null.Column, term.Visible(null.Pointer), err)
	}
	if err != nil {
		return err
	}
	out.Write(append(text, '\n'))
	return nil
}

// patch returns the patch from the old document to the new one.
func (r *comparison) patch(p pair, e *diff.Edit) ([]byte, error) {
	if r.flags.format == "jsonpatch" {
		return diff.JSONPatch(p.old.doc, p.new.doc, e, r.options, r.flags.invertible)
	}
	return diff.MergePatch(p.old.doc, p.new.doc, e, r.options)
}

// showAlone writes that a message is on one side only.
func (r *comparison) showAlone(out *bytes.Buffer, p pair) {
	mark, color := "+ added: ", r.colors.Green
	if p.new == nil {
		mark, color = "- removed: ", r.colors.Red
	}
	fmt.Fprintln(out, color(mark+p.heading()))
}

// heading names the messages of a pair.
func (p pair) heading() string {
	if !p.stream {
		if p.name != "" {
			return term.Visible(p.name)
		}
		return term.Visible(p.either().Source.Name)
	}
	var parts []string
	if p.name != "" {
		parts = append(parts, term.Visible(p.name)+":")
	}
	if id := p.either().is.ID; id != "" {
		parts = append(parts, "message "+term.Visible(id))
	} else {
		parts = append(parts, "message")
	}
	var places []string
	for _, s := range []*side{p.old, p.new} {
		if s != nil {
			places = append(places, s.Origin().String())
		}
	}
	return strings.Join(parts, " ") + " (" + strings.Join(places, ", ") + ")"
}

// either returns the old side of a pair, or else the new one.
func (p pair) either() *side {
	if p.old != nil {
		return p.old
	}
	return p.new
}

// A pairRecord is the result for one message, if several are compared.
type pairRecord struct {
	File      string        `json:"file,omitzero"` // relative to the directories
	HandoffID string        `json:"handoffId"`     // "" if it has none
	Kind      diff.Kind     `json:"kind"`          // changed, added or removed
	Old       *placeRecord  `json:"old,omitzero"`
	New       *placeRecord  `json:"new,omitzero"`
	Changes   []diff.Change `json:"changes,omitzero"`
}

// A placeRecord is the place of a message.
type placeRecord struct {
	Source string `json:"source"`
	Index  int    `json:"index"` // 0-based, within the source
}

// writeChanges writes the changes of a pair as one line of JSON: an array if it is the run's only
// pair; otherwise an object, and nothing if the pair does not differ.
func writeChanges(out *bytes.Buffer, p pair, e *diff.Edit) error {
	alone := p.old == nil || p.new == nil
	if !p.several() && !alone {
		return report.WriteJSON(out, e.Changes())
	}
	record := pairRecord{File: p.name, HandoffID: p.either().is.ID, Kind: diff.Changed, Old: placeOf(p.old), New: placeOf(p.new)}
	switch {
	case p.old == nil:
		record.Kind = diff.Added
	case p.new == nil:
		record.Kind = diff.Removed
	case e == nil:
		return nil
	default:
		record.Changes = e.Changes()
	}
	return report.WriteJSON(out, record)
}

func placeOf(s *side) *placeRecord {
	if s == nil {
		return nil
	}
	return &placeRecord{s.Source.Name, s.Index}
}
