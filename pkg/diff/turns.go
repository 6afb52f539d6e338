package diff

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// turnsOf counts the edits of the lists of turns, which some messages have in a carried
// context.
func turnsOf(f format.Format, a, b *jsonstream.Document, e *Edit) Counts {
	var c Counts
	if e == nil {
		return c
	}
	if formats.Named(f).Carriers != nil {
		old, err := history.Of(a, f, jsonstream.Unlimited())
		if err != nil {
			return c
		}
		then, err := history.Of(b, f, jsonstream.Unlimited())
		if err != nil {
			return c
		}
		if old.Carrier().Exists() || then.Carrier().Exists() {
			e = editOf(e, then.Carrier())
		}
		switch {
		case e != nil && e.Inside != nil:
			e = e.Inside
		case e == nil || e.Edits == nil:
			return turnsApart(old, then)
		}
		f = then.ContextFormat
	}
	if e.New.Kind() == jsonstream.Array && e.Old.Kind() == jsonstream.Array {
		c.add(e) // the messages are the lists
		return c
	}
	for _, name := range formats.Named(f).Turns {
		if edit := child(e, name); edit != nil {
			c.add(edit)
		}
	}
	return c
}

// turnsApart counts the turns of conversations that cannot be compared: if only one has any,
// all its turns were added or removed.
func turnsApart(old, then *history.History) Counts {
	if len(old.Turns) > 0 && len(then.Turns) > 0 {
		return Counts{}
	}
	return Counts{Removed: len(old.Turns), Added: len(then.Turns)}
}

// editOf returns the edit that produced a value of the new document, nil if there is none.
func editOf(e *Edit, made jsonstream.Value) *Edit {
	if e.New == made && made.Exists() {
		return e
	}
	for _, inner := range e.Edits {
		if found := editOf(inner, made); found != nil {
			return found
		}
	}
	return nil
}

// child returns the edit of a member, nil if it is unchanged.
func child(e *Edit, name string) *Edit {
	for _, inner := range e.Edits {
		if inner.New.Name() == name || inner.Old.Name() == name {
			return inner
		}
	}
	return nil
}

// add counts the edits of a list.
func (c *Counts) add(list *Edit) {
	if list.Edits == nil && list.Old.Kind() == jsonstream.String && list.New.Kind() == jsonstream.String {
		c.Changed++ // the input_history of one user turn
		return
	}
	if begins(list.New, list.Old) {
		c.Added += list.New.Len() - 1
		return
	}
	if begins(list.Old, list.New) {
		c.Removed += list.Old.Len() - 1
		return
	}
	if list.Edits == nil {
		c.Removed += turnsIn(list.Old)
		c.Added += turnsIn(list.New)
	}
	for _, turn := range list.Edits {
		c.count(turn)
	}
}

// begins reports whether the first turn of a list is a turn of the user with the given text:
// one document has a list where the other has only this text.
func begins(list, text jsonstream.Value) bool {
	first := list.At("/0")
	return text.Kind() == jsonstream.String && first.Get("role").Text() == "user" && equal.Values(text, first.Get("content"))
}

func turnsIn(list jsonstream.Value) int {
	switch list.Kind() {
	case jsonstream.Array:
		return list.Len()
	case jsonstream.String:
		return 1
	default:
		return 0
	}
}
