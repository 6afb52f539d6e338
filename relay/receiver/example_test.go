package receiver_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/schemas"
)

func ExampleReceiver() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, filepath.Join(dir, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	r, err := receiver.New(ctx, validate.New(validate.Options{}), audit.NewLog(store, nil), receiver.Options{})
	if err != nil {
		log.Fatal(err)
	}
	text, err := schemas.Example("message")
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		d, err := r.Examine(ctx, jsonstream.NewRaw(text), nil)
		if err != nil {
			log.Fatal(err)
		}
		answers, err := r.Record(ctx, []*receiver.Delivery{d}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answers[0].Status) // now the message may be handed over
	}
	// Output:
	// ACCEPTED
	// DUPLICATE
}
