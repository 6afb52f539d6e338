package convert

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// elementsOf returns the elements of an array.
func elementsOf(n node) []node {
	if !n.is(jsonstream.Array) {
		return nil
	}
	if n.isMade() {
		return n.body.elements
	}
	elements, ok := n.body.doc.lists[n.i]
	if !ok {
		elements = make([]node, 0, n.length())
		for c := n.children(); c.next(); {
			elements = append(elements, c.value)
		}
		if len(n.v().Raw()) >= largeValue {
			n.body.doc.lists[n.i] = elements
		}
	}
	return elements
}

func readEAAPL(v node) (meaning, node) {
	m := meaning{turns: elementsOf(v.at(verbatim))}
	m.readPlaces(format.EAAPL, v)
	return m, none
}

func writeEAAPL(m meaning, _ node, k *maker) node {
	m = k.complete(m)
	v := object(
		member{name: "schemaVersion", value: text("2.0")},
		member{name: "handoffId", value: m.values[rowHandoff]},
		member{name: "taskId", value: m.values[rowTask]},
		member{name: "parentHandoffId", value: k.up("/parentHandoffId", null(), "no earlier handoff is known")},
		member{name: "fromAgent", value: object(
			member{name: "agentId", value: m.values[rowFrom]},
			member{name: "agentVersion", value: k.up("/fromAgent/agentVersion", text("0.0.0"), "the version is not known")},
			member{name: "executionId", value: k.uuid("/fromAgent/executionId", "")},
		)},
		member{name: "toAgent", value: object(member{name: "agentType", value: m.values[rowTo]})},
	)
	tools := m.values[rowTools]
	m.values[rowTools] = none
	v = m.writePlaces(format.EAAPL, v)
	v = v.set(verbatim, array(each(m.turns, canonicalTurn)...)).with("toolCallHistory", tools)
	return v.with("traceparent", k.trace("/traceparent"))
}

func readContext(v node) (meaning, node) {
	m := meaning{turns: each(elementsOf(v.get("conversation_history")), fromSW4RM)}
	m.readPlaces(format.SW4RMContext, v)
	return m, none
}

func writeContext(m meaning, _ node, _ *maker) node {
	return contextOf(m, format.SW4RMContext)
}

// contextOf returns the context of a message in a format.
func contextOf(m meaning, f format.Format) node {
	meta := object()
	if from := m.values[rowFrom]; from != none && f == format.SW4RMContext {
		meta = meta.with("agent_id", from)
	}
	if brief := m.brief(f); brief != none {
		meta = meta.with("handoff", brief)
	}
	state := m.values[rowState]
	if state == none {
		state = object()
	}
	return object(
		member{name: "conversation_history", value: array(each(m.turns, toSW4RM)...)},
		member{name: "tool_state", value: state},
		member{name: "metadata", value: meta},
	)
}

func readRequest(v node) (meaning, node) {
	m := meaning{turns: each(elementsOf(v.at(snapshot+"/conversation_history")), fromSW4RM)}
	m.readPlaces(format.SW4RMRequest, v)
	m.takeAt(rowFrom, v, snapshot+"/metadata/agent_id")
	return m, none
}

func writeRequest(m meaning, _ node, k *maker) node {
	v := object(
		member{name: "from_agent", value: k.agent(m.values[rowFrom], "/from_agent")},
		member{name: "to_agent", value: k.agent(m.values[rowTo], "/to_agent")},
		member{name: "reason", value: k.unless(m.values[rowDescription], "/reason", text("handoff"), "the reason is not known")},
		member{name: "context_snapshot", value: opened(formBase64, contextOf(m, format.SW4RMRequest))},
		member{name: "preserve_history", value: boolean(true)},
		member{name: "capabilities_required", value: array()},
		member{name: "metadata", value: object()},
	)
	if id := m.values[rowHandoff]; id != none {
		v = v.with("request_id", id)
	}
	return v
}

