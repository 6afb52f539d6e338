package eaapl

import (
	"cmp"
	"fmt"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var layout = exchange.Layout{Places: [exchange.RowCount]string{
	exchange.RowHandoff:     "/handoffId",
	exchange.RowTask:        "/taskId",
	exchange.RowFrom:        "/fromAgent/agentId",
	exchange.RowTo:          "/toAgent/agentType",
	exchange.RowTime:        "/timestamp",
	exchange.RowDescription: "/taskDescription",
	exchange.RowCompleted:   "/completedSubtasks",
	exchange.RowRemaining:   "/remainingSubtasks",
	exchange.RowState:       "/currentState",
	exchange.RowRelevant:    "/relevantContext",
	exchange.RowConstraints: "/constraints",
	exchange.RowCost:        "/costTracking",
	exchange.RowSummary:     "/conversationHistorySummary",
	exchange.RowTools:       "/toolCallHistory",
}}

var codec = exchange.Codec{
	Layout:  &layout,
	Lists:   []string{exchange.Turns},
	Whole:   []string{"/fromAgent", "/toAgent"}, // a version or an execution belongs to one agent
	Demands: true,
	Read:    read,
	Write:   write,
	Check:   checkSource,
	Holder:  exchange.Holder{HolderAt: func(tree.Node) string { return "/extensions" }},
}

func read(v tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	m := exchange.Meaning{Turns: tree.Elements(v.At(exchange.Turns))}
	m.TakePlaces(&layout, v)
	return m, tree.None
}

func write(m exchange.Meaning, _ tree.Node, k *exchange.Maker, _ exchange.Others) tree.Node {
	m = complete(m, k)
	v := tree.Object(
		tree.Member{Name: "schemaVersion", Value: tree.String("2.0")},
		tree.Member{Name: "handoffId", Value: m.Values[exchange.RowHandoff]},
		tree.Member{Name: "taskId", Value: m.Values[exchange.RowTask]},
		tree.Member{Name: "parentHandoffId", Value: k.Up("/parentHandoffId", tree.Null(), "no earlier handoff is known")},
		tree.Member{Name: "fromAgent", Value: tree.Object(
			tree.Member{Name: "agentId", Value: m.Values[exchange.RowFrom]},
			tree.Member{Name: "agentVersion", Value: k.Up("/fromAgent/agentVersion", tree.String("0.0.0"), "the version is not known")},
			tree.Member{Name: "executionId", Value: k.UUID("/fromAgent/executionId", "")},
		)},
		tree.Member{Name: "toAgent", Value: tree.Object(tree.Member{Name: "agentType", Value: m.Values[exchange.RowTo]})},
	)
	tools := m.Values[exchange.RowTools]
	m.Values[exchange.RowTools] = tree.None
	v = m.WritePlaces(&layout, v)
	v = v.Set(exchange.Turns, tree.Array(exchange.Each(m.Turns, exchange.CanonicalTurn)...)).With("toolCallHistory", tools)
	return v.With("traceparent", k.Trace("/traceparent"))
}

// complete fills in the required members of the canonical message.
func complete(m exchange.Meaning, k *exchange.Maker) exchange.Meaning {
	v := &m.Values
	v[exchange.RowHandoff] = k.Identifier(v[exchange.RowHandoff], "/handoffId")
	v[exchange.RowTask] = k.Identifier(v[exchange.RowTask], "/taskId")
	v[exchange.RowFrom] = k.Sender(v[exchange.RowFrom], "/fromAgent/agentId")
	v[exchange.RowTo] = k.Receiver(v[exchange.RowTo], "/toAgent/agentType")
	v[exchange.RowTime] = k.TimeOf(m, "/timestamp")
	v[exchange.RowDescription] = k.Unless(v[exchange.RowDescription], "/taskDescription", tree.String("INITIAL"), "the task is not known: the word for a first handoff (section 7.2)")
	if v[exchange.RowCompleted] == tree.None {
		v[exchange.RowCompleted] = completed(m, k)
	}
	for i, r := range exchange.Rows {
		if v[i] != tree.None || i == exchange.RowCost {
			continue
		}
		switch r.Kind {
		case jsonstream.Array:
			v[i] = tree.Array()
		case jsonstream.Object:
			v[i] = tree.Object()
		default:
			v[i] = tree.String("")
		}
	}
	if v[exchange.RowCost] == tree.None {
		budget := tree.Number(cmp.Or(k.Budget, "0"))
		rule, setting := "the costs are not known; without a remaining budget the receiver must not execute (section 6.1)", "budget"
		if k.Budget != "" {
			rule, setting = "the costs are not known; the remaining budget is the one that was given", ""
		}
		v[exchange.RowCost] = k.UpFor(setting, "/costTracking", tree.Object(
			tree.Member{Name: "costSpentSoFarUSD", Value: tree.Int(0)},
			tree.Member{Name: "costBudgetRemainingUSD", Value: budget},
			tree.Member{Name: "tokenSpent", Value: tree.Object(tree.Member{Name: "prompt", Value: tree.Int(0)}, tree.Member{Name: "completion", Value: tree.Int(0)})},
		), rule)
	}
	return m
}

// completed returns a completed subtask for a source without any, if the task is not the
// first.
func completed(m exchange.Meaning, k *exchange.Maker) tree.Node {
	if m.Values[exchange.RowDescription].Text() == "INITIAL" || k.IsPlaceholder("/completedSubtasks") {
		return tree.Array()
	}
	return k.Up("/completedSubtasks", tree.Array(tree.Object(
		tree.Member{Name: "subtaskId", Value: tree.String("before")},
		tree.Member{Name: "description", Value: tree.String("The work before this handoff")},
	)), "a handoff that is not the first has completed subtasks (section 6.1)")
}

const ruleSchema = "required by the canonical schema (section 5.2)"

// checkSource reports members that are missing or have the wrong type in the canonical
// schema.
func checkSource(c *exchange.Checker, doc tree.Node) {
	for _, name := range []string{"schemaVersion", "handoffId", "taskId", "timestamp", "taskDescription", "conversationHistorySummary", "traceparent"} {
		c.Need(doc, "", name, jsonstream.String, ruleSchema)
	}
	if p := doc.Get("parentHandoffId"); !p.Is(jsonstream.Null) {
		c.Need(doc, "", "parentHandoffId", jsonstream.String, ruleSchema)
	}
	for _, name := range []string{"currentState", "costTracking"} {
		c.Need(doc, "", name, jsonstream.Object, ruleSchema)
	}
	for _, name := range []string{"completedSubtasks", "remainingSubtasks", "relevantContext", "constraints", "toolCallHistory"} {
		c.Need(doc, "", name, jsonstream.Array, ruleSchema)
	}
	if from := c.Need(doc, "", "fromAgent", jsonstream.Object, ruleSchema); from != tree.None {
		c.Need(from, "/fromAgent", "agentId", jsonstream.String, ruleSchema)
	}
	if to := c.Need(doc, "", "toAgent", jsonstream.Object, ruleSchema); to != tree.None {
		c.Need(to, "/toAgent", "agentType", jsonstream.String, ruleSchema)
	}
	turns := c.Need(doc, "", "conversationHistoryVerbatim", jsonstream.Array, ruleSchema).Children()
	for i := 0; turns.Next(); i++ {
		if t := turns.Value; !t.Is(jsonstream.Object) {
			c.Add(fmt.Sprintf("%s/%d", exchange.Turns, i), "expected object, found %s: a turn has a role and content", t.Kind())
		}
	}
}
