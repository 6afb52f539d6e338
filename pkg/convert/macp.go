package convert

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const macpMode = "macp.mode.handoff.v1"

// macpNames are the names of a transcript that the TypeScript SDK writes in camel case.
var macpNames = []string{
	"protocol_version", "macp_version", "message_type", "message_id", "session_id", "timestamp_unix_ms",
	"mode_version", "configuration_version", "policy_version", "ttl_ms", "context_id", "max_suspend_ms",
	"handoff_id", "target_participant", "content_type",
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// respell writes the names of the mapped parts of a transcript in the other case, where
// nothing has the name already.
func respell(v node, toCamel bool) node {
	names := map[string]string{}
	for _, name := range macpNames {
		if toCamel {
			names[name] = camel(name)
		} else {
			names[camel(name)] = name
		}
	}
	v = v.respell(names)
	for _, message := range []string{startMessage, offerMessage, contextMessage} {
		if m := v.at(message); m.is(jsonstream.Object) {
			m = m.respell(names)
			if payload := m.get("payload"); payload.is(jsonstream.Object) {
				m = m.with("payload", payload.respell(names))
			}
			v = v.set(message, m)
		}
	}
	return v
}

func (n node) respell(names map[string]string) node {
	members := n.without()
	for i, m := range members {
		if other, ok := names[m.name]; ok && n.get(other) == none {
			members[i] = member{name: other, value: m.value}
		}
	}
	return object(members...)
}

// The ways in which the context of a foreign transcript is meant, as its shape says.
const (
	shapeState = "state" // an object of nobody's: the state
	shapeText  = "text"  // no JSON object: a summary
)

func readMACP(v node) (meaning, node) {
	shape := object()
	if v.at(offerMessage+"/payload/handoffId") != none || v.at(startMessage+"/payload/modeVersion") != none {
		v, shape = respell(v, false), shape.with("names", text("camel"))
	}
	var m meaning
	m.takeAt(rowTask, v, "/session_id")
	m.readPlaces(format.MACP, v)
	m.takeAt(rowFrom, v, startMessage+"/sender")
	m.takeAt(rowTask, v, startMessage+"/session_id")
	if t, ok := unixMillis(v.at(offerMessage + "/timestamp_unix_ms")); ok && m.values[rowTime] == none {
		m.take(rowTime, t, offerMessage+"/timestamp_unix_ms")
		shape = shape.with("clock", text("unix"))
	}
	how := m.readMACPContext(v.at(contextMessage + "/payload/context"))
	if how != "" {
		shape = shape.with("context", text(how))
	}
	return m, shape
}

// readMACPContext reads the context of a transcript and returns how it was meant, "" if
// it is as it is written here.
func (m *meaning) readMACPContext(opened node) string {
	value := opened.get("value")
	switch {
	case value == none:
		return ""
	case !value.is(jsonstream.Object):
		s, ok := decodeText(value)
		if !ok {
			s = value.flat()
		}
		m.take(rowSummary, text(s), contextMessage+"/payload/context")
		return shapeText
	case value.at(verbatim).is(jsonstream.Array):
		m.turns = elementsOf(value.at(verbatim))
		return ""
	case isBrief(value):
		return ""
	}
	for _, foreign := range []struct {
		mark   string
		format format.Format
	}{{"conversation_history", format.SW4RMContext}, {"input_history", format.OpenAI}} {
		if value.get(foreign.mark) == none {
			continue
		}
		inner, _ := codecs[foreign.format].read(view(foreign.format, value))
		for i := range rows {
			m.take(i, inner.values[i], contextValue+shower{format: foreign.format}.pointer(inner.at[i]))
		}
		m.turns = inner.turns
		return string(foreign.format)
	}
	if value.empty() {
		return ""
	}
	m.take(rowState, value, contextValue)
	return shapeState
}

func writeMACP(m meaning, shape node, k *maker) node {
	given := m
	m = k.session(m)
	from, to := m.values[rowFrom], m.values[rowTo]
	sent := member{name: "timestamp", value: m.values[rowTime]}
	if t, ok := millisOf(m.values[rowTime]); ok && shape.get("clock").str() == "unix" {
		sent = member{name: "timestamp_unix_ms", value: t}
	}
	envelope := func(kind string, payload node) node { return envelopeOf(m, kind, sent, payload, k) }
	id := member{name: "handoff_id", value: m.values[rowHandoff]}
	messages := object(
		member{name: "form", value: text(formList)},
		member{name: "SessionStart", value: envelope("SessionStart", object(
			member{name: "intent", value: text("")},
			member{name: "participants", value: array(from, to)},
			member{name: "mode_version", value: k.up(startMessage+"/payload/mode_version", text("1.0.0"), "the version is not known")},
			member{name: "configuration_version", value: k.up(startMessage+"/payload/configuration_version", text("0.0.0"), "the version is not known")},
			member{name: "policy_version", value: text("")},
			member{name: "ttl_ms", value: k.up(startMessage+"/payload/ttl_ms", number(3_600_000), "an hour")},
		))},
		member{name: "HandoffOffer", value: envelope("HandoffOffer", object(
			id,
			member{name: "target_participant", value: to},
			member{name: "scope", value: text("")},
			member{name: "reason", value: m.values[rowDescription]},
		))},
	)
	at := object(member{name: "SessionStart", value: number(0)}, member{name: "HandoffOffer", value: number(1)})
	if contentType, content := macpContext(given, shape, k); content != none {
		messages = messages.with("HandoffContext", envelope("HandoffContext", object(
			id,
			member{name: "content_type", value: text(contentType)},
			member{name: "context", value: content},
		)))
		at = at.with("HandoffContext", number(2))
	}
	others := object(member{name: "of", value: array(id.value, from, to)}, member{name: "list", value: array()})
	v := object(
		member{name: "protocol_version", value: text("1.0")},
		member{name: "mode", value: text(macpMode)},
		member{name: "session_id", value: m.values[rowTask]},
		member{name: "messages", value: messages.with("others", others).with("at", at)},
	)
	if shape.get("names").str() == "camel" {
		v = respell(v, true)
	}
	return v
}

// envelopeOf returns a message of a session.
func envelopeOf(m meaning, kind string, sent member, payload node, k *maker) node {
	return object(
		member{name: "macp_version", value: text("1.0")},
		member{name: "mode", value: text(macpMode)},
		member{name: "message_type", value: text(kind)},
		member{name: "message_id", value: k.up("/messages/"+kind+"/message_id", text(kind), "the type of the message, which is there once")},
		member{name: "session_id", value: m.values[rowTask]},
		member{name: "sender", value: m.values[rowFrom]},
		sent,
		member{name: "payload", value: payload},
	)
}

// macpContext returns the content type and the context of a transcript, nil if there is
// nothing to say.
func macpContext(m meaning, shape node, k *maker) (contentType string, content node) {
	contentType = "application/json"
	brief := m.brief(format.MACP)
	switch how := shape.get("context").str(); {
	case how == shapeState && len(m.turns) == 0 && m.onlyBrief(rowState):
		return contentType, opened(formBase64, m.values[rowState])
	case how == shapeText && len(m.turns) == 0 && m.onlyBrief(rowSummary):
		s := base64.StdEncoding.EncodeToString([]byte(m.values[rowSummary].str()))
		return "text/plain", opened(formRaw, text(s))
	case how == string(format.SW4RMContext) || how == string(format.OpenAI):
		f := format.Format(how)
		return contentType, opened(formBase64, unview(f, codecs[f].write(m.hidden(), none, nil)))
	}
	if len(m.turns) > 0 {
		brief = object().merge(brief).set(verbatim, array(each(m.turns, canonicalTurn)...))
	}
	if brief == none {
		return "", none
	}
	return contentType, opened(formBase64, brief)
}

// hidden returns the meaning without what the envelopes of a transcript say.
func (m meaning) hidden() meaning {
	for i, r := range rows {
		if placeOf(r, format.MACP) != "" {
			m.values[i] = none
		}
	}
	return m
}

// onlyBrief reports whether a row is all that a brief would have.
func (m meaning) onlyBrief(only int) bool {
	if m.values[only] == none {
		return false
	}
	for i, r := range rows {
		if i != only && m.values[i] != none && placeOf(r, format.MACP) == "" {
			return false
		}
	}
	return true
}

// decodeText returns the text that a string holds in base64.
func decodeText(n node) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(n.str())
	return string(b), err == nil && utf8.Valid(b)
}
