package a2a

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// payload returns the task, message, artifact or update in a document, which may be the
// document itself.
func payload(root jsonstream.Value) jsonstream.Value {
	if root.Get("messageId").Exists() || root.Get("status").Exists() { // a message or a task
		return root
	}
	for _, name := range []string{"result", "params", ""} {
		v := root
		if name != "" {
			v = root.Get(name)
		}
		for _, inner := range []string{"task", "message", "statusUpdate", "artifactUpdate"} {
			if held := v.Get(inner); held.Kind() == jsonstream.Object {
				return held
			}
		}
		if name == "result" && v.Kind() == jsonstream.Object {
			return v
		}
	}
	return root
}

// carriers returns the content for the receiver of a document: its handoffs, or the payload of
// an envelope. A task with a history is itself the content: a conversation about its handoffs.
func carriers(root jsonstream.Value) []format.Carrier {
	held := payload(root)
	if held.Kind() == jsonstream.Object && !held.Get("history").Exists() && !held.Get("tasks").Exists() {
		var all []format.Carrier
		for _, v := range Contents(root, Handoff) {
			all = append(all, format.Carrier{Value: v, JSON: true, Format: format.EAAPL})
		}
		if all != nil {
			return all
		}
	}
	if held == root {
		return nil
	}
	return []format.Carrier{{Value: held, JSON: true}}
}

// holders returns the messages and artifacts in a document, in text order. A status message that
// is also the last one of the task's history is included once.
func holders(root jsonstream.Value) []jsonstream.Value {
	var all []jsonstream.Value
	add := func(v jsonstream.Value) {
		if v.Get("parts").Kind() == jsonstream.Array {
			all = append(all, v)
		}
	}
	held := payload(root)
	tasks := []jsonstream.Value{held}
	for _, v := range held.Elements() { // an array of messages
		add(v)
	}
	for _, task := range held.Get("tasks").Elements() { // the result of ListTasks
		tasks = append(tasks, task)
	}
	for _, task := range tasks {
		add(task) // a bare message or artifact
		add(task.Get("artifact"))
		for _, list := range []string{"history", "artifacts"} {
			for _, v := range task.Get(list).Elements() {
				add(v)
			}
		}
		add(statusMessage(task))
	}
	slices.SortFunc(all, func(a, b jsonstream.Value) int { return cmp.Compare(a.Offset(), b.Offset()) })
	return all
}
