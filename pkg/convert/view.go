package convert

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// view returns a message with what is encoded in it laid open, so that parts of it can be
// compared and carried. unview takes it back; what is not quite the same then is how
// encoded texts were written.
func view(f format.Format, doc node) node {
	switch f {
	case format.SW4RMRequest:
		if s := doc.get("context_snapshot"); s != none {
			return doc.with("context_snapshot", open(s))
		}
	case format.OpenAI:
		if h := doc.get("input_history"); h != none {
			return doc.with("input_history", openHistory(h))
		}
	case format.MACP:
		if messages := doc.get("messages"); messages != none {
			return doc.with("messages", openMessages(messages))
		}
	}
	return doc
}

func unview(f format.Format, v node) node {
	switch f {
	case format.SW4RMRequest:
		if s := v.get("context_snapshot"); s != none {
			return v.with("context_snapshot", shut(s))
		}
	case format.OpenAI:
		if h := v.get("input_history"); h != none {
			return v.with("input_history", shut(h))
		}
	case format.MACP:
		if messages := v.get("messages"); messages != none {
			return v.with("messages", shutMessages(messages))
		}
	}
	return v
}

// The forms in which a view says that a value was written.
const (
	formRaw    = "raw"    // as it is
	formBase64 = "base64" // an object, as a string
	formInline = "inline" // an object, which should be a string
	formList   = "list"
	formString = "string" // of the one turn in a list
)

func opened(form string, value node) node {
	return object(member{name: "form", value: text(form)}, member{name: "value", value: value})
}

// open lays open an object that may be encoded.
func open(n node) node {
	if n.is(jsonstream.Object) {
		return opened(formInline, n)
	}
	if value, ok := n.decode(); ok && value.is(jsonstream.Object) {
		return opened(formBase64, value)
	}
	return opened(formRaw, n)
}

// openHistory lays open an input history.
func openHistory(n node) node {
	switch n.kind() {
	case jsonstream.Array:
		return opened(formList, n)
	case jsonstream.String:
		return opened(formString, array(userMessage(n)))
	default:
		return opened(formRaw, n)
	}
}

func userMessage(content node) node {
	return object(member{name: "role", value: text("user")}, member{name: "content", value: content})
}

// shut takes back what open and openHistory do. What is no such thing stays as it is.
func shut(n node) node {
	value := n.get("value")
	if value == none {
		return n
	}
	switch n.get("form").str() {
	case formBase64:
		return value.encode()
	case formString:
		if content := value.at("/0/content"); content.is(jsonstream.String) && same(value, array(userMessage(content))) {
			return content
		}
	}
	return value
}

// mappedTypes are the types of the messages of a transcript that are mapped, one of
// each.
var mappedTypes = []string{"SessionStart", "HandoffOffer", "HandoffContext"}

// openMessages parts the mapped messages of a transcript from the others, which are said
// to be of the handoff that the agents make: they do not fit another one.
func openMessages(n node) node {
	if !n.is(jsonstream.Array) {
		return opened(formRaw, n)
	}
	mapped := mappedMessages(n)
	view := object(member{name: "form", value: text(formList)})
	var at node
	var others []node
	for i, m := range elementsOf(n) {
		t := slices.Index(mapped[:], i)
		if t < 0 {
			others = append(others, m)
			continue
		}
		name := mappedTypes[t]
		if content := m.at("/payload/context"); name == "HandoffContext" && content != none {
			m = m.set("/payload/context", open(content))
		}
		view = view.with(name, m)
		at = at.with(name, number(int64(i)))
	}
	last := view.get("HandoffOffer")
	of := []node{null(), null(), null()}
	for i, v := range []node{text(handoffOf(last)), last.get("sender"), last.at("/payload/target_participant")} {
		if v != none {
			of[i] = v
		}
	}
	return view.with("others", object(
		member{name: "of", value: array(of...)}, member{name: "list", value: array(others...)},
	)).with("at", object().merge(at))
}

// mappedMessages returns the indices of the mapped messages, in the order of mappedTypes:
// the first start of the session, the last offer, and the last context for it; -1 for one
// that is not there.
func mappedMessages(messages node) [3]int {
	at := [3]int{-1, -1, -1}
	if !messages.is(jsonstream.Array) {
		return at
	}
	id := ""
	c := messages.children()
	for i := 0; c.next(); i++ {
		if m := c.value; typeOf(m) == "HandoffOffer" && m.get("payload").is(jsonstream.Object) {
			at[1], id = i, handoffOf(m)
		}
	}
	c = messages.children()
	for i := 0; c.next(); i++ {
		m := c.value
		switch typeOf(m) {
		case "SessionStart":
			if at[0] < 0 && m.get("payload").is(jsonstream.Object) {
				at[0] = i
			}
		case "HandoffContext":
			if at[1] >= 0 && m.get("payload").is(jsonstream.Object) && handoffOf(m) == id {
				at[2] = i
			}
		}
	}
	return at
}

func typeOf(message node) string {
	return cmp.Or(message.get("message_type").str(), message.get("messageType").str())
}

func handoffOf(message node) string {
	return cmp.Or(message.at("/payload/handoff_id").str(), message.at("/payload/handoffId").str())
}

// shutMessages takes back what openMessages does.
func shutMessages(n node) node {
	if n.get("form").str() != formList {
		return shut(n)
	}
	type placed struct {
		at      int
		message node
	}
	var mapped []placed
	for i, name := range mappedTypes {
		m := n.get(name)
		if m == none {
			continue
		}
		at, ok := n.get("at").get(name).count()
		if !ok {
			at = i
			if len(mapped) > 0 {
				at = mapped[len(mapped)-1].at + 1
			}
		}
		if content := m.at("/payload/context"); name == "HandoffContext" && content != none {
			m = m.set("/payload/context", shut(content))
		}
		mapped = append(mapped, placed{at, m})
	}
	slices.SortStableFunc(mapped, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	var all []node
	rest := elementsOf(n.at("/others/list"))
	for len(mapped) > 0 || len(rest) > 0 {
		if len(rest) == 0 || len(mapped) > 0 && mapped[0].at <= len(all) {
			all = append(all, mapped[0].message)
			mapped = mapped[1:]
		} else {
			all = append(all, rest[0])
			rest = rest[1:]
		}
	}
	return array(all...)
}
