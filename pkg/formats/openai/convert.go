package openai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// lists are the converted item lists in the view; input_items are carried.
var lists = []string{"/input_history/value", "/pre_handoff_items", "/new_items"}

var layout = exchange.Layout{BriefText: "/input_history/value/0/content"} // the brief has all rows

var codec = exchange.Codec{
	Layout:  &layout,
	Lists:   lists,
	Wrapped: "input_history",
	Open:    func(doc tree.Node) tree.Node { return doc.Mapped("input_history", openHistory) },
	Shut:    func(view tree.Node) tree.Node { return view.Mapped("input_history", exchange.Shut) },
	Read:    read,
	Write:   write,
	Counts: func(shape tree.Node, turns int) []int {
		before, _ := shape.Get("pre").Count()
		items, _ := shape.Get("new").Count()
		return []int{turns - before - items, before, items}
	},
	Check: checkSource,
	Holder: exchange.Holder{
		HolderAt: func(tree.Node) string { return "/pre_handoff_items" },
		Pack: func(carried tree.Node) tree.Node {
			return tree.Object(
				tree.Member{Name: "type", Value: tree.String(conversation.CarriedType)},
				tree.Member{Name: "name", Value: tree.String(conversation.CarriedName)},
				tree.Member{Name: "carried", Value: carried},
			)
		},
		Unpack: func(item tree.Node) (tree.Node, bool) { return item.Get("carried"), isCarried(item) },
	},
}

func read(v tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	var m exchange.Meaning
	var counts [3]int
	for l, list := range lists {
		items := tree.Elements(v.At(list))
		if l == 0 && len(items) > 0 {
			if brief := briefIn(items[0]); brief != tree.None {
				m.TakeBrief(brief, list+"/0/content")
				items = items[1:]
			}
		}
		if slices.ContainsFunc(items, isCarried) { // a residue is never a turn
			items = slices.DeleteFunc(slices.Clone(items), isCarried)
		}
		counts[l] = len(items)
		if len(m.Turns) == 0 {
			m.Turns = items
		} else if len(items) > 0 {
			m.Turns = slices.Concat(m.Turns, items)
		}
	}
	m.Turns = exchange.Each(m.Turns, chat.ItemTurn)
	if to, i, name := receiver(m.Turns); to != tree.None {
		l := 0
		for ; i >= counts[l]; l++ {
			i -= counts[l]
		}
		m.Take(exchange.RowTo, to, fmt.Sprintf("%s/%d/%s", lists[l], placeOfTurn(v.At(lists[l]), l, i), name))
	}
	return m, tree.Object(
		tree.Member{Name: "pre", Value: tree.Int(int64(counts[1]))},
		tree.Member{Name: "new", Value: tree.Int(int64(counts[2]))},
	)
}

// placeOfTurn returns the index in list l of the item from which turn i was read.
func placeOfTurn(list tree.Node, l, i int) int {
	for at, item := range tree.Elements(list) {
		if isCarried(item) || l == 0 && at == 0 && briefIn(item) != tree.None {
			continue
		}
		if i == 0 {
			return at
		}
		i--
	}
	return 0
}

// write splits the turns into the three lists by the counts in the shape, starting from the
// end, since mostly old turns are trimmed or added.
//
// Without a maker, results without a call are written as they are.
func write(m exchange.Meaning, shape tree.Node, k *exchange.Maker, _ exchange.Others) tree.Node {
	m.Turns = exchange.Spelled(m.Turns)
	items, _ := shape.Get("new").Count()
	before, _ := shape.Get("pre").Count()
	items = len(m.Turns) - min(items, len(m.Turns))
	before = items - min(before, items)
	called := map[string]bool{}
	itemsOf := func(list []tree.Node, turns []tree.Node) tree.Node {
		list = slices.Grow(list, len(turns))
		for _, t := range turns {
			before := len(list)
			list = chat.AppendItems(list, t)
			if call := chat.MissingCall(list[before:], t, called); call != tree.None && k != nil {
				k.Calls = append(k.Calls, call)
				list = slices.Insert(list, before, call)
			}
		}
		return tree.Array(list...)
	}
	if to, _, _ := receiver(m.Turns); to != tree.None && m.Values[exchange.RowTo] != tree.None && tree.Same(to, m.Values[exchange.RowTo]) {
		m.Values[exchange.RowTo] = tree.None // it is in the turns
	}
	var history []tree.Node
	if brief := m.Brief(&layout); brief != tree.None {
		history = append(history, exchange.UserMessage(brief.Labelled(briefLabel)))
	}
	return tree.Object(
		tree.Member{Name: "input_history", Value: exchange.Opened(exchange.FormList, itemsOf(history, m.Turns[:before]))},
		tree.Member{Name: "pre_handoff_items", Value: itemsOf(nil, m.Turns[before:items])},
		tree.Member{Name: "new_items", Value: itemsOf(nil, m.Turns[items:])},
	)
}

