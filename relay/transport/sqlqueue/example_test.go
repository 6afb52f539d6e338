package sqlqueue_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
)

// A receiver makes a message a dead letter, with a reason in the table.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "queue")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	u := &url.URL{Scheme: "sqlite", Path: filepath.Join(folder, "queue.db"), RawQuery: "queue=plans"}

	sender, err := sqlqueue.Publish(ctx, u, transport.Options{})
	if err != nil {
		panic(err)
	}
	defer sender.Close()
	if _, err := sender.Publish(ctx, transport.Message{ID: "1", Body: []byte(`{"a":1}`)}); err != nil {
		panic(err)
	}

	receiver, err := sqlqueue.Consume(ctx, u, transport.Options{})
	if err != nil {
		panic(err)
	}
	defer receiver.Close()
	d, err := receiver.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", d.Message().Body)
	if err := d.DeadLetter(ctx, "nobody knows what to do"); err != nil { // SELECT reason FROM handoff_dead_letter
		panic(err)
	}
	// Output: {"a":1}
}