// briefLabel marks the brief in a user turn (EAAPL-MAG006, section 10.1).
const briefLabel = conversation.ContextLabel + "\n"

// briefItem returns the item that holds a brief.
func briefItem(brief node) node {
	return userMessage(brief.labelled(briefLabel))
}

// briefIn returns the brief that an item holds, nil if it is no such item.
func briefIn(item node) node {
	if !item.is(jsonstream.Object) || item.length() != 2 || item.get("role").str() != "user" {
		return none
	}
	brief, ok := item.get("content").behind(briefLabel)
	if !ok || !isBrief(brief) {
		return none
	}
	return brief
}

// isBrief reports whether an object says anything that a brief can.
func isBrief(n node) bool {
	for _, r := range rows {
		if v := n.at(r.member); v.is(r.kind) {
			return true
		}
	}
	return false
}

func readOpenAI(v node) (meaning, node) {
	var m meaning
	var counts [3]int
	lists := codecs[format.OpenAI].lists
	for l, list := range lists {
		items := elementsOf(v.at(list))
		if l == 0 && len(items) > 0 {
			if brief := briefIn(items[0]); brief != none {
				m.readBrief(brief, list+"/0/content")
				items = items[1:]
			}
		}
		if slices.ContainsFunc(items, isCarried) { // what it carries is no turn, whatever the format that needs it
			items = slices.DeleteFunc(slices.Clone(items), isCarried)
		}
		counts[l] = len(items)
		if len(m.turns) == 0 {
			m.turns = items
		} else if len(items) > 0 {
			m.turns = slices.Concat(m.turns, items)
		}
	}
	m.turns = each(m.turns, fromOpenAI)
	if to, i, name := receiver(m.turns); to != none {
		l := 0
		for ; i >= counts[l]; l++ {
			i -= counts[l]
		}
		m.take(rowTo, to, fmt.Sprintf("%s/%d/%s", lists[l], placeOfTurn(v.at(lists[l]), l, i), name))
	}
	return m, object(
		member{name: "pre", value: number(int64(counts[1]))},
		member{name: "new", value: number(int64(counts[2]))},
	)
}

// placeOfTurn returns the index in the lth list of the item that its ith turn was read from.
func placeOfTurn(list node, l, i int) int {
	for at, item := range elementsOf(list) {
		if isCarried(item) || l == 0 && at == 0 && briefIn(item) != none {
			continue
		}
		if i == 0 {
			return at
		}
		i--
	}
	return 0
}

// writeOpenAI parts the turns into the three lists as the shape says, counted from the
// end: what is trimmed or added is mostly old.
//
// Without a maker, results that have no call stay alone.
func writeOpenAI(m meaning, shape node, k *maker) node {
	items, _ := shape.get("new").count()
	before, _ := shape.get("pre").count()
	items = len(m.turns) - min(items, len(m.turns))
	before = items - min(before, items)
	called := map[string]bool{}
	write := func(list []node, turns []node) node {
		list = slices.Grow(list, len(turns))
		for _, t := range turns {
			before := len(list)
			list = toOpenAI(list, t)
			if call := missingCall(list[before:], t, called); call != none && k != nil {
				k.calls = append(k.calls, call)
				list = slices.Insert(list, before, call)
			}
		}
		return array(list...)
	}
	if to, _, _ := receiver(m.turns); to != none && m.values[rowTo] != none && same(to, m.values[rowTo]) {
		m.values[rowTo] = none // the turns say it
	}
	var history []node
	if brief := m.brief(format.OpenAI); brief != none {
		history = append(history, briefItem(brief))
	}
	return object(
		member{name: "input_history", value: opened(formList, write(history, m.turns[:before]))},
		member{name: "pre_handoff_items", value: write(nil, m.turns[before:items])},
		member{name: "new_items", value: write(nil, m.turns[items:])},
	)
}
