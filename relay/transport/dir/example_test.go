package dir_test

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// Two programs on one machine hand over through a folder.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "queue")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	u := &url.URL{Scheme: "dir", Path: folder}

	sender, err := dir.Publish(ctx, u, transport.Options{})
	if err != nil {
		panic(err)
	}
	defer sender.Close()
	if _, err := sender.Publish(ctx, transport.Message{ID: "1", Body: []byte(`{"a":1}`)}); err != nil {
		panic(err)
	}

	receiver, err := dir.Consume(ctx, u, transport.Options{})
	if err != nil {
		panic(err)
	}
	defer receiver.Close()
	d, err := receiver.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", d.Message().Body)
	if err := d.Ack(ctx); err != nil {
		panic(err)
	}
	// Output: {"a":1}
}
