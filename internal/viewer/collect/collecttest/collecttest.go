// Package collecttest checks pages of any origin.
package collecttest

import (
	"context"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// Options returns options for a test page, with all rules.
func Options() collect.Options {
	return collect.Options{
		Title: "a test", Rules: append(validate.Rules(), chain.Rules()...),
		Doubt:    func(*chain.Task) string { return "" },
		Commands: func(collect.Subject) []viewer.Command { return []viewer.Command{} },
		Command:  func(task string, _ []string) string { return "show " + task },
	}
}

// A T is a test, or a property of package rapid.
type T interface {
	Context() context.Context
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Details checks a page and returns the details of all its handoffs.
func Details(t T, p collect.Page) []*viewer.Details {
	t.Helper()
	var list []*viewer.Details
	for i := range p.Index.Handoffs {
		d, err := p.Details(i)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	check(t, p.Index, list)
	return list
}

// check checks a page against the documentation of package viewer.
func check(t T, index *viewer.Index, list []*viewer.Details) {
	t.Helper()
	next := 0
	for _, task := range index.Tasks {
		if task.First != next {
			t.Errorf("task %q begins with %d, and the one before ends at %d", task.ID, task.First, next)
		}
		next = task.First + task.Count
		errors := 0
		for i := task.First; i < next; i++ {
			h := &index.Handoffs[i]
			errors += h.Errors
			switch {
			case h.Parent >= i || h.Parent >= 0 && h.Parent < task.First:
				t.Errorf("handoff %d has the parent %d", i, h.Parent)
			case h.Parent < 0 && h.Depth != 0, h.Parent >= 0 && h.Depth != index.Handoffs[h.Parent].Depth+1:
				t.Errorf("handoff %d has the depth %d", i, h.Depth)
			}
		}
		if errors != task.Errors {
			t.Errorf("task %q has %d errors, its handoffs %d", task.ID, task.Errors, errors)
		}
	}
	if next != len(index.Handoffs) {
		t.Errorf("the tasks have %d handoffs of %d", next, len(index.Handoffs))
	}
	for i, d := range list {
		checkDetails(t, index, i, d, list)
	}
}

func checkDetails(t T, index *viewer.Index, i int, d *viewer.Details, all []*viewer.Details) {
	t.Helper()
	message, context := rootOf(d.Message), rootOf(d.Message)
	if d.Context != "" {
		context = rootOf(d.Context)
	}
	resolves := func(what string, in jsonstream.Value, pointer string) {
		if !in.At(pointer).Exists() {
			t.Errorf("handoff %d: the pointer %q of %s leads to nothing", i, pointer, what)
		}
	}
	for _, s := range d.Sections {
		resolves("a section", context, s.Pointer)
	}
	for _, turn := range d.Turns {
		resolves("a turn", context, turn.Pointer)
		for _, part := range turn.Parts {
			resolves("a part", context, part.Pointer)
			if part.Text != "" && context.At(part.Text).Kind() != jsonstream.String {
				t.Errorf("handoff %d: the text %q of a part is not a string", i, part.Text)
			}
		}
	}
	for _, f := range d.Findings {
		if f.Rule >= len(index.Rules) {
			t.Errorf("handoff %d: a finding of rule %d", i, f.Rule)
		}
		in := message
		if f.InContext {
			in = context
		}
		if f.Words != nil && in.At(f.Pointer).Kind() != jsonstream.String {
			t.Errorf("handoff %d: a finding about words in %q, which is not a string", i, f.Pointer)
		}
	}
	if d.Compared < 0 {
		return
	}
	old := rootOf(all[d.Compared].Message)
	for _, c := range d.Changes {
		if c.Kind == "removed" {
			resolves("what was removed", old, c.Pointer)
		} else if d.Context == "" {
			resolves("a change", message, c.Pointer)
		}
	}
}

// rootOf returns the root of a text, absent if it is not JSON.
func rootOf(text string) jsonstream.Value {
	raw := jsonstream.NewRaw([]byte(text))
	doc, err := jsonstream.Parse(raw, jsonstream.Limits{})
	if err != nil {
		doc, err = jsonstream.ParseLines(raw, jsonstream.Limits{})
	}
	if err != nil {
		return jsonstream.Value{}
	}
	return doc.Root()
}
