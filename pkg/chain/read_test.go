package chain

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestReadErrors checks documents that are not messages.
func TestReadErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no object", `[1]`, "not a handoff message"},
		{"another format", `{"conversation_history": []}`, "not a handoff message"},
		{"neither", `{"schemaVersion": "2.0"}`, "handoffId: expected a string that identifies the message or its task, found nothing"},
		{"no task", `{"handoffId": "h1"}`, "taskId: expected a string that identifies the message or its task, found nothing"},
		{"no handoffId", `{"handoffId": 7, "taskId": "t"}`, "handoffId: expected a string that identifies the message or its task, found number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(test.text)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read(d, Place{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestReadKeepsNothing checks that the texts of messages may be overwritten once they
// are read, and that messages can be read at the same time.
func TestReadKeepsNothing(t *testing.T) {
	task := fanOut(rand.New(rand.NewPCG(1, 2)), 4)
	task[2]["constraints"], task[3]["taskId"] = []any{}, "another task"
	task[4]["conversationHistoryVerbatim"], task[4]["conversationHistorySummary"] = []any{}, ""
	want := describe(checkObjects(t, Options{}, task...))

	messages := make([]*Message, len(task))
	var running sync.WaitGroup
	for i, m := range task {
		text := []byte(encode(t, m))
		running.Go(func() {
			d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			if messages[i], err = Read(d, Place{"task.jsonl", i, i + 1}); err != nil {
				t.Error(err)
			}
			for at := range text {
				text[at] = 'x'
			}
		})
	}
	running.Wait()
	if diff := cmp.Diff(want, describe(checkAll(Options{}, messages))); diff != "" {
		t.Error(diff)
	}
}
