package claudecode_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/claudecode"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleTree reads a session in which the user went back after the first answer and asked a different
// question.
func ExampleTree() {
	text := `{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"Which port?"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","content":"80"}}
{"type":"user","uuid":"3","parentUuid":null,"message":{"role":"user","content":"Which port does the test use?"}}
{"type":"assistant","uuid":"4","parentUuid":"3","message":{"role":"assistant","content":"8080"}}
`
	doc, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var entries []claudecode.Entry[string]
	for i, line := range doc.Root().Elements() {
		if e, ok := claudecode.EntryOf(line); ok {
			e.Order = i
			entries = append(entries, e)
		}
	}
	tree := claudecode.NewTree(entries)
	path, _ := tree.Conversation()
	for _, n := range path {
		fmt.Println(tree.Entry(n).Kind, tree.Entry(n).UUID)
	}
	// Output:
	// user 3
	// assistant 4
}
