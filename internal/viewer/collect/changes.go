package collect

import (
	"strings"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Limits of a shown difference.
const (
	maxChanges = 1000
	// Only both ends of an unchanged text longer than maxSame are shown.
	maxSame  = 240 // bytes
	sameEnds = 100
)

// addChanges adds the differences between two messages.
func addChanges(d *viewer.Details, old, new *jsonstream.Document) {
	edit := diff.Compare(old, new, diff.Options{})
	if edit == nil {
		return
	}
	addLeaves(d, edit, "")
}

// addLeaves adds the leaves of an edit; an edit inside a string is replaced by its inner edits.
func addLeaves(d *viewer.Details, edit *diff.Edit, holder string) {
	for leaf := range edit.Leaves() {
		switch {
		case leaf.Inside != nil:
			addLeaves(d, leaf.Inside, holder+leaf.Pointer())
		case len(d.Changes) == maxChanges:
			d.MoreChanges++
		default:
			c := newChange(leaf)
			c.Pointer = holder + c.Pointer
			d.Changes = append(d.Changes, c)
		}
	}
}

func newChange(leaf *diff.Edit) viewer.Change {
	c := viewer.Change{Kind: leaf.Kind, Pointer: leaf.Pointer()}
	if leaf.Kind == diff.Moved {
		c.From = leaf.Old.Pointer()
		return c
	}
	if leaf.Kind == diff.Changed && leaf.Old.Kind() == jsonstream.String && leaf.New.Kind() == jsonstream.String {
		for _, r := range diff.Words(leaf.Old.Text(), leaf.New.Text()) {
			if r.Same {
				c.Runs = append(c.Runs, viewer.Run{Same: endsOf(r.New)})
			} else {
				c.Runs = append(c.Runs, viewer.Run{Old: r.Old, New: r.New})
			}
		}
		return c
	}
	if leaf.Old.Exists() {
		c.Old = string(leaf.Old.Raw())
	}
	if leaf.New.Exists() {
		c.New = string(leaf.New.Raw())
	}
	return c
}

// endsOf returns a text, without its middle if it is long.
func endsOf(text string) string {
	if len(text) <= maxSame {
		return text
	}
	return strings.ToValidUTF8(text[:sameEnds], "") + " … " + strings.ToValidUTF8(text[len(text)-sameEnds:], "")
}
