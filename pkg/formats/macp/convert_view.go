package macp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// mappedTypes are the types of the mapped messages, one message each.
var mappedTypes = []string{"SessionStart", "HandoffOffer", "HandoffContext"}

// openMessages separates the mapped messages of a transcript from the others, which belong
// to one handoff and do not fit another.
func openMessages(n tree.Node) tree.Node {
	if !n.Is(jsonstream.Array) {
		return exchange.Opened(exchange.FormRaw, n)
	}
	mapped := mappedMessages(n)
	view := tree.Object(tree.Member{Name: "form", Value: tree.String(exchange.FormList)})
	var at tree.Node
	var others []tree.Node
	for i, m := range tree.Elements(n) {
		t := slices.Index(mapped[:], i)
		if t < 0 {
			others = append(others, m)
			continue
		}
		name := mappedTypes[t]
		if content := m.At("/payload/context"); name == "HandoffContext" && content != tree.None {
			m = m.Set("/payload/context", exchange.Open(content))
		}
		view = view.With(name, m)
		at = at.With(name, tree.Int(int64(i)))
	}
	last := view.Get("HandoffOffer")
	of := []tree.Node{tree.Null(), tree.Null(), tree.Null()}
	for i, v := range []tree.Node{tree.String(handoffOf(last)), last.Get("sender"), last.At("/payload/target_participant")} {
		if v != tree.None {
			of[i] = v
		}
	}
	return view.With("others", tree.Object(
		tree.Member{Name: "of", Value: tree.Array(of...)}, tree.Member{Name: "list", Value: tree.Array(others...)},
	)).With("at", tree.Object().Merge(at))
}

// mappedMessages returns the indices of the mapped messages, in the order of mappedTypes:
// the first start of the session, the last offer, and the last context for it; -1 for a
// missing one.
func mappedMessages(messages tree.Node) [3]int {
	at := [3]int{-1, -1, -1}
	if !messages.Is(jsonstream.Array) {
		return at
	}
	id := ""
	c := messages.Children()
	for i := 0; c.Next(); i++ {
		if m := c.Value; typeOf(m) == "HandoffOffer" && m.Get("payload").Is(jsonstream.Object) {
			at[1], id = i, handoffOf(m)
		}
	}
	c = messages.Children()
	for i := 0; c.Next(); i++ {
		m := c.Value
		switch typeOf(m) {
		case "SessionStart":
			if at[0] < 0 && m.Get("payload").Is(jsonstream.Object) {
				at[0] = i
			}
		case "HandoffContext":
			if at[1] >= 0 && m.Get("payload").Is(jsonstream.Object) && handoffOf(m) == id {
				at[2] = i
			}
		}
	}
	return at
}

func typeOf(message tree.Node) string {
	return cmp.Or(message.Get("message_type").Text(), message.Get("messageType").Text())
}

func handoffOf(message tree.Node) string {
	return cmp.Or(message.At("/payload/handoff_id").Text(), message.At("/payload/handoffId").Text())
}

// shutMessages undoes openMessages.
func shutMessages(n tree.Node) tree.Node {
	if n.Get("form").Text() != exchange.FormList {
		return exchange.Shut(n)
	}
	type placed struct {
		at      int
		message tree.Node
	}
	var mapped []placed
	for i, name := range mappedTypes {
		m := n.Get(name)
		if m == tree.None {
			continue
		}
		at, ok := n.Get("at").Get(name).Count()
		if !ok {
			at = i
			if len(mapped) > 0 {
				at = mapped[len(mapped)-1].at + 1
			}
		}
		if content := m.At("/payload/context"); name == "HandoffContext" && content != tree.None {
			m = m.Set("/payload/context", exchange.Shut(content))
		}
		mapped = append(mapped, placed{at, m})
	}
	slices.SortStableFunc(mapped, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	var all []tree.Node
	rest := tree.Elements(n.At("/others/list"))
	for len(mapped) > 0 || len(rest) > 0 {
		if len(rest) == 0 || len(mapped) > 0 && mapped[0].at <= len(all) {
			all = append(all, mapped[0].message)
			mapped = mapped[1:]
		} else {
			all = append(all, rest[0])
			rest = rest[1:]
		}
	}
	return tree.Array(all...)
}

// rawContext returns the context of a transcript as written.
func rawContext(doc tree.Node) tree.Node {
	messages := doc.Get("messages")
	if i := mappedMessages(messages)[2]; i >= 0 {
		return messages.At(fmt.Sprintf("/%d/payload/context", i))
	}
	return tree.None
}
