package diff

import (
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// MeaningOf returns the meaning of the change from a to b, nil unless they are messages of the
// same format: of f, or of the detected one if f is "". The changes of lists come from e, the
// comparison of the two; everything else is read from the messages, even if the comparison left
// it out.
func MeaningOf(a, b *jsonstream.Document, e *Edit, f format.Format) []format.Change {
	if f = formatOf(a.Root(), b.Root(), f); f == "" {
		return nil
	}
	var changes []format.Change
	d := formats.Named(f)
	if d.Changes != nil {
		changes = d.Changes(format.Comparison{Old: a.Root(), New: b.Root(), List: func(name string) format.ListEdits { return listEdits(e, name) }})
	}
	counts := turnsOf(f, a, b, e)
	changes = append(changes,
		format.Change{Noun: "turn", Count: counts.Added, Became: "added"}, format.Change{Noun: "turn", Count: counts.Removed, Became: "removed"},
		format.Change{Noun: "turn", Count: counts.Changed, Became: "changed"}, format.Change{Noun: "turn", Count: counts.Moved, Became: "moved"})
	changes = append(changes, costs(a.Root(), b.Root(), d.Costs)...)
	if d.Signature != nil {
		changes = append(changes, signature(a.Root(), b.Root(), d.Signature[0])...)
	}
	return slices.DeleteFunc(changes, func(c format.Change) bool { return c.Noun != "" && c.Count == 0 })
}

// listEdits returns the edits of the elements of a member.
func listEdits(e *Edit, name string) (edits format.ListEdits) {
	if e == nil {
		return edits
	}
	list := child(e, name)
	if list == nil {
		return edits
	}
	var t Counts
	t.add(list)
	edits.Added, edits.Removed, edits.Changed, edits.Moved = t.Added, t.Removed, t.Changed, t.Moved
	for _, inner := range list.Edits {
		if inner.Kind == Added {
			edits.New = append(edits.New, inner.New)
		}
	}
	return edits
}

// costs returns the increase of the costs.
func costs(a, b jsonstream.Value, at format.Costs) []format.Change {
	var changes []format.Change
	if at == (format.Costs{}) {
		return nil
	}
	switch tokens := delta(a, b, at.Prompt, at.Completion); tokens {
	case "", "0":
	case "1", "-1":
		changes = append(changes, format.Change{Text: "% token", By: tokens})
	default:
		changes = append(changes, format.Change{Text: "% tokens", By: tokens})
	}
	if budget := delta(a, b, at.Remaining); budget != "" && budget != "0" {
		changes = append(changes, format.Change{Text: "budget % USD", By: budget})
	}
	return changes
}

// delta returns the increase of the sum of some numbers, "" unless all are present and safe to
// compute with.
func delta(a, b jsonstream.Value, pointers ...string) string {
	var sum message.Decimal
	for _, p := range pointers {
		was, err := number(a.At(p))
		if err != nil {
			return ""
		}
		is, err := number(b.At(p))
		if err != nil {
			return ""
		}
		sum = sum.Add(is).Sub(was)
	}
	return sum.String()
}

func number(v jsonstream.Value) (message.Decimal, error) {
	return message.Number(v.Raw()).Decimal() // fails for other kinds
}

// signature returns the change of a signature. A comparison cannot verify it.
func signature(a, b jsonstream.Value, name string) []format.Change {
	was, is := a.Get(name), b.Get(name)
	signedBefore, signedNow := isSigned(was), isSigned(is)
	switch {
	case !signedBefore && !signedNow:
	case !signedBefore:
		return []format.Change{{Text: "signed"}}
	case !signedNow:
		return []format.Change{{Text: "signature removed", Loss: true}}
	case !equal.Values(was, is):
		return []format.Change{{Text: "signed again"}}
	case !equal.Values(a, b):
		return []format.Change{{Text: "signature no longer covers this", Loss: true}}
	}
	return nil
}

func isSigned(signature jsonstream.Value) bool {
	return signature.Exists() && signature.Kind() != jsonstream.Null
}
