package http_test

import (
	"context"
	"fmt"
	"net/url"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// A receiver answers a posted message.
func ExampleServe() {
	ctx := context.Background()
	receiver, err := http.Serve(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/handoffs"}, http.ServeOptions{})
	if err != nil {
		panic(err)
	}
	defer receiver.Close()
	go func() {
		d, err := receiver.Next(ctx)
		if err != nil {
			panic(err)
		}
		_ = d.Answer(ctx, transport.Message{Key: d.Message().Key, Outcome: transport.Taken, Body: []byte(`{"status":"ACCEPTED"}`)})
		_ = d.Ack(ctx)
	}()

	sender, err := http.Publish(ctx, &url.URL{Scheme: "http", Host: receiver.Addr().String(), Path: "/handoffs"}, transport.Options{})
	if err != nil {
		panic(err)
	}
	defer sender.Close()
	receipt, err := sender.Publish(ctx, transport.Message{Key: "0b1f62a9", Body: []byte(`{"a":1}`)})
	if err != nil {
		panic(err)
	}
	answer := receipt.Answer
	fmt.Printf("%s: %s %s\n", answer.Key, answer.Outcome, answer.Body)
	// Output: 0b1f62a9: taken {"status":"ACCEPTED"}
}
