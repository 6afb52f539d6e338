package trim_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/trim"
)

// A message is trimmed to its last two turns, and restored.
func Example() {
	text := []byte(`{"conversation_history":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":"three"}],"tool_state":{},"metadata":{}}`)
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	small, err := trim.Message(context.Background(), doc, jsonstream.Limits{}, trim.Options{Last: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(small.Gone, "turn gone of", small.Record.OriginalTurns)

	archive, err := trim.NewArchive(bytes.NewReader(append(small.Archive, '\n')))
	if err != nil {
		fmt.Println(err)
		return
	}
	if doc, err = jsonstream.Parse(jsonstream.NewRaw(small.Text), jsonstream.Limits{}); err != nil {
		fmt.Println(err)
		return
	}
	back, err := archive.Restore(doc, "", jsonstream.Limits{})
	fmt.Println(bytes.Equal(back, text), err)
	// Output:
	// 1 turn gone of 3
	// true <nil>
}
