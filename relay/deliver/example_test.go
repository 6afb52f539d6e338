package deliver_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/schemas"
)

func ExampleSender() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	records, err := sqlstore.Open(ctx, filepath.Join(dir, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer records.Close()
	store, err := deliver.Open(ctx, filepath.Join(dir, "state.db"), deliver.Options{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	var place transport.Memory
	sender := deliver.NewSender(store, audit.NewLog(records, nil), deliver.SenderOptions{
		Open:      func(context.Context, string) (transport.Publisher, error) { return place.Publisher(), nil },
		Transport: func(string) string { return "memory" },
	})
	defer sender.Close()

	message, err := schemas.Example("message")
	if err != nil {
		log.Fatal(err)
	}
	o, err := store.Examine(jsonstream.NewRaw(message), jsonstream.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	o.Checkpoint = []byte("what the sender knows")
	o.To = []deliver.Address{{Receiver: o.Receivers[0], Destination: "memory:"}}
	results, err := sender.Send(ctx, []*deliver.Outgoing{o})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results[0].State)
	until, cancel := context.WithCancel(ctx)
	cancel() // there is no receiver here
	checkpoint, err := sender.Rollback(ctx, until, deliver.Rollback{HandoffID: o.HandoffID, Force: true})
	fmt.Println(string(checkpoint), err)
	// Output:
	// DISPATCHED
	// what the sender knows <nil>
}
