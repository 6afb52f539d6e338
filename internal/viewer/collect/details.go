package collect

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// describe adds the content of a message for its receiver.
func describe(d *viewer.Details, doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) {
	root, layout := doc.Root(), formats.Named(f)
	var turns []conversation.Turn
	var pointers []string
	if h, err := history.Of(doc, f, limits); err == nil {
		root, turns, pointers = h.Root, h.Turns, h.Pointers()
		if h.ContextFormat != "" {
			layout = h.Layout()
		}
		if carrier := h.Carrier(); carrier.Exists() {
			d.Context, d.ContextFormat, d.Carrier = string(h.Context().Raw().Bytes), h.ContextFormat, carrier.Pointer()
		}
	}
	d.Sections = sections(root, layout)
	d.Turns = make([]viewer.Turn, 0, len(turns))
	for i, t := range turns {
		d.Turns = append(d.Turns, newTurn(t, pointers[i]))
	}
}

// sections returns the members of a message or context that have a title in its format, or all of
// them if the format has no titles. Members with turns are left out.
func sections(root jsonstream.Value, layout *format.Descriptor) []viewer.Section {
	list := []viewer.Section{}
	if root.Kind() != jsonstream.Object {
		return list
	}
	var turns []string
	if layout != nil {
		turns = layout.Turns
		for _, place := range layout.Outline {
			if root.At(place.Pointer).Exists() && !slices.Contains(turns, strings.TrimPrefix(place.Pointer, "/")) {
				list = append(list, viewer.Section{Title: place.Name, Pointer: place.Pointer})
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	for name, member := range root.Members() {
		if !slices.Contains(turns, name) {
			list = append(list, viewer.Section{Title: name, Pointer: member.Pointer()})
		}
	}
	return list
}

func newTurn(t conversation.Turn, pointer string) viewer.Turn {
	turn := viewer.Turn{Pointer: pointer, Role: t.Role, Name: t.Name(), Parts: []viewer.Part{}}
	for p := range conversation.Parts(t.Value) {
		part := viewer.Part{Kind: viewer.KindOf(p.Kind), Pointer: p.Value.Pointer(), ID: p.ID.Text(), Tool: p.Tool()}
		if text := saidBy(p); text.Exists() {
			part.Text = text.Pointer()
		}
		turn.Parts = append(turn.Parts, part)
	}
	return turn
}

// saidBy returns the string that is the whole text of a part, absent if there is none.
func saidBy(p conversation.Part) jsonstream.Value {
	if p.Value.Kind() == jsonstream.String {
		return p.Value
	}
	var names []string
	switch p.Kind {
	case conversation.Said:
		names = []string{"text", "content"}
	case conversation.Reasoning:
		names = []string{"text", "thinking", "content"}
	case conversation.Result:
		names = []string{"content", "output", "result"}
	}
	for _, name := range names {
		if v := p.Value.Get(name); v.Kind() == jsonstream.String {
			return v
		}
	}
	return jsonstream.Value{}
}

// maxFindings is the maximum number of findings shown for one message.
const maxFindings = 200

// addFindings adds at most most findings of a message, located in the context that it carries or in
// itself. doc is nil if the message is not JSON.
func (d *Draft) addFindings(v *viewer.Details, doc *jsonstream.Document, list []finding.Finding, most int) {
	var context *jsonstream.Document
	if v.Context != "" {
		context, _ = parse(jsonstream.NewRaw([]byte(v.Context)), d.Limits) // it has been parsed before
	}
	for _, f := range list {
		if len(v.Findings) == most {
			v.MoreFindings++
			continue
		}
		shown := viewer.Finding{
			Rule: d.rule(f.Rule), Severity: f.Severity, Pointer: f.Pointer, Message: f.Message, Line: f.Line, Column: f.Column,
		}
		in := doc
		if rest, ok := strings.CutPrefix(f.Pointer, v.Carrier+"/"); ok && v.Context != "" {
			shown.Pointer, shown.InContext, in = "/"+rest, true, context
		}
		if in != nil {
			shown.Words = words(in.Root().At(shown.Pointer), f.Words)
		}
		v.Findings = append(v.Findings, shown)
	}
}

// words returns a part of a string's text in UTF-16 code units; nil if there is no such part.
func words(v jsonstream.Value, part [2]int) *[2]int {
	text := v.Text()
	if part[1] <= part[0] || part[1] > len(text) {
		return nil
	}
	units := func(s string) (n int) {
		for _, c := range s {
			n += utf16.RuneLen(c)
		}
		return n
	}
	from := units(text[:part[0]])
	return &[2]int{from, from + units(text[part[0]:part[1]])}
}
