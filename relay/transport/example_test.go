package transport_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/transport"
)

// A message is sent to a receiver, and an answer back.
func ExampleMemory() {
	ctx := context.Background()
	var place transport.Memory

	sender := place.Publisher()
	_, err := sender.Publish(ctx, transport.Message{Key: "0b1f62a9", ReplyTo: "planner", Body: []byte(`{"a":1}`)})
	if err != nil {
		panic(err)
	}

	d, err := place.Consumer().Next(ctx)
	if err != nil {
		panic(err)
	}
	m := d.Message()
	fmt.Printf("%s: %s\n", m.Key, m.Body)
	_ = d.Answer(ctx, transport.Message{Kind: transport.Answer, Key: m.Key, Outcome: transport.Taken})
	_ = d.Ack(ctx)

	answers, err := sender.Answers(ctx, "planner")
	if err != nil {
		panic(err)
	}
	d, err = answers.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Message().Key, d.Message().Outcome)
	// Output:
	// 0b1f62a9: {"a":1}
	// 0b1f62a9 taken
}
