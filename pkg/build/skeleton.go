package build

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Draft is the known part of a state that a person is to write.
type Draft struct {
	From message.FromAgent
	To   message.ToAgent
	// TaskDescription is the receiver's task.
	TaskDescription string
	// Completed and Remaining describe subtasks.
	Completed, Remaining []string
	Constraints          []string
	// UserSaid is the user's turn that begins the conversation.
	UserSaid string
	// BudgetUSD is the maximum cost of the whole task.
	BudgetUSD message.Number
}

// A placeholder stands for a value and describes it. It ends with ">". Its body is unchanged in
// JSON texts that escape "<".
const (
	placeholder     = "<" + placeholderBody
	placeholderBody = "fill in: "
)

// Skeleton returns the text of a state with the values of d, which must be valid UTF-8, and with placeholders
// such as "<fill in: a completed subtask>" for others. [Message] fails until all are filled in. The cost of the
// step is zero, because a person did the work.
func Skeleton(d Draft) []byte {
	asked := func(what string) string { return placeholder + what + ">" }
	text := func(known, what string) []byte { return quote(cmp.Or(known, asked(what))) }
	numbered := 0
	subtasks := func(known []string, what string) []byte {
		if known == nil {
			known = []string{asked(what)}
		}
		list := []byte{'['}
		for _, description := range known {
			numbered++
			list = fmt.Appendf(jsonstream.AppendComma(list), `{"subtaskId":"s%d","description":%s}`, numbered, quote(description))
		}
		return append(list, ']')
	}
	to := d.To
	to.AgentType = cmp.Or(to.AgentType, asked("the type of the agent that takes over"))
	target, _ := json.Marshal(to) // cannot fail: to contains only strings
	constraints := []byte{'['}
	for _, c := range d.Constraints {
		constraints = append(jsonstream.AppendComma(constraints), quote(c)...)
	}
	budget := []byte(d.BudgetUSD)
	if len(budget) == 0 {
		budget = quote(asked("a number, the budget of the task in US dollars"))
	}
	return fmt.Appendf(nil, `{"fromAgent":{"agentId":%s,"agentVersion":%s},"toAgent":%s,"taskDescription":%s,"completedSubtasks":%s,"remainingSubtasks":%s,`+
		`"currentState":{},"relevantContext":[],"constraints":%s,"conversationHistoryVerbatim":[{"role":"user","content":%s}],`+
		`"cost":{"costUSD":0,"budgetUSD":%s,"tokens":{"prompt":0,"completion":0}}}`,
		text(d.From.AgentID, "the agent that hands over"), text(d.From.AgentVersion, "its version, as in 1.0.0"), target,
		text(d.TaskDescription, "the receiver's task"), subtasks(d.Completed, "a completed subtask"), subtasks(d.Remaining, "a remaining subtask"),
		append(constraints, ']'), text(d.UserSaid, "a message of the user"), budget)
}

// quote returns a JSON string.
func quote(s string) []byte {
	text, _ := jsontext.AppendQuote(nil, s) // an error is about invalid UTF-8, which has been replaced
	return text
}

// shapes is a state with an example of every value, as short as possible.
const shapes = `{"fromAgent":{"agentId":"planner","agentVersion":"1.0.0"},"toAgent":{"agentType":"scorer"},"receiverList":[{"agentType":"scorer"}],
"taskDescription":"…",
"completedSubtasks":[{"subtaskId":"s1","description":"…"}],"remainingSubtasks":[{"subtaskId":"s2","description":"…"}],
"currentState":{"name":"value"},"relevantContext":[{"source":"…","excerpt":"…"}],"constraints":["returnJSON:true"],
"conversationHistorySummary":"…","conversationHistoryVerbatim":[{"role":"user","content":"…"}],
"toolCalls":[{"tool":"search","calledAt":"2026-06-12T09:28:41Z"}],
"cost":{"costUSD":0.08,"budgetUSD":0.4,"tokens":{"prompt":900,"completion":300}},
"personalDataPayload":{"name":"…"},"extensions":{"namespace":{}}}`

var parsedShapes = sync.OnceValues(func() (*jsonstream.Document, error) {
	return jsonstream.Parse(jsonstream.NewRaw([]byte(shapes)), jsonstream.Unlimited())
})

// shape returns an example of the value at a JSON Pointer into a state, as a short JSON text on one line, or
// "" if there is none.
func shape(pointer string) string {
	const longest = 120
	doc, err := parsedShapes()
	if err != nil {
		return ""
	}
	v := doc.Root()
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if v.Kind() == jsonstream.Array {
			name = "0" // of one element
		}
		v = v.At("/" + name)
	}
	if !v.Exists() || len(v.Raw()) > longest {
		return ""
	}
	return string(v.Raw())
}
