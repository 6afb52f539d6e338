package relayflags

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
)

// StoreFlag is the flag with the address of a sender's operational store.
type StoreFlag struct {
	Address string
	Wipe    bool // overwrite removed data

	databaseFiles
}

// Register registers the flag.
func (f *StoreFlag) Register(g *cli.Globals, c *cobra.Command) {
	f.globals = g
	c.Flags().StringVar(&f.Address, "store", "", "store of the sender's checkpoints and outbox: a `FILE`, sqlite:FILE or postgres://… (default $XDG_STATE_HOME/handoff/state.db)")
}

// Open opens the store. A missing store is created if create is set; otherwise it is an error. The store must
// not be in the database of the log.
func (f *StoreFlag) Open(ctx context.Context, log *audit.Log, create bool) (*deliver.Store, error) {
	address, err := inState("outbox", "store", f.Address, "state.db")
	if err != nil {
		return nil, err
	}
	place, err := logPlace(ctx, log)
	if err != nil {
		return nil, err
	}
	store, err := deliver.Open(ctx, address, deliver.Options{Create: create, LogPlace: place, Wipe: f.Wipe})
	switch {
	case err == nil:
		if err := f.claim(address); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return store, nil
	case errors.Is(err, os.ErrNotExist) && !create:
		return nil, term.WithHint(fmt.Errorf("the outbox: %w", err), "handoff send creates an outbox; --store or HANDOFF_STORE names another one")
	case errors.As(err, new(*deliver.SamePlaceError)):
		return nil, term.WithHint(fmt.Errorf("--store: %w", err), "without --store and --audit-log they are state.db and audit.db in $XDG_STATE_HOME/handoff")
	default:
		return nil, fmt.Errorf("the outbox: %w", err)
	}
}
