package audit

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newArchive(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var before relayflags.BeforeFlag
	var directory string
	c := &cobra.Command{
		Use:   "archive --before PERIOD --archive-dir DIR",
		Short: "Move the messages of old records into compressed files",
		Long: `Archive moves the messages of old records from the database into files in a directory,
which any tool for object stores can copy: each file is written once, named after its
records, and durable before its messages leave the database. Records and hashes stay.
All commands that read messages, including audit verify, find the files; if you move
them, set --archive-dir.`,
		Example: `  handoff audit archive --before 30d --archive-dir archive`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := before.Time(time.Now())
			if err != nil {
				return err
			}
			return withLog(c, &log, func(l *audit.Log) error {
				defer atWork(g, c).Stop()
				m, err := archive.Move(c.Context(), l, at, directory)
				if err == nil || m.Files > 0 {
					fmt.Fprintf(c.ErrOrStderr(), "%s moved to %s\n", term.Counted(m.Messages, "message"), term.Counted(m.Files, "file"))
				}
				return err
			})
		},
	}
	log.Register(g, c)
	before.Register(c, "records")
	c.Flags().StringVar(&directory, "archive-dir", "", "`DIR` of the files")
	_ = c.MarkFlagRequired("archive-dir") // the flag exists
	return c
}

func newPrune(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var before relayflags.BeforeFlag
	var rejected bool
	c := &cobra.Command{
		Use:   "prune --before PERIOD [--rejected]",
		Short: "Remove records that are older than the retention period",
		Long: `Prune removes records with their messages and archived files. The number and the hash of
each record stay, so that chain, tree and checkpoints remain valid: audit verify still
detects every change. Prune keeps records within the retention period of audit init, the
last record, records of deliveries in progress, and records in an archived file with a
younger record. Without a retention period, it removes nothing.

With --rejected, it removes only the records of rejected messages without a signature by
a known key (SCHEMA_INVALID, INCOMPLETE_CONTEXT, SIGNATURE_INVALID, including messages
that wait for a person), of refused revocations, and of counted but unrecorded messages
(UNRECORDED). The retention period is then the one set by audit init
--retention-rejected, if any.

In SQLite, removed data is overwritten; the write-ahead log (-wal) is certain to contain
none of it only if no other process uses the audit log.`,
		Example: `  handoff audit prune --before P7Y
  handoff audit prune --rejected --before P30D`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			now := time.Now()
			at, err := before.Time(now)
			if err != nil {
				return err
			}
			log.Wipe = true
			return withLog(c, &log, func(l *audit.Log) error {
				defer atWork(g, c).Stop()
				remove := archive.Remove
				if rejected {
					remove = archive.RemoveRejected
				}
				m, err := remove(c.Context(), l, at, now)
				if young := (*archive.RetentionError)(nil); errors.As(err, &young) && young.Retention == "" {
					return term.WithHint(err, "handoff audit init --retention PERIOD sets one")
				}
				if err == nil {
					fmt.Fprintf(c.ErrOrStderr(), "%s removed, and %s\n", term.Counted(m.Records, "record"), term.Counted(m.Files, "file"))
				}
				return err
			})
		},
	}
	log.Register(g, c)
	log.RegisterArchive(c)
	before.Register(c, "records")
	c.Flags().BoolVar(&rejected, "rejected", false, "remove only rejected messages without a signature by a known key")
	return c
}
