package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A message keeps its bytes, including unknown members; Set changes one place.
func ExampleParse() {
	m, err := message.Parse([]byte(`{"handoffId": "h-1", "x": 1.50, "constraints": ["be brief"]}`), message.Options{})
	if err != nil {
		panic(err)
	}
	changed, err := m.Set("/constraints/-", []byte(`"cite sources"`))
	if err != nil {
		panic(err)
	}
	fmt.Println(m.HandoffID(), m.Root().At("/constraints/0").Text())
	fmt.Printf("%s\n", changed.Raw())

	_, err = message.Parse([]byte(`{"handoffId": "h-1", "handoffId": "h-2"}`), message.Options{})
	var damaged *jsonstream.SyntaxError
	if errors.As(err, &damaged) {
		fmt.Printf("line %d, column %d: %s\n", damaged.Line, damaged.Column, damaged.Problem)
	}
	// Output:
	// h-1 be brief
	// {"handoffId": "h-1", "x": 1.50, "constraints": ["be brief","cite sources"]}
	// line 1, column 22: member name "handoffId" appears twice in one object: keep one of them
}

// Fields are a message as Go values, for encoding/json too.
func ExampleFields() {
	var turn message.Turn
	if err := json.Unmarshal([]byte(`{"role":"user","content":"Hi","seen":1.50}`), &turn); err != nil {
		panic(err)
	}
	text, err := json.Marshal(message.Fields{
		TaskDescription:             "Greet",
		CurrentState:                json.RawMessage(`{}`),
		ConversationHistoryVerbatim: []message.Turn{turn},
		CostTracking: message.CostTracking{
			CostSpentSoFarUSD: "0.10", CostBudgetRemainingUSD: "0.90", TokenSpent: message.TokenSpent{Prompt: "12", Completion: "3"},
		},
	})
	if err != nil {
		panic(err)
	}
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", m.Root().Get("costTracking").Raw())
	fmt.Printf("%s\n", m.Root().At("/conversationHistoryVerbatim/0").Raw())
	// Output:
	// {"costSpentSoFarUSD":0.10,"costBudgetRemainingUSD":0.90,"tokenSpent":{"prompt":12,"completion":3}}
	// {"role":"user","content":"Hi","seen":1.50}
}

// A stream continues after a damaged message.
func ExampleDecoder() {
	in := strings.NewReader(`{"handoffId":"h-1"}
{"handoffId":"h-2",}
{"handoffId":"h-3"}
`)
	for m, err := range message.NewDecoder(in, message.Options{}).All() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.HandoffID())
	}
	// Output:
	// h-1
	// found a comma before a closing bracket: JSON allows no trailing comma; remove it
	// h-3
}

// Money is added exactly.
func ExampleDecimal() {
	spent, err := message.Number("0.1").Decimal()
	if err != nil {
		panic(err)
	}
	fmt.Println(spent.Add(message.NewDecimal(20, 2)))
	// Output: 0.3
}
