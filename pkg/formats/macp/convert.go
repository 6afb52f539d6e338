package macp

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// JSON Pointers of the mapped messages, and of the context, in the view of a transcript.
const (
	startMessage   = "/messages/SessionStart"
	offerMessage   = "/messages/HandoffOffer"
	contextMessage = "/messages/HandoffContext"
	contextValue   = contextMessage + "/payload/context/value"
)

var layout = exchange.Layout{
	Places: [exchange.RowCount]string{
		exchange.RowHandoff:     offerMessage + "/payload/handoff_id",
		exchange.RowTask:        "/session_id",
		exchange.RowFrom:        offerMessage + "/sender",
		exchange.RowTo:          offerMessage + "/payload/target_participant",
		exchange.RowTime:        offerMessage + "/timestamp",
		exchange.RowDescription: offerMessage + "/payload/reason",
	},
	Brief: contextValue, BriefText: contextValue,
}

var codec = exchange.Codec{
	Layout:   &layout,
	Lists:    []string{contextValue + exchange.Turns},
	Context:  contextValue,
	Whole:    []string{"/messages/others"}, // they belong to one handoff
	Wrapped:  "context",
	ViewOnly: []string{"/messages/form", "/messages/at", "/messages/others"},
	Encoded:  contextMessage + "/payload/context",
	Demands:  true,
	Open:     func(doc tree.Node) tree.Node { return withMessages(doc, openMessages) },
	Shut:     func(view tree.Node) tree.Node { return withMessages(view, shutMessages) },
	Original: rawContext,
	Read:     read,
	Write:    write,
	Check:    checkSource,
	Locate:   locate,
	Holder: exchange.Holder{
		HolderAt: func(doc tree.Node) string {
			if i := mappedMessages(doc.Get("messages"))[0]; i >= 0 {
				return fmt.Sprintf("/messages/%d/payload/extensions", i)
			}
			return "/extensions"
		},
		InBase64: true,
	},
}

// withMessages returns a transcript with its messages replaced by change, if it has any.
func withMessages(doc tree.Node, change func(tree.Node) tree.Node) tree.Node {
	if messages := doc.Get("messages"); messages != tree.None {
		return doc.With("messages", change(messages))
	}
	return doc
}

// locate returns a function that maps places in the view to places in the transcript. A
// missing message is "-", the one after the last (RFC 6901, section 4); the other messages
// map to the array of all messages.
func locate(doc tree.Node) func(pointer string) string {
	mapped := mappedMessages(doc.Get("messages"))
	return func(pointer string) string {
		tokens, _ := jsonstream.SplitPointer(pointer)
		at, n := "", doc
		for i, token := range tokens {
			if i == 1 && tokens[0] == "messages" {
				t := slices.Index(mappedTypes, token)
				if t < 0 {
					return at
				}
				token = "-"
				if index := mapped[t]; index >= 0 {
					token = strconv.Itoa(index)
				}
			}
			if n.Is(jsonstream.Object) && n.Get(token) == tree.None && slices.Contains(snakeNames, token) && n.Get(camel(token)) != tree.None {
				token = camel(token)
			}
			at, n = jsonstream.AppendPointer(at, token), n.At(jsonstream.AppendPointer("", token))
		}
		return at
	}
}

// snakeNames are the names that the TypeScript SDK writes in camelCase.
var snakeNames = []string{
	"protocol_version", "macp_version", "message_type", "message_id", "session_id", "timestamp_unix_ms",
	"mode_version", "configuration_version", "policy_version", "ttl_ms", "context_id", "max_suspend_ms",
	"handoff_id", "target_participant", "content_type",
}

// respell changes the case of names in the mapped parts of a transcript, unless the new
// name is taken.
func respell(v tree.Node, toCamel bool) tree.Node {
	names := map[string]string{}
	for _, name := range snakeNames {
		if toCamel {
			names[name] = camel(name)
		} else {
			names[camel(name)] = name
		}
	}
	v = v.Respell(names)
	for _, message := range []string{startMessage, offerMessage, contextMessage} {
		if m := v.At(message); m.Is(jsonstream.Object) {
			m = m.Respell(names)
			if payload := m.Get("payload"); payload.Is(jsonstream.Object) {
				m = m.With("payload", payload.Respell(names))
			}
			v = v.Set(message, m)
		}
	}
	return v
}

// The shapes of a context in a foreign transcript.
const (
	shapeState = "state" // an unknown object: the state
	shapeText  = "text"  // not a JSON object: a summary
)

func read(v tree.Node, o exchange.Others) (exchange.Meaning, tree.Node) {
	shape := tree.Object()
	if v.At(offerMessage+"/payload/handoffId") != tree.None || v.At(startMessage+"/payload/modeVersion") != tree.None {
		v, shape = respell(v, false), shape.With("names", tree.String("camel"))
	}
	var m exchange.Meaning
	m.TakeAt(exchange.RowTask, v, "/session_id")
	m.TakePlaces(&layout, v)
	m.TakeAt(exchange.RowFrom, v, startMessage+"/sender")
	m.TakeAt(exchange.RowTask, v, startMessage+"/session_id")
	if t, ok := exchange.UnixMillis(v.At(offerMessage + "/timestamp_unix_ms")); ok && m.Values[exchange.RowTime] == tree.None {
		m.Take(exchange.RowTime, t, offerMessage+"/timestamp_unix_ms")
		shape = shape.With("clock", tree.String("unix"))
	}
	how := readContext(&m, v.At(contextMessage+"/payload/context"), o)
	if how != "" {
		shape = shape.With("context", tree.String(how))
	}
	return m, shape
}

