package diff_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func ExampleCompare() {
	read := func(text string) *jsonstream.Document {
		d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			panic(err)
		}
		return d
	}
	a := read(`{"taskId":"t","timestamp":"10:00","remainingSubtasks":[{"subtaskId":"s1","description":"Score"},{"subtaskId":"s2"}]}`)
	b := read(`{"taskId":"t","timestamp":"10:05","remainingSubtasks":[{"subtaskId":"s1","description":"Score it"}]}`)

	timestamp, err := jsonstream.ParsePattern("/timestamp")
	if err != nil {
		panic(err)
	}
	e := diff.Compare(a, b, diff.Options{Ignore: []jsonstream.Pattern{timestamp}})
	for leaf := range e.Leaves() {
		fmt.Println(leaf.Kind, leaf.Pointer(), leaf.New.Text())
	}
	// Output:
	// changed /remainingSubtasks/0/description Score it
	// removed /remainingSubtasks/1
}
