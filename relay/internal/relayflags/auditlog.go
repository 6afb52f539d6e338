// Package relayflags has the flags that commands of handoff-relay share: of the audit log, the outbox, data
// subjects and alerts.
package relayflags

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

// AuditLogFlag says where the audit log is.
type AuditLogFlag struct {
	Address string
	Archive string // where the files of messages are, "" for where they were written
	Wipe    bool   // what is removed is overwritten
}

// Register registers the flag.
func (f *AuditLogFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.Address, "audit-log", "", "audit log: a `FILE`, sqlite:FILE or postgres://… (default $XDG_STATE_HOME/handoff/audit.db)")
}

// RegisterArchive registers the flag that says where archived messages are.
func (f *AuditLogFlag) RegisterArchive(c *cobra.Command) {
	c.Flags().StringVar(&f.Archive, "archive-dir", "", "`DIR` of the files of audit archive (default: where they were written)")
}

// Open opens the audit log. A log that is not there is made if create, and an error
// otherwise. The caller closes the log's store.
func (f *AuditLogFlag) Open(ctx context.Context, create bool) (*audit.Log, error) {
	address, err := inState("audit log", "audit-log", f.Address, "audit.db")
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, address, sqlstore.Options{Create: create, Archive: f.Archive, Wipe: f.Wipe})
	if errors.Is(err, os.ErrNotExist) && !create {
		return nil, term.WithHint(err, "handoff accept makes an audit log; --audit-log or HANDOFF_AUDIT_LOG names another one")
	}
	if err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	return audit.NewLog(store, nil), nil
}

// inState returns an address, or where a database is that has none; what it is for and the flag that
// names it are for the error.
func inState(what, flag, address, name string) (string, error) {
	if address != "" {
		return address, nil
	}
	dir := cli.StateDir()
	if dir == "" {
		return "", fmt.Errorf("no home directory for the %s: name one with --%s FILE", what, flag)
	}
	return filepath.Join(dir, name), nil
}

// logPlace returns which database a log is in, "" if its store does not say.
func logPlace(ctx context.Context, log *audit.Log) (string, error) {
	placed, ok := log.Store().(interface {
		Place(context.Context) (string, error)
	})
	if !ok {
		return "", nil
	}
	return placed.Place(ctx)
}