// readContext reads the context of a transcript and returns its shape, or "" if it has the
// form that this package writes.
func readContext(m *exchange.Meaning, opened tree.Node, o exchange.Others) string {
	value := opened.Get("value")
	switch {
	case value == tree.None:
		return ""
	case !value.Is(jsonstream.Object):
		s, ok := decodeText(value)
		if !ok {
			s = value.Flat()
		}
		m.Take(exchange.RowSummary, tree.String(s), contextMessage+"/payload/context")
		return shapeText
	case value.At(exchange.Turns).Is(jsonstream.Array):
		m.Turns = tree.Elements(value.At(exchange.Turns))
		return ""
	case exchange.IsBrief(value):
		return ""
	}
	if name, inner, ok := o.Read(value); ok {
		for i := range exchange.Rows {
			m.Take(i, inner.Values[i], contextValue+inner.At[i])
		}
		m.Turns = inner.Turns
		return name
	}
	if value.Empty() {
		return ""
	}
	m.Take(exchange.RowState, value, contextValue)
	return shapeState
}

func write(m exchange.Meaning, shape tree.Node, k *exchange.Maker, o exchange.Others) tree.Node {
	given := m
	m = session(m, k)
	from, to := m.Values[exchange.RowFrom], m.Values[exchange.RowTo]
	sent := tree.Member{Name: "timestamp", Value: m.Values[exchange.RowTime]}
	if t, ok := exchange.Millis(m.Values[exchange.RowTime]); ok && shape.Get("clock").Text() == "unix" {
		sent = tree.Member{Name: "timestamp_unix_ms", Value: t}
	}
	envelope := func(kind string, payload tree.Node) tree.Node { return envelopeOf(m, kind, sent, payload, k) }
	id := tree.Member{Name: "handoff_id", Value: m.Values[exchange.RowHandoff]}
	messages := tree.Object(
		tree.Member{Name: "form", Value: tree.String(exchange.FormList)},
		tree.Member{Name: "SessionStart", Value: envelope("SessionStart", tree.Object(
			tree.Member{Name: "intent", Value: tree.String("")},
			tree.Member{Name: "participants", Value: tree.Array(from, to)},
			tree.Member{Name: "mode_version", Value: k.Up(startMessage+"/payload/mode_version", tree.String("1.0.0"), "the version is not known")},
			tree.Member{Name: "configuration_version", Value: k.Up(startMessage+"/payload/configuration_version", tree.String("0.0.0"), "the version is not known")},
			tree.Member{Name: "policy_version", Value: tree.String("")},
			tree.Member{Name: "ttl_ms", Value: k.Up(startMessage+"/payload/ttl_ms", tree.Int(3_600_000), "an hour")},
		))},
		tree.Member{Name: "HandoffOffer", Value: envelope("HandoffOffer", tree.Object(
			id,
			tree.Member{Name: "target_participant", Value: to},
			tree.Member{Name: "scope", Value: tree.String("")},
			tree.Member{Name: "reason", Value: m.Values[exchange.RowDescription]},
		))},
	)
	at := tree.Object(tree.Member{Name: "SessionStart", Value: tree.Int(0)}, tree.Member{Name: "HandoffOffer", Value: tree.Int(1)})
	if contentType, content := contextOf(given, shape, o); content != tree.None {
		messages = messages.With("HandoffContext", envelope("HandoffContext", tree.Object(
			id,
			tree.Member{Name: "content_type", Value: tree.String(contentType)},
			tree.Member{Name: "context", Value: content},
		)))
		at = at.With("HandoffContext", tree.Int(2))
	}
	others := tree.Object(tree.Member{Name: "of", Value: tree.Array(id.Value, from, to)}, tree.Member{Name: "list", Value: tree.Array()})
	v := tree.Object(
		tree.Member{Name: "protocol_version", Value: tree.String("1.0")},
		tree.Member{Name: "mode", Value: tree.String(Mode)},
		tree.Member{Name: "session_id", Value: m.Values[exchange.RowTask]},
		tree.Member{Name: "messages", Value: messages.With("others", others).With("at", at)},
	)
	if shape.Get("names").Text() == "camel" {
		v = respell(v, true)
	}
	return v
}

