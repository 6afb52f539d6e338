package claimcheck_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
)

// A message that is too long for a transport arrives through the store.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "bodies")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	store, err := claimcheck.Open(folder)
	if err != nil {
		panic(err)
	}
	var place transport.Memory

	sender := claimcheck.Publisher(narrow{place.Publisher(), 100}, store, transport.Options{})
	if _, err := sender.Publish(ctx, transport.Message{Body: bytes.Repeat([]byte("plan "), 1000)}); err != nil {
		panic(err)
	}

	receiver := claimcheck.Consumer(place.Consumer(), store, transport.Options{})
	d, err := receiver.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(d.Message().Body))
	// Output: 5000
}
