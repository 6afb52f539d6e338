package nats_test

import (
	"context"
	"log"
	"net/url"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/nats"
)

// A message is published; Publish returns when it is in the stream.
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
	// The ID is the same for every try.
	if _, err := p.Publish(ctx, transport.Message{ID: "7f3a/1", Key: "7f3a", Body: []byte(`{"handoffId": "7f3a"}`), ReplyTo: "planner"}); err != nil {
		log.Fatal(err)
	}
}
