package openai

import (
	"strings"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkSummaries reports tool items inside summaries.
func checkSummaries(c *checker) {
	c.inSummaries(conversation.IsToolItem, "the summary contains tool data, which filters for tools do not find; unnest the history, filter it, and nest it again")
}

// checkNesting reports summaries inside summaries.
func checkNesting(c *checker) {
	c.inSummaries(func(item jsonstream.Value) bool {
		_, _, nested := c.markers.lines(item)
		return nested
	}, "the summary contains another summary, because a nested history was nested again as text; unnest the history, and nest it again")
}

// inSummaries reports the first matching item in every summary.
func (c *checker) inSummaries(isFound func(jsonstream.Value) bool, message string) {
	for _, item := range c.all {
		lines, offset, _ := c.markers.lines(item)
		for at, record := range records(lines) {
			if listed, ok := c.markers.readRecord(record); ok && isFound(listed) {
				content := c.markers.textOf(item)
				c.reportAt(content, content.PositionIn(offset+at), "%s", message)
				break
			}
		}
	}
}

// A callKey identifies a call and its result.
type callKey struct{ id, tool string }

// keyOf returns the key of a call or result. Without an id it has none.
func keyOf(e conversation.Part) callKey {
	key := callKey{id: e.ID.Text(), tool: "function"} // also for items of other APIs than the Responses API
	if conversation.IsToolItem(e.Value) {
		key.tool = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(e.Value.Get("type").Text(), "_output"), "_result"), "_call")
	}
	return key
}

// checkResults reports results without a preceding call, and approvals without a request.
func checkResults(c *checker) {
	called := map[callKey]bool{}
	kinds := map[string]string{} // the type of the last call with an id
	asked := map[string]bool{}   // the ids of approval requests
	for _, item := range c.given {
		for e := range conversation.Parts(item) {
			key := keyOf(e)
			switch kind, other := kinds[key.id]; {
			case e.Kind == conversation.ApprovalRequest:
				asked[key.id] = true
			case e.Kind == conversation.ApprovalResponse:
				if key.id == "" || !asked[key.id] {
					c.report(orHolder(e.ID, item), "the approval has no request: no earlier item of the next agent's input requests %s; add the mcp_approval_request or remove the response", finding.QuoteValue(e.ID))
				}
			case e.Kind != conversation.Call && e.Kind != conversation.Result, key.id == "":
			case e.Kind == conversation.Call:
				called[key], kinds[key.id] = true, e.Value.Get("type").Text()
			case called[key]:
			case other:
				c.report(e.ID, "the tool result has a different kind than its call: found %s for the %s %s; give the call a result of its kind",
					finding.QuoteValue(e.Value.Get("type")), finding.Quote(kind), finding.QuoteValue(e.ID))
			default:
				c.report(e.ID, "the tool result has no call: no earlier item of the next agent's input calls %s; add the call or remove the result", finding.QuoteValue(e.ID))
			}
		}
	}
}

// checkCalls reports calls without a subsequent result.
func checkCalls(c *checker) {
	waiting := map[callKey]int{} // maps to the index in calls
	var calls []conversation.Part
	for _, item := range c.given {
		for e := range conversation.ToolEvents(item) {
			key := keyOf(e)
			_, waits := waiting[key]
			switch {
			case key.id == "":
			case e.Kind == conversation.Result:
				delete(waiting, key)
			case !waits:
				waiting[key] = len(calls)
				calls = append(calls, e)
			}
		}
	}
	for i, call := range calls {
		if at, waits := waiting[keyOf(call)]; waits && at == i {
			c.report(call.ID, "the tool call has no result: no later item of the next agent's input answers %s; add the result or remove the call", finding.QuoteValue(call.ID))
		}
	}
}

// checkReasoning reports reasoning items that are not followed by output of the model.
// Further reasoning items may come between them.
func checkReasoning(c *checker) {
	var open []jsonstream.Value // reasoning items awaiting output
	report := func() {
		for _, item := range open {
			c.report(item, "the reasoning has no output: the next agent's input has no message or call of the model after it; add the item that followed it, or remove the reasoning")
		}
		open = nil
	}
	for _, item := range c.given {
		switch {
		case item.Get("type").Text() == "reasoning":
			open = append(open, item)
		case conversation.IsModelOutput(item):
			open = nil
		default:
			report()
		}
	}
	report()
}

// checkDuplicates reports repeated items. A string as input_history counts as a message of
// the user.
func checkDuplicates(c *checker) {
	text := c.markers.list(c.data, inHistory)
	var said jsonstream.Value
	if text.Kind() == jsonstream.String {
		said = mustParse(c.markers.appendMessage(nil, "user", "", text.Text()))
	}
	for i, item := range c.given {
		first, again := c.given[c.same[i]], c.same[i] != i
		if said.Exists() && equal.Values(said, item) {
			first, again = text, true
		}
		if again && !isChance(first, item) {
			c.report(item, "the item is repeated: an equal item is at %s; keep one of them, because the next agent gets both", first.Pointer())
		}
	}
}

// isChance reports whether the repetition of an item may be intended, such as "Yes." said
// twice. Items that are not by the agent come from the history, and are in no other list.
func isChance(first, item jsonstream.Value) bool {
	if item.Get("id").Text() != "" || callID(item).Text() != "" || conversation.Distinctive(item) {
		return false
	}
	role := item.Get("role").Text()
	return role == "" || role == "assistant" || first.Parent() == item.Parent()
}

// checkIDs reports ids shared by different items.
func checkIDs(c *checker) {
	type key struct{ id, kind string }
	seen := map[key]int{} // the index in given of the first item with the id
	repeats := func(i int, id jsonstream.Value, kind, name string) {
		if id.Text() == "" {
			return
		}
		first, again := seen[key{id.Text(), kind}]
		if !again {
			seen[key{id.Text(), kind}] = i
		} else if c.same[first] != c.same[i] {
			c.report(id, "%s is used twice: %s is already at %s; give each item its own", name, finding.QuoteValue(id), c.given[first].Pointer())
		}
	}
	for i, item := range c.given {
		repeats(i, item.Get("id"), "item "+item.Get("type").Text()+item.Get("role").Text(), "the id")
		for e := range conversation.ToolEvents(item) {
			if e.Kind == conversation.Result {
				repeats(i, e.ID, "result", "the call_id of a result")
			} else {
				repeats(i, e.ID, "call", "the call_id of a call")
			}
		}
	}
}
