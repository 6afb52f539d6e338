package openai

import (
	"crypto/sha256"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkSummaries looks for what tools did inside summaries.
func checkSummaries(c *checker) {
	c.inSummaries(isTool, "tool data inside a summary: a filter for tools does not reach it; unnest the history, filter it and nest it again")
}

// checkNesting looks for summaries inside summaries.
func checkNesting(c *checker) {
	c.inSummaries(func(item jsonstream.Value) bool {
		_, _, nested := c.markers.lines(item)
		return nested
	}, "summary inside a summary: a nested history was nested again as if it were text; unnest it and nest it again")
}

// inSummaries reports in every summary the first item that is found.
func (c *checker) inSummaries(isFound func(jsonstream.Value) bool, message string) {
	for _, item := range c.all {
		lines, offset, _ := c.markers.lines(item)
		for at, record := range records(lines) {
			if listed, ok := readRecord(record); ok && isFound(listed) {
				content := item.Get("content")
				c.reportAt(content, content.PositionIn(offset+at), "%s", message)
				break
			}
		}
	}
}

// checkResults looks for results that no call comes before.
func checkResults(c *checker) {
	called := map[string]bool{}
	for _, item := range c.given {
		for e := range history.ToolEvents(item) {
			id := e.ID.Text()
			switch {
			case id == "":
			case !e.Result:
				called[id] = true
			case !called[id]:
				c.report(e.ID, "tool result without a call: nothing before it that the next agent gets calls %s; add the call or drop the result", found(e.ID))
			}
		}
	}
}

// checkCalls looks for calls that no result comes after.
func checkCalls(c *checker) {
	waiting := map[string]int{} // to the index in calls
	var calls []jsonstream.Value
	for _, item := range c.given {
		for e := range history.ToolEvents(item) {
			id := e.ID.Text()
			_, waits := waiting[id]
			switch {
			case id == "":
			case e.Result:
				delete(waiting, id)
			case !waits:
				waiting[id] = len(calls)
				calls = append(calls, e.ID)
			}
		}
	}
	for i, id := range calls {
		if at, waits := waiting[id.Text()]; waits && at == i {
			c.report(id, "tool call without a result: nothing after it that the next agent gets answers %s; add the result or drop the call", found(id))
		}
	}
}

// checkDuplicates looks for items that are there twice.
func checkDuplicates(c *checker) {
	seen := map[[sha256.Size]byte]jsonstream.Value{}
	for _, item := range c.given {
		digest := history.Digest(item)
		first, again := seen[digest]
		if !again {
			seen[digest] = item
		} else if !isChance(first, item) {
			c.report(item, "the same item again: found all of it at %s already; keep one of them, since the next agent gets both", first.Pointer())
		}
	}
}

// isChance reports whether two equal items may well be meant: "Yes." is said twice.
// What is not by the agent comes from the history, and is in no other list.
func isChance(first, item jsonstream.Value) bool {
	if item.Get("id").Text() != "" || item.Get("call_id").Text() != "" || history.Distinctive(item) {
		return false
	}
	role := item.Get("role").Text()
	return role == "" || role == "assistant" || first.Parent() == item.Parent()
}

// checkIDs looks for ids that different items have.
func checkIDs(c *checker) {
	type key struct{ id, kind string }
	seen := map[key]jsonstream.Value{}
	repeats := func(item, id jsonstream.Value, kind, name string) {
		if id.Text() == "" {
			return
		}
		first, again := seen[key{id.Text(), kind}]
		if !again {
			seen[key{id.Text(), kind}] = item
		} else if history.Digest(first) != history.Digest(item) {
			c.report(id, "%s again: found %s at %s already; give each its own", name, found(id), first.Pointer())
		}
	}
	for _, item := range c.given {
		repeats(item, item.Get("id"), "item "+item.Get("type").Text()+item.Get("role").Text(), "the same id")
		for e := range history.ToolEvents(item) {
			if e.Result {
				repeats(item, e.ID, "result", "the same call_id in a result")
			} else {
				repeats(item, e.ID, "call", "the same call_id in a call")
			}
		}
	}
}
