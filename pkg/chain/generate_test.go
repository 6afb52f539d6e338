package chain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// object is a message under construction.
type object = map[string]any

// began is the start time of generated tasks.
var began = time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)

// uuid returns a version 4 UUID.
func uuid(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.Uint32()>>16, r.Uint32()>>20, r.Uint32()>>20, r.Uint64()>>16)
}

// first returns the first message of a task, by agent-0 to agent-1, with subtasks.
func first(r *rand.Rand, subtasks int) object {
	m := object{
		"schemaVersion": "2.0", "handoffId": uuid(r), "taskId": uuid(r), "parentHandoffId": nil,
		"fromAgent":       object{"agentId": "agent-0", "agentVersion": "1.0.0", "executionId": uuid(r)},
		"toAgent":         object{"agentType": "agent-1", "agentVersion": ">=1.0.0"},
		"timestamp":       began.Format(time.RFC3339Nano),
		"taskDescription": "Settle the claims of the quarter", "completedSubtasks": []any{}, "remainingSubtasks": []any{},
		"currentState": object{"claims": []any{"C-1041"}, "step": 0}, "relevantContext": []any{},
		"constraints":                 []any{"returnJSON:true", "maxResponseTokens:2000"},
		"costTracking":                costOf(10, 1000-10, 100, 50),
		"conversationHistorySummary":  "",
		"conversationHistoryVerbatim": []any{object{"role": "user", "content": "Settle claim C-1041 for 4,200 EUR."}},
		"toolCallHistory":             []any{},
		"traceparent":                 fmt.Sprintf("00-%016x%016x-%016x-01", r.Uint64()|1, r.Uint64(), r.Uint64()|1),
	}
	for i := range subtasks {
		m["remainingSubtasks"] = append(m["remainingSubtasks"].([]any), object{"subtaskId": fmt.Sprint("s", i), "description": "Part of the work"})
	}
	return m
}

// costOf returns a costTracking, in cents.
func costOf(spent, left, prompt, completion int) object {
	return object{
		"costSpentSoFarUSD": json.Number(fmt.Sprintf("%d.%02d", spent/100, spent%100)), "costBudgetRemainingUSD": json.Number(fmt.Sprintf("%d.%02d", left/100, left%100)),
		"tokenSpent": object{"prompt": prompt, "completion": completion},
	}
}

// copyOf returns a message that shares nothing with m.
func copyOf(m object) object {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var c object
	if err := dec.Decode(&c); err != nil {
		panic(err)
	}
	return c
}

// next returns the message in which the receiver of parent hands over to another agent, after it
// completed one subtask for some cents.
func next(r *rand.Rand, parent object, to string, cents int) object {
	m := copyOf(parent)
	m["handoffId"], m["parentHandoffId"] = uuid(r), parent["handoffId"]
	m["fromAgent"] = object{"agentId": m["toAgent"].(object)["agentType"], "agentVersion": "1.2.0", "executionId": uuid(r)}
	m["toAgent"] = object{"agentType": to, "agentVersion": ">=1.0.0"}
	delete(m, "receiverList")
	at, err := time.Parse(time.RFC3339Nano, m["timestamp"].(string))
	if err != nil {
		panic(err)
	}
	m["timestamp"] = at.Add(time.Minute).Format(time.RFC3339Nano)
	complete(m, 0, at.Add(30*time.Second))
	cost := m["costTracking"].(object)
	spend(cost, cents)
	m["traceparent"] = m["traceparent"].(string)[:36] + fmt.Sprintf("%016x-01", r.Uint64()|1)
	number := fmt.Sprintf("INV-%d", r.IntN(90000)+10000)
	m["conversationHistoryVerbatim"] = append(m["conversationHistoryVerbatim"].([]any),
		object{"role": "assistant", "content": "Booked invoice " + number + "."})
	m["conversationHistorySummary"] = m["conversationHistorySummary"].(string) + " Invoice " + number + " is booked."
	return m
}

// complete moves a remaining subtask to the completed ones.
func complete(m object, i int, at time.Time) {
	left := m["remainingSubtasks"].([]any)
	if i >= len(left) {
		return
	}
	s := left[i].(object)
	s["result"], s["completedAt"] = object{"amount": json.Number("12.50")}, at.Format(time.RFC3339Nano)
	m["completedSubtasks"] = append(m["completedSubtasks"].([]any), s)
	m["remainingSubtasks"] = append(append([]any{}, left[:i]...), left[i+1:]...)
}

// inCents returns an amount of a costTracking.
func inCents(cost object, name string) int {
	var whole, part int
	fmt.Sscanf(fmt.Sprint(cost[name]), "%d.%d", &whole, &part)
	return whole*100 + part
}

// spend deducts cents from the budget, and counts tokens.
func spend(cost object, cents int) {
	count := func(name string) int {
		var n int
		fmt.Sscan(fmt.Sprint(cost["tokenSpent"].(object)[name]), &n)
		return n
	}
	for name, v := range costOf(inCents(cost, "costSpentSoFarUSD")+cents, inCents(cost, "costBudgetRemainingUSD")-cents, count("prompt")+cents*10, count("completion")+cents) {
		cost[name] = v
	}
}