// receiver returns the agent named by the latest output of, or call to, a handoff tool of
// the Agents SDK, the index of that turn, and the member of its item with the name. It
// returns tree.None if there is none.
func receiver(turns []tree.Node) (agent tree.Node, turn int, member string) {
	for i, t := range slices.Backward(turns) {
		if content := t.Get("content").Text(); t.Get("role").Text() == "tool" && strings.HasPrefix(content, `{"assistant"`) {
			output, _ := tree.Parse([]byte(content))
			if agent := output.Get("assistant"); tree.IsString(agent) && output.Length() == 1 {
				return agent, i, "output"
			}
		}
		for _, c := range slices.Backward(exchange.CallsOf(t)) {
			if name, ok := strings.CutPrefix(c.Name.Text(), tool.Prefix); ok {
				return tree.String(name), i, "name"
			}
		}
	}
	return tree.None, 0, ""
}

// briefLabel marks the brief in a user turn (EAAPL-MAG006, section 10.1).
const briefLabel = conversation.ContextLabel + "\n"

// briefIn returns the brief in an item, or tree.None.
func briefIn(item tree.Node) tree.Node {
	if !item.Is(jsonstream.Object) || item.Length() != 2 || item.Get("role").Text() != "user" {
		return tree.None
	}
	brief, ok := item.Get("content").Unlabelled(briefLabel)
	if !ok || !exchange.IsBrief(brief) {
		return tree.None
	}
	return brief
}

// isCarried reports whether an item holds a residue.
func isCarried(item tree.Node) bool {
	return item.Get("type").Text() == conversation.CarriedType && item.Get("name").Text() == conversation.CarriedName
}

// openHistory returns the view of an input history.
func openHistory(n tree.Node) tree.Node {
	switch n.Kind() {
	case jsonstream.Array:
		return exchange.Opened(exchange.FormList, n)
	case jsonstream.String:
		return exchange.Opened(exchange.FormString, tree.Array(exchange.UserMessage(n)))
	default:
		return exchange.Opened(exchange.FormRaw, n)
	}
}

const ruleItems = "input data must have lists of items"

// checkSource reports lists and items of the wrong type.
func checkSource(c *exchange.Checker, doc tree.Node) {
	switch h := doc.Get("input_history"); {
	case h == tree.None:
		c.Add("/input_history", "is missing: input data must have a string or a list of items there")
	case h.Is(jsonstream.Array):
		checkItemsOf(c, h, "/input_history")
	case !tree.IsString(h):
		c.Add("/input_history", "expected string or array, found %s: %s", h.Kind(), ruleItems)
	}
	for _, name := range []string{"pre_handoff_items", "new_items"} {
		if list := c.Need(doc, "", name, jsonstream.Array, ruleItems); list != tree.None {
			checkItemsOf(c, list, "/"+name)
		}
	}
	if v := doc.Get("input_items"); v != tree.None && !v.Is(jsonstream.Null) {
		c.Need(doc, "", "input_items", jsonstream.Array, ruleItems)
	}
}

func checkItemsOf(c *exchange.Checker, list tree.Node, at string) {
	items := list.Children()
	for i := 0; items.Next(); i++ {
		if e := items.Value; !e.Is(jsonstream.Object) {
			c.Add(fmt.Sprintf("%s/%d", at, i), "expected object, found %s: %s", e.Kind(), ruleItems)
		}
	}
}
