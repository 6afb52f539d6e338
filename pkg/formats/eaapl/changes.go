package eaapl

import (
	"maps"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// changes returns the changes of a task.
func changes(c format.Comparison) []format.Change {
	var list []format.Change
	if !equal.Values(c.Old.Get("taskId"), c.New.Get("taskId")) {
		list = append(list, format.Change{Text: "another task"})
	}
	lost, added := format.Differing(maps.Collect(c.Old.Get("currentState").Members()), maps.Collect(c.New.Get("currentState").Members()))
	return slices.Concat(list, c.Route("/fromAgent/agentId", "/toAgent/agentType"), subtasks(c.Old, c.New),
		format.TextChanges("constraint", c.Old.Get("constraints"), c.New.Get("constraints")),
		[]format.Change{
			{Noun: "state member", Count: lost, Became: "lost", Loss: true},
			{Noun: "state member", Count: added, Became: "added"},
		})
}

// subtasks compares the subtask lists of both messages, by subtaskId. A subtask in both
// lists of one message is completed.
func subtasks(a, b jsonstream.Value) []format.Change {
	completed, reopened, results := 0, 0, 0
	wasDone, wasLeft := byID(a.Get("completedSubtasks")), byID(a.Get("remainingSubtasks"))
	done, left := byID(b.Get("completedSubtasks")), byID(b.Get("remainingSubtasks"))
	for id, s := range wasDone {
		switch {
		case done[id].Exists():
			if !equal.Values(s.Get("result"), done[id].Get("result")) {
				results++
			}
		case left[id].Exists():
			reopened++
		}
	}
	for id := range wasLeft {
		if !wasDone[id].Exists() && done[id].Exists() {
			completed++
		}
	}
	maps.Copy(wasDone, wasLeft)
	maps.Copy(done, left)
	lost, added := format.Differing(wasDone, done)
	return []format.Change{
		{Noun: "subtask", Count: completed, Became: "completed"},
		{Noun: "subtask", Count: lost, Became: "lost", Loss: true},
		{Noun: "subtask", Count: reopened, Became: "reopened", Loss: true},
		{Noun: "subtask", Count: added, Became: "added"},
		{Noun: "result", Count: results, Became: "changed", Loss: true},
	}
}

// byID returns the subtasks of a list that have a subtaskId.
func byID(list jsonstream.Value) map[string]jsonstream.Value {
	subtasks := map[string]jsonstream.Value{}
	for _, s := range list.Elements() {
		if id := s.Get("subtaskId"); id.Kind() == jsonstream.String {
			subtasks[id.Text()] = s
		}
	}
	return subtasks
}
