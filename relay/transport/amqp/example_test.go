package amqp_test

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/amqp"
)

// A sender reads the answers to its messages.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	place, err := url.Parse("amqp://127.0.0.1:5672/agents.billing")
	if err != nil {
		log.Fatal(err)
	}
	p, err := amqp.Publish(ctx, place, transport.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	answers, err := p.Answers(ctx, "planner")
	if err != nil {
		log.Fatal(err)
	}
	defer answers.Close()
	d, err := answers.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", d.Message().Key, d.Message().Outcome)
	if err := d.Ack(ctx); err != nil {
		log.Fatal(err)
	}
}