// envelopeOf returns a message envelope of a session.
func envelopeOf(m exchange.Meaning, kind string, sent tree.Member, payload tree.Node, k *exchange.Maker) tree.Node {
	return tree.Object(
		tree.Member{Name: "macp_version", Value: tree.String("1.0")},
		tree.Member{Name: "mode", Value: tree.String(Mode)},
		tree.Member{Name: "message_type", Value: tree.String(kind)},
		tree.Member{Name: "message_id", Value: k.Up("/messages/"+kind+"/message_id", tree.String(kind), "the type of the message, which occurs once")},
		tree.Member{Name: "session_id", Value: m.Values[exchange.RowTask]},
		tree.Member{Name: "sender", Value: m.Values[exchange.RowFrom]},
		sent,
		tree.Member{Name: "payload", Value: payload},
	)
}

// contextOf returns the content type and the context for a transcript, or no context if it
// would be empty.
func contextOf(m exchange.Meaning, shape tree.Node, o exchange.Others) (contentType string, content tree.Node) {
	contentType = "application/json"
	brief := m.Brief(&layout)
	switch how := shape.Get("context").Text(); {
	case how == shapeState && len(m.Turns) == 0 && onlyBrief(m, exchange.RowState):
		return contentType, exchange.Opened(exchange.FormBase64, m.Values[exchange.RowState])
	case how == shapeText && len(m.Turns) == 0 && onlyBrief(m, exchange.RowSummary):
		s := base64.StdEncoding.EncodeToString([]byte(m.Values[exchange.RowSummary].Text()))
		return "text/plain", exchange.Opened(exchange.FormRaw, tree.String(s))
	}
	if context, ok := o.Write(shape.Get("context").Text(), hidden(m)); ok {
		return contentType, exchange.Opened(exchange.FormBase64, context)
	}
	if len(m.Turns) > 0 {
		brief = tree.Object().Merge(brief).Set(exchange.Turns, tree.Array(exchange.Each(m.Turns, exchange.CanonicalTurn)...))
	}
	if brief == tree.None {
		return "", tree.None
	}
	return contentType, exchange.Opened(exchange.FormBase64, brief)
}

// hidden returns the meaning without the values that the envelopes of a transcript hold.
func hidden(m exchange.Meaning) exchange.Meaning {
	for i, place := range layout.Places {
		if place != "" {
			m.Values[i] = tree.None
		}
	}
	return m
}

// onlyBrief reports whether a brief would consist only of the row with the index.
func onlyBrief(m exchange.Meaning, only int) bool {
	if m.Values[only] == tree.None {
		return false
	}
	for i, place := range layout.Places {
		if i != only && m.Values[i] != tree.None && place == "" {
			return false
		}
	}
	return true
}

// decodeText returns the text encoded as base64 in a string.
func decodeText(n tree.Node) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(n.Text())
	return string(b), err == nil && utf8.Valid(b)
}

// session fills in the required values of a session in MACP's handoff mode.
func session(m exchange.Meaning, k *exchange.Maker) exchange.Meaning {
	v := &m.Values
	if v[exchange.RowHandoff] == tree.None {
		v[exchange.RowHandoff] = k.UUID(offerMessage+"/payload/handoff_id", "")
	}
	if v[exchange.RowTask] == tree.None {
		v[exchange.RowTask] = k.UUID("/session_id", "")
	}
	v[exchange.RowFrom] = k.Sender(v[exchange.RowFrom], offerMessage+"/sender")
	to, from := v[exchange.RowTo].Text(), v[exchange.RowFrom].Text()
	switch {
	case to == "" && k.To == "" && from == "unknown":
		v[exchange.RowTo] = k.UpFor("to-agent", offerMessage+"/payload/target_participant", tree.String("unknown-target"), "the agent is not known, and is not the sender (rule 7)")
	case to == "" && k.To != from:
		v[exchange.RowTo] = k.Receiver(tree.None, offerMessage+"/payload/target_participant")
	case to == from, to == "":
		v[exchange.RowTo] = k.Up(offerMessage+"/payload/target_participant", tree.String(from+"-target"), "the target is not the sender (rule 7)")
	}
	v[exchange.RowTime] = k.TimeOf(m, offerMessage+"/timestamp")
	if v[exchange.RowDescription] == tree.None {
		v[exchange.RowDescription] = tree.String("")
	}
	return m
}

// checkSource reports missing mapped messages and an incomplete offer.
func checkSource(c *exchange.Checker, doc tree.Node) {
	list := c.Need(doc, "", "messages", jsonstream.Array, "a transcript has messages")
	if list == tree.None {
		return
	}
	at := mappedMessages(list)
	if at[0] != 0 {
		c.Add("/messages", "the first message of a session is SessionStart (rule 1, SESSION_ALREADY_EXISTS), and it has a payload")
	}
	if at[1] < 0 {
		c.Add("/messages", "found no HandoffOffer with a payload: there is nothing to hand off (rule 11, INVALID_ENVELOPE)")
		return
	}
	m := respell(withMessages(doc, openMessages), false)
	const rule7 = "non-empty in an offer (rule 7, INVALID_ENVELOPE)"
	payload := fmt.Sprintf("/messages/%d/payload", at[1])
	for _, name := range []string{"handoff_id", "target_participant"} {
		if v := c.Need(m.At(offerMessage+"/payload"), payload, name, jsonstream.String, rule7); v != tree.None && v.Text() == "" {
			c.Add(payload+"/"+name, "is empty: %s", rule7)
		}
	}
}
