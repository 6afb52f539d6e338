package inspect

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
)

// foreign draws the facts that are specific to a format other than the canonical one.
func (p *drawing) foreign(f inspect.Facts) {
	p.Line()
	p.Label("format", formats.Named(f.Format).Kind)
	p.detected(f.Detected)
	alike := 0 // consecutive labels with the same name
	for i, l := range f.Profile.Labels {
		if i > 0 && l.Name != f.Profile.Labels[i-1].Name {
			p.More(alike - term.MaxRows)
			alike = 0
		}
		if alike++; alike > term.MaxRows {
			continue
		}
		if value := textOf(l.Value, l.Amounts); value != "" || !l.Optional {
			p.Label(l.Name, value)
		}
	}
	p.More(alike - term.MaxRows)
	for _, s := range f.Profile.Sections {
		if s.Title != "" {
			p.Section(s.Title, textOf("", s.Summary))
		}
		for _, row := range s.Rows[:min(len(s.Rows), term.MaxRows)] {
			p.cells(row)
		}
		p.More(len(s.Rows) - term.MaxRows)
	}
}

// detected draws the evidence for the format of the message.
func (p *drawing) detected(d *inspect.Detected) {
	if d == nil {
		return
	}
	var why []string
	if len(d.Members) > 0 {
		why = append(why, "members: "+strings.Join(d.Members, ", "))
	}
	switch {
	case d.Turn != "":
		why = append(why, d.Turn+", a turn of no other format")
	case len(why) == 0:
		why = append(why, "no evidence: assumed as the most common format")
	}
	p.Label("detected by", term.Visible(strings.Join(why, "; ")))
	if len(d.Also) > 0 {
		var also []string
		for _, f := range d.Also {
			also = append(also, string(f))
		}
		p.Label("also fits", strings.Join(also, ", "))
	}
}

// textOf returns text or, if there are any, the amounts instead of it.
func textOf(text string, amounts []format.Amount) string {
	if len(amounts) == 0 {
		return text
	}
	var parts []string
	for _, a := range amounts[:min(len(amounts), term.MaxRows)] {
		if a.Noun != "" {
			parts = append(parts, term.Plural(a.Count, a.Noun))
		} else {
			parts = append(parts, term.Grouped(int64(a.Count))+" "+a.Word)
		}
	}
	return strings.Join(parts, ", ")
}

// cells draws a row.
func (p *drawing) cells(row []format.Cell) {
	line, room := "", p.Width
	for i, c := range row {
		text := textOf(c.Text, c.Amounts)
		room -= len("  ")
		switch {
		case c.Columns > 0:
			text = term.Left(text, c.Columns)
		case c.MaxLength > 0:
			text = term.Clip(text, c.MaxLength)
		case i == len(row)-1:
			text = term.Clip(text, room)
		}
		room -= term.Width(text)
		line += "  " + term.ToneColor(p.Palette, c.Tone)(text)
	}
	p.Line(line)
}

// carried draws the sizes of the members of a carried context.
func (p *drawing) carried(c *inspect.Context, counted bool) {
	if c == nil {
		return
	}
	p.Section("In the context", fmt.Sprintf("%s at %s", term.Plural(c.Bytes, "byte"), term.Visible(c.Pointer)))
	p.members(c.Members, counted)
}
