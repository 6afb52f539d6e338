package nats_test

import (
	"context"
	"log"
	"net/url"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/nats"
)

// A message is published; Publish returns when the stream has it.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	place, err := url.Parse("nats://127.0.0.1:4222/agents.billing")
	if err != nil {
		log.Fatal(err)
	}
	p, err := nats.Publish(ctx, place, transport.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	// The same ID however often it is tried.
	if _, err := p.Publish(ctx, transport.Message{ID: "7f3a/1", Key: "7f3a", Body: []byte(`{"handoffId": "7f3a"}`), ReplyTo: "planner"}); err != nil {
		log.Fatal(err)
	}
}
