package sw4rm

import (
	"encoding/base64"
	"fmt"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// snapshotValue is the JSON Pointer of the context in the view of a request.
const snapshotValue = "/context_snapshot/value"

var contextLayout = exchange.Layout{
	Places: [exchange.RowCount]string{exchange.RowFrom: "/metadata/agent_id", exchange.RowState: "/tool_state"},
	Brief:  "/metadata/handoff", BriefText: "/metadata/handoff",
}

var requestLayout = exchange.Layout{
	Places: [exchange.RowCount]string{
		exchange.RowHandoff: "/request_id", exchange.RowFrom: "/from_agent", exchange.RowTo: "/to_agent", exchange.RowDescription: "/reason",
		exchange.RowState: snapshotValue + "/tool_state",
	},
	Brief: snapshotValue + "/metadata/handoff", BriefText: snapshotValue + "/metadata/handoff",
}

var inMetadata = exchange.Holder{HolderAt: func(tree.Node) string { return "/metadata" }}

var contextCodec = exchange.Codec{
	Layout: &contextLayout,
	Lists:  []string{"/conversation_history"},
	Read:   readContext,
	Write:  writeContext,
	Check:  func(c *exchange.Checker, doc tree.Node) { checkContextSource(c, doc, "") },
	Holder: inMetadata,
}

var requestCodec = exchange.Codec{
	Layout:   &requestLayout,
	Lists:    []string{snapshotValue + "/conversation_history"},
	Wrapped:  snapshotMember,
	Encoded:  "/context_snapshot",
	Demands:  true,
	Open:     func(doc tree.Node) tree.Node { return doc.Mapped(snapshotMember, exchange.Open) },
	Shut:     func(view tree.Node) tree.Node { return view.Mapped(snapshotMember, exchange.Shut) },
	Original: func(doc tree.Node) tree.Node { return doc.Get(snapshotMember) },
	Read:     readRequest,
	Write:    writeRequest,
	Check:    checkRequestSource,
	Holder:   inMetadata,
}

func readContext(v tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	m := exchange.Meaning{Turns: exchange.Each(tree.Elements(v.Get("conversation_history")), fromSW4RM)}
	m.TakePlaces(&contextLayout, v)
	return m, tree.None
}

func writeContext(m exchange.Meaning, _ tree.Node, _ *exchange.Maker, _ exchange.Others) tree.Node {
	return contextWith(m, &contextLayout)
}

// contextWith returns the context of a message in the given layout.
func contextWith(m exchange.Meaning, l *exchange.Layout) tree.Node {
	meta := tree.Object()
	if from := m.Values[exchange.RowFrom]; from != tree.None && l == &contextLayout {
		meta = meta.With("agent_id", from)
	}
	if brief := m.Brief(l); brief != tree.None {
		meta = meta.With("handoff", brief)
	}
	state := m.Values[exchange.RowState]
	if state == tree.None {
		state = tree.Object()
	}
	return tree.Object(
		tree.Member{Name: "conversation_history", Value: tree.Array(exchange.Each(m.Turns, toSW4RM)...)},
		tree.Member{Name: "tool_state", Value: state},
		tree.Member{Name: "metadata", Value: meta},
	)
}

func readRequest(v tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	m := exchange.Meaning{Turns: exchange.Each(tree.Elements(v.At(snapshotValue+"/conversation_history")), fromSW4RM)}
	m.TakePlaces(&requestLayout, v)
	m.TakeAt(exchange.RowFrom, v, snapshotValue+"/metadata/agent_id")
	return m, tree.None
}

func writeRequest(m exchange.Meaning, _ tree.Node, k *exchange.Maker, _ exchange.Others) tree.Node {
	v := tree.Object(
		tree.Member{Name: "from_agent", Value: k.Sender(m.Values[exchange.RowFrom], "/from_agent")},
		tree.Member{Name: "to_agent", Value: k.Receiver(m.Values[exchange.RowTo], "/to_agent")},
		tree.Member{Name: "reason", Value: k.Unless(m.Values[exchange.RowDescription], "/reason", tree.String("handoff"), "the reason is not known")},
		tree.Member{Name: "context_snapshot", Value: exchange.Opened(exchange.FormBase64, contextWith(m, &requestLayout))},
		tree.Member{Name: "preserve_history", Value: tree.Bool(true)},
		tree.Member{Name: "capabilities_required", Value: tree.Array()},
		tree.Member{Name: "metadata", Value: tree.Object()},
	)
	if id := m.Values[exchange.RowHandoff]; id != tree.None {
		v = v.With("request_id", id)
	}
	return v
}

const (
	ruleContext = "the specification treats missing required fields as an error"
	ruleEntry   = "the specification's schema requires it in each entry of the conversation history"
	ruleRequest = "a handoff request requires it"
)

// checkContextSource checks a HandoffContext. A timestamp in Unix seconds is normalised,
// not rejected.
func checkContextSource(c *exchange.Checker, doc tree.Node, at string) {
	list := c.Need(doc, at, "conversation_history", jsonstream.Array, ruleContext).Children()
	c.Need(doc, at, "tool_state", jsonstream.Object, ruleContext)
	c.Need(doc, at, "metadata", jsonstream.Object, ruleContext)
	for i := 0; list.Next(); i++ {
		t := list.Value
		if tree.IsString(t.Get("role")) && tree.IsString(t.Get("content")) {
			continue
		}
		place := fmt.Sprintf("%s/conversation_history/%d", at, i)
		if !t.Is(jsonstream.Object) {
			c.Add(place, "expected object, found %s: %s", t.Kind(), ruleEntry)
			continue
		}
		c.Need(t, place, "role", jsonstream.String, ruleEntry)
		c.Need(t, place, "content", jsonstream.String, ruleEntry)
	}
}

func checkRequestSource(c *exchange.Checker, doc tree.Node) {
	for _, name := range []string{"from_agent", "to_agent", "reason"} {
		c.Need(doc, "", name, jsonstream.String, ruleRequest)
	}
	const rule = "the specification defines the type of this member"
	c.Optional(doc, "", "preserve_history", jsonstream.True, rule)
	c.Optional(doc, "", "capabilities_required", jsonstream.Array, rule)
	c.Optional(doc, "", "metadata", jsonstream.Object, rule)
	s := doc.Get("context_snapshot")
	if s == tree.None || s.Is(jsonstream.Null) {
		return
	}
	value := exchange.Open(s)
	if value.Get("form").Text() == exchange.FormRaw {
		c.Add("/context_snapshot", "expected base64 of a serialized context, or the context, found %s", foundInstead(s))
		return
	}
	checkContextSource(c, value.Get("value"), "/context_snapshot")
}

// foundInstead describes a snapshot that is not a context.
func foundInstead(s tree.Node) string {
	if !tree.IsString(s) {
		return s.Kind().String()
	}
	b, err := base64.StdEncoding.DecodeString(s.Text())
	if err != nil {
		return "a string that is not base64"
	}
	if gzipped.Is(b) {
		return "gzip, whose exact bytes cannot be restored: print the context with handoff sw4rm receive, and convert the output"
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(b), jsonstream.Unlimited())
	if err != nil {
		return fmt.Sprintf("base64 of a text that is not strict JSON: %s", err)
	}
	return fmt.Sprintf("base64 of JSON that is not an object: %s", doc.Root().Kind())
}
