package diff_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A change is an old value, its new one, and a function that returns the edit between them after
// both have been read: nil if they are equal.
type change struct {
	old, new string
	edit     func(old, new jsonstream.Value) *diff.Edit
	whole    bool // whether the whole value is replaced
}

func unchanged(text string) change {
	return change{old: text, new: text, edit: func(_, _ jsonstream.Value) *diff.Edit { return nil }}
}

var awkward = []string{"", "a", "b", "~", "/", "-", "0", "~1", "é", "\\u0061b"}

func randomScalar(t *rapid.T) string {
	return rapid.SampledFrom([]string{"true", "0", "1", `"x"`, `"\/"`, "[]", "{}", "1e400"}).Draw(t, "scalar")
}

// randomChange makes every kind of edit, including some that no comparison would find.
func randomChange(t *rapid.T, depth int) change {
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case depth > 0 && kind > 6:
		return randomMembers(t, depth)
	case depth > 0 && kind > 2:
		return randomElements(t, depth)
	case kind == 2:
		c := change{old: randomScalar(t), new: randomScalar(t), whole: true}
		c.edit = func(old, new jsonstream.Value) *diff.Edit { return &diff.Edit{Kind: diff.Changed, Old: old, New: new} }
		return c
	default:
		return unchanged(randomScalar(t))
	}
}

func randomMembers(t *rapid.T, depth int) change {
	var olds, news []string
	var edits []func(old, new jsonstream.Value) *diff.Edit
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(awkward), 0, 5, rapid.ID).Draw(t, "names") {
		c := randomChange(t, depth-1)
		place := strings.ReplaceAll(name, `\u0061`, "a")
		switch rapid.IntRange(0, 3).Draw(t, "fate") {
		case 0:
			olds = append(olds, fmt.Sprintf(`"%s":%s`, name, c.old))
			edits = append(edits, func(old, _ jsonstream.Value) *diff.Edit { return &diff.Edit{Kind: diff.Removed, Old: old.Get(place)} })
		case 1:
			news = append(news, fmt.Sprintf(`"%s":%s`, name, c.new))
			edits = append(edits, func(_, new jsonstream.Value) *diff.Edit { return &diff.Edit{Kind: diff.Added, New: new.Get(place)} })
		default:
			olds = append(olds, fmt.Sprintf(`"%s":%s`, name, c.old))
			news = append(news, fmt.Sprintf(`"%s": %s`, name, c.new))
			edits = append(edits, func(old, new jsonstream.Value) *diff.Edit { return c.edit(old.Get(place), new.Get(place)) })
		}
	}
	if len(news) > 1 {
		news = rapid.Permutation(news).Draw(t, "order")
	}
	return change{
		old:  "{" + strings.Join(olds, ",") + "}",
		new:  "{" + strings.Join(news, ",") + "}",
		edit: func(old, new jsonstream.Value) *diff.Edit { return changed(old, new, edits) },
	}
}

func changed(old, new jsonstream.Value, edits []func(old, new jsonstream.Value) *diff.Edit) *diff.Edit {
	e := &diff.Edit{Kind: diff.Changed, Old: old, New: new}
	for _, edit := range edits {
		if inner := edit(old, new); inner != nil {
			e.Edits = append(e.Edits, inner)
		}
	}
	if e.Edits == nil {
		return nil
	}
	return e
}

func randomElements(t *rapid.T, depth int) change {
	type element struct {
		change
		from  int // -1 for an added one
		moved bool
	}
	var olds []string
	var elements []element // of the new array
	var others []element
	var edits []func(old, new jsonstream.Value) *diff.Edit
	for range rapid.IntRange(0, 7).Draw(t, "elements") {
		el := element{change: randomChange(t, depth-1), from: len(olds)}
		fate := rapid.IntRange(0, 5).Draw(t, "fate")
		if fate == 0 {
			el.from = -1
			others = append(others, el)
			continue
		}
		olds = append(olds, el.old)
		switch fate {
		case 1:
			edits = append(edits, func(old, _ jsonstream.Value) *diff.Edit {
				return &diff.Edit{Kind: diff.Removed, Old: elementAt(old, el.from)}
			})
		case 2, 3:
			el.moved = true
			if el.whole {
				el.change = unchanged(el.old)
			}
			others = append(others, el)
		default:
			elements = append(elements, el)
		}
	}
	for _, el := range others {
		elements = slices.Insert(elements, rapid.IntRange(0, len(elements)).Draw(t, "place"), el)
	}
	var news []string
	for i, el := range elements {
		news = append(news, el.new)
		edits = append(edits, func(old, new jsonstream.Value) *diff.Edit {
			if el.from < 0 {
				return &diff.Edit{Kind: diff.Added, New: elementAt(new, i)}
			}
			inner := el.edit(elementAt(old, el.from), elementAt(new, i))
			if !el.moved {
				return inner
			}
			moved := &diff.Edit{Kind: diff.Moved, Old: elementAt(old, el.from), New: elementAt(new, i)}
			if inner != nil {
				moved.Edits = inner.Edits
			}
			return moved
		})
	}
	return change{
		old:  "[" + strings.Join(olds, ",") + "]",
		new:  "[ " + strings.Join(news, " , ") + " ]",
		edit: func(old, new jsonstream.Value) *diff.Edit { return changed(old, new, edits) },
	}
}

func elementAt(v jsonstream.Value, i int) jsonstream.Value { return v.At(fmt.Sprintf("/%d", i)) }
