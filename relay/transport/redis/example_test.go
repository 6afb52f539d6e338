package redis_test

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/redis"
)

// A receiver takes a message from a server that must be durable.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	place, err := url.Parse("redis://127.0.0.1:6379/0/agents-billing?durable=require")
	if err != nil {
		log.Fatal(err)
	}
	c, err := redis.Consume(ctx, place, transport.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	d, err := c.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", d.Message().Body)
	if err := d.Ack(ctx); err != nil {
		log.Fatal(err)
	}
}
