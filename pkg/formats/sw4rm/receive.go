package sw4rm

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Restored is a context prepared for the receiving agent, as by the document's
// on_handoff_received.
type Restored struct {
	// Text is the context with "completed": true added to each active call that has a
	// result, so that it is not run again. White space, numbers, the order of members and
	// unknown members are unchanged.
	Text []byte
	// Messages is the length of the conversation, Active the number of calls to resume, and
	// Completed the number of calls marked as completed.
	Messages, Active, Completed int
}

// Restore returns the restored context of a request, or false for a request without a
// context.
func Restore(r *Request) (Restored, bool, error) {
	if !r.Context.Exists() {
		return Restored{}, false, nil
	}
	calls := r.Context.Get("tool_state").Get("active_calls")
	answered := answeredCalls(r.Context)
	restored := Restored{Messages: r.Context.Get("conversation_history").Len()}
	draft := jsonstream.NewDraft(r.Context)
	for _, call := range calls.Elements() {
		id := call.Get("call_id")
		if id.Kind() != jsonstream.String || !answered[id.Text()] {
			restored.Active++
			continue
		}
		restored.Completed++
		at := call.Pointer()[len(r.Context.Pointer()):] + "/completed"
		if err := draft.Set(at, []byte("true")); err != nil {
			return Restored{}, true, err
		}
	}
	doc, err := draft.Document(jsonstream.Unlimited())
	if err != nil {
		return Restored{}, true, err
	}
	restored.Text = doc.Root().Raw()
	return restored, true, nil
}

// answeredCalls returns the ids of calls with a result, in a tool message or in the cached
// results.
func answeredCalls(context jsonstream.Value) map[string]bool {
	answered := map[string]bool{}
	for _, entry := range context.Get("conversation_history").Elements() {
		if id := entry.Get("tool_call_id").Text(); id != "" && entry.Get("role").Text() == "tool" {
			answered[id] = true
		}
	}
	if results := context.Get("tool_state").Get("cached_results"); results.Kind() == jsonstream.Object {
		for id := range results.Members() {
			answered[id] = true
		}
	}
	return answered
}
