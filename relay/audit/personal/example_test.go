package personal_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/relay/audit/personal"
)

func Example() {
	scanner, err := privacy.New(privacy.Policy{Subject: "/currentState/customer", Always: []string{"/currentState/born"}})
	if err != nil {
		panic(err)
	}
	sealer, err := personal.New(personal.Options{Scanner: scanner})
	if err != nil {
		panic(err)
	}
	raw := []byte(`{"handoffId": "h", "currentState": {"customer": "C-4711", "born": "1964-08-12"}, "taskDescription": "Answer C-4711 (ada@example.net)"}`)
	m, err := (&message.Parser{}).Parse(jsonstream.NewRaw(raw), message.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", sealer.Separate(raw, m, false).Text)
	// Output:
	// {"handoffId": "h", "currentState": {"customer": "<HIDDEN_1>", "born": "<HIDDEN_2>"}, "taskDescription": "Answer <HIDDEN_1> (<EMAIL_1>)"}
}