// line returns a task in which every agent hands to the next.
func line(r *rand.Rand, length int) []object {
	task := []object{first(r, length)}
	for i := 1; i < length; i++ {
		task = append(task, next(r, task[i-1], fmt.Sprint("agent-", i+1), 1+r.IntN(5)))
	}
	return task
}

// fanOut returns a task with a fan-out to some receivers. agent-join joins it, and spends a cent.
func fanOut(r *rand.Rand, receivers int) []object {
	root := first(r, receivers)
	var list []any
	for i := range receivers {
		list = append(list, object{"agentType": fmt.Sprint("worker-", i), "agentVersion": ">=1.0.0"})
	}
	root["receiverList"], root["toAgent"] = list, list[0]
	task := []object{root}
	var joined object
	for i := range receivers {
		addressed := copyOf(root)
		addressed["toAgent"] = list[i]
		left := addressed["remainingSubtasks"].([]any)
		left[0], left[i] = left[i], left[0]
		branch := next(r, addressed, "agent-join", i+1)
		task = append(task, branch)
		if joined == nil {
			joined = next(r, branch, "agent-end", 1)
			continue
		}
		complete(joined, 0, began.Add(30*time.Second))
		spend(joined["costTracking"].(object), i+1)
	}
	return append(task, joined)
}

// grow returns messages that lead from a message to an agent, in lines and nested fan-outs up to
// a depth. The last message hands over to the agent.
func grow(r *rand.Rand, parent object, to string, depth int) []object {
	cents := 1 + r.IntN(5)
	agent := func() string { return "agent-" + uuid(r)[:8] }
	switch kind := r.IntN(4); {
	case depth == 0 || kind == 0:
		return []object{next(r, parent, to, cents)}
	case kind == 1:
		m := next(r, parent, agent(), cents)
		return append([]object{m}, grow(r, m, to, depth-1)...)
	}
	from, joiner, worker, isOneType := next(r, parent, "", cents), agent(), agent(), r.IntN(3) == 0
	list := make([]any, 2+r.IntN(2))
	shares := make([][]any, len(list))
	for i := range list {
		if !isOneType {
			worker = agent()
		}
		list[i] = object{"agentType": worker, "agentVersion": ">=1.0.0"}
	}
	for i, s := range subtasks(from, "remainingSubtasks") {
		shares[i%len(list)] = append(shares[i%len(list)], s)
	}
	from["toAgent"], from["receiverList"] = list[0], list
	if r.IntN(3) == 0 && !isOneType {
		from["receiverList"] = list[1:]
	}
	all, tips := []object{from}, []object{}
	for i := range list {
		addressed := copyOf(from)
		addressed["toAgent"], addressed["remainingSubtasks"] = list[i], append([]any{}, shares[i]...)
		all = append(all, grow(r, addressed, joiner, depth-1)...)
		tips = append(tips, all[len(all)-1])
	}
	r.Shuffle(len(tips), func(i, j int) { tips[i], tips[j] = tips[j], tips[i] })
	joined := merge(from, tips)
	if r.IntN(3) == 0 {
		joined["handoffId"] = from["handoffId"]
	}
	return append(all, next(r, joined, to, cents))
}

// merge returns the first tip of a fan-out with the subtasks of the others.
func merge(from object, tips []object) object {
	m := copyOf(tips[0])
	spentOf := func(m object) int { return inCents(m["costTracking"].(object), "costSpentSoFarUSD") }
	known := make(map[any]bool)
	for _, s := range subtasks(m, "completedSubtasks") {
		known[s.(object)["subtaskId"]] = true
	}
	for _, tip := range tips[1:] {
		for _, s := range subtasks(tip, "completedSubtasks") {
			if !known[s.(object)["subtaskId"]] {
				m["completedSubtasks"] = append(subtasks(m, "completedSubtasks"), s)
			}
		}
		m["remainingSubtasks"] = append(subtasks(m, "remainingSubtasks"), subtasks(tip, "remainingSubtasks")...)
		m["timestamp"] = max(m["timestamp"].(string), tip["timestamp"].(string))
		spend(m["costTracking"].(object), spentOf(tip)-spentOf(from))
	}
	return m
}

// nested returns a task of nested fan-outs.
func nested(r *rand.Rand) []object {
	root := first(r, 30)
	return append([]object{root}, grow(r, root, "agent-end", 4)...)
}

// A tester is a test, or a property test of package rapid.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// parse reads a message; index distinguishes it from others.
func parse(t tester, text string, index int) *Message {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := Read(d, Place{"task.jsonl", index, index + 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// encode returns the text of a message.
func encode(t tester, m object) string {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkObjects checks messages in the given order.
func checkObjects(t tester, o Options, messages ...object) []*Task {
	t.Helper()
	c := New(o)
	for i, m := range messages {
		c.Add(parse(t, encode(t, m), i))
	}
	return c.Tasks()
}

// findings returns the findings in tasks, with the ids of the messages.
func findings(tasks []*Task) []string {
	var list []string
	for _, task := range tasks {
		for n := range task.Nodes() {
			for _, f := range n.Findings {
				list = append(list, fmt.Sprintf("%s: %s %s", n.HandoffID, f.Rule, f.Message))
			}
		}
	}
	return list
}
