package viewer_test

import (
	"bytes"
	"fmt"

	"github.com/eaapl/handoff/internal/viewer"
)

func ExampleWrite() {
	index := &viewer.Index{
		Title:    "One handoff",
		Tasks:    []viewer.Task{{ID: "t", Count: 1, Spenders: []viewer.Spender{}}},
		Handoffs: []viewer.Handoff{{ID: "h", Parent: -1, From: "planner", To: "writer"}},
		Rules:    []viewer.Rule{},
	}
	var page bytes.Buffer
	err := viewer.Write(&page, index, func(int) (*viewer.Details, error) {
		return &viewer.Details{Message: `{"handoffId":"h"}`, Compared: -1}, nil
	})
	fmt.Println(err, bytes.Contains(page.Bytes(), []byte("<title>One handoff</title>")))
	// Output: <nil> true
}
