package sqlstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

func ExampleOpen() {
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
	err = audit.NewLog(store, nil).Append(ctx, func(b *audit.Batch) error {
		_, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: "h1", TaskID: "t1"}, nil)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	err = store.View(ctx, func(r audit.Reader) error {
		for record, err := range r.Records(audit.Filter{Tasks: []string{"t1"}}) {
			if err != nil {
				return err
			}
			fmt.Println(record.Sequence, record.Event, record.HandoffID)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 0 ACCEPTED h1
}
