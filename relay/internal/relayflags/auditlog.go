// Package relayflags has the common flags of handoff-relay's commands: for the audit log, the outbox, data
// subjects and alerts.
package relayflags

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

// AuditLogFlag is the flag with the address of the audit log.
type AuditLogFlag struct {
	Address string
	Archive string // directory of the archive files, "" for the one in which they were written
	Wipe    bool   // overwrite removed data

	databaseFiles
}

// Register registers the flag.
func (f *AuditLogFlag) Register(g *cli.Globals, c *cobra.Command) {
	f.globals = g
	c.Flags().StringVar(&f.Address, "audit-log", "", "audit log: a `FILE`, sqlite:FILE or postgres://… (default $XDG_STATE_HOME/handoff/audit.db)")
}

// RegisterArchive registers the flag with the directory of archived messages.
func (f *AuditLogFlag) RegisterArchive(c *cobra.Command) {
	c.Flags().StringVar(&f.Archive, "archive-dir", "", "`DIR` of the files of audit archive (default: where they were written)")
}

// Open opens the audit log. A missing log is created if create is set; otherwise it is an error. The caller
// closes the log's store.
func (f *AuditLogFlag) Open(ctx context.Context, create bool) (*audit.Log, error) {
	address, err := inState("audit log", "audit-log", f.Address, "audit.db")
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, address, sqlstore.Options{Create: create, Archive: f.Archive, Wipe: f.Wipe})
	if errors.Is(err, os.ErrNotExist) && !create {
		return nil, term.WithHint(err, "handoff accept, receive and send create an audit log; --audit-log or HANDOFF_AUDIT_LOG names another one")
	}
	if err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	if err := f.claim(address); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return audit.NewLog(store, nil), nil
}

// inState returns an address, or its default in the state directory. what and flag describe the database in
// errors.
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

// databaseFiles claims the files of a database, so that no output of the run replaces them. The zero value claims
// nothing.
type databaseFiles struct{ globals *cli.Globals }

// claim claims the files of the open database at an address. It returns an error if the run also writes one of them.
func (f databaseFiles) claim(address string) error {
	path := strings.TrimPrefix(address, "sqlite:")
	if f.globals == nil || strings.Contains(path, "://") {
		return nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if _, err := f.globals.File(path+suffix, nil); err != nil {
			return err
		}
	}
	return nil
}

// logPlace returns the Place of a log's database, "" if its store has none.
func logPlace(ctx context.Context, log *audit.Log) (string, error) {
	placed, ok := log.Store().(interface {
		Place(context.Context) (string, error)
	})
	if !ok {
		return "", nil
	}
	return placed.Place(ctx)
}
