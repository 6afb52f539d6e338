package trim

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An event is a call or result, found by the rules of the providers independent of the package under test.
type event struct {
	turn   int
	id     string
	result bool
}

// calls and results are the types of the items and parts, with the member for the ID of the
// call.
var (
	calls = map[string]string{
		"function_call": "call_id", "computer_call": "call_id", "custom_tool_call": "call_id", "apply_patch_call": "call_id",
		"shell_call": "call_id", "local_shell_call": "call_id", "program": "call_id", "tool_use": "id", "server_tool_use": "id",
	}
	results = map[string]string{
		"function_call_output": "call_id", "computer_call_output": "call_id", "custom_tool_call_output": "call_id", "apply_patch_call_output": "call_id",
		"shell_call_output": "call_id", "local_shell_call_output": "id", "program_output": "call_id", "tool_result": "tool_use_id", "web_search_tool_result": "tool_use_id",
	}
)

func events(turns []conversation.Turn) []event {
	var list []event
	for i, t := range turns {
		items := []jsonstream.Value{t.Value}
		for _, part := range t.Value.Get("content").Elements() {
			items = append(items, part)
		}
		for _, item := range items {
			kind := item.Get("type").Text()
			if member, ok := calls[kind]; ok {
				list = append(list, event{i, item.Get(member).Text(), false})
			}
			if member, ok := results[kind]; ok {
				list = append(list, event{i, item.Get(member).Text(), true})
			}
		}
		for _, call := range t.Value.Get("tool_calls").Elements() {
			list = append(list, event{i, call.Get("id").Text(), false})
		}
		if t.Role == "tool" {
			list = append(list, event{i, t.Value.Get("tool_call_id").Text(), true})
		}
	}
	return list
}

// A pair is two turns of which the second needs the first, and the ID of the call if it is one.
type pair struct {
	first, second int
	id            string
}

func pairs(turns []conversation.Turn) []pair {
	var list []pair
	all := events(turns)
	for i, e := range all {
		if !e.result || e.id == "" {
			continue
		}
		for _, call := range slices.Backward(all[:i]) {
			if !call.result && call.id == e.id {
				list = append(list, pair{call.turn, e.turn, e.id})
				break
			}
		}
	}
	asked := map[string]int{}
	for i, t := range turns {
		v := t.Value
		if v.Get("type").Text() == "mcp_approval_request" && v.Get("id").Text() != "" {
			asked[v.Get("id").Text()] = i
		} else if j, ok := asked[v.Get("approval_request_id").Text()]; ok {
			list = append(list, pair{j, i, ""})
		}
		if v.Get("type").Text() == "reasoning" && i+1 < len(turns) && output(turns[i+1]) {
			list = append(list, pair{i, i + 1, ""})
		}
		if t.Role == "tool" && !slices.ContainsFunc(list, func(p pair) bool { return p.second == i && p.id != "" }) {
			j := i - 1
			for j >= 0 && turns[j].Role == "tool" {
				j--
			}
			if j >= 0 && turns[j].Role == "assistant" && len(eventsOf(turns[j])) == 0 {
				list = append(list, pair{j, i, ""})
			}
		}
	}
	return list
}

func eventsOf(t conversation.Turn) []event { return events([]conversation.Turn{t}) }

// output reports whether an item is the output of a model.
func output(t conversation.Turn) bool {
	kind := t.Value.Get("type").Text()
	return t.Role == "assistant" && !slices.ContainsFunc(eventsOf(t), func(e event) bool { return e.result }) ||
		slices.Contains([]string{"reasoning", "message", "mcp_approval_request", "mcp_list_tools"}, kind) && t.Role == "" || strings.HasSuffix(kind, "_call")
}

// relations returns a number for every turn, shared by the turns that must stay together.
func relations(h *history.History) []int {
	unit := make([]int, len(h.Turns))
	for i := range unit {
		unit[i] = i
	}
	for again := true; again; {
		again = false
		for i, u := range conversation.Units(h.Turns) { // the package may join more than necessary
			if m := min(unit[i], unit[u]); unit[i] != m || unit[u] != m {
				unit[i], unit[u], again = m, m, true
			}
		}
	}
	return unit
}

// checkTorn checks that related turns are all kept or all removed.
func checkTorn(t *rapid.T, was, now *history.History, stays map[int]bool, filters bool) {
	if !filters {
		for _, p := range pairs(was.Turns) {
			if stays[p.first] != stays[p.second] {
				t.Fatalf("torn: turns %d and %d, %s", p.first, p.second, p.id)
			}
		}
		return
	}
	// Filters edit turns: no call may have lost its result, nor a result its call.
	count := func(h *history.History) (whole map[string]int, torn map[string]int) {
		whole, torn = map[string]int{}, map[string]int{}
		all := events(h.Turns)
		answered := map[int]bool{}
		for i, e := range all {
			if !e.result {
				continue
			}
			found := false
			for j, call := range slices.Backward(all[:i]) {
				if !call.result && call.id == e.id {
					found, answered[j] = true, true
					break
				}
			}
			if !found {
				torn["result "+e.id]++
			}
		}
		for i, e := range all {
			if !e.result && !answered[i] {
				torn["call "+e.id]++
			}
		}
		return whole, torn
	}
	_, before := count(was)
	_, after := count(now)
	for what, n := range after {
		if n > before[what] {
			t.Fatalf("torn: %s (%d times, %d before)", what, n, before[what])
		}
	}
}
