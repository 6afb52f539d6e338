package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/cmd/letters"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// subjectFlags select a data subject, and the databases with its data and its keys.
type subjectFlags struct {
	log    relayflags.AuditLogFlag
	keys   relayflags.SubjectKeysFlag
	record int64
	id     string
}

func (f *subjectFlags) register(g *cli.Globals, c *cobra.Command) {
	f.log.Register(g, c)
	f.keys.Register(g, c)
	c.Flags().StringVar(&f.id, "subject", "", "`ID` of the data subject, the same as the argument ID")
	c.Flags().Int64Var(&f.record, "record", 0, "number `N` of a record of the subject, instead of the id")
}

// subject returns the data subject: the one that the argument or --subject names, or the subject of a record.
func (f *subjectFlags) subject(c *cobra.Command, args []string) (s personal.Subject, err error) {
	id := f.id
	if len(args) == 1 {
		if id != "" && id != args[0] {
			return s, errors.New("two data subjects are given: use the argument or --subject")
		}
		id = args[0]
	}
	switch byRecord := c.Flags().Changed("record"); {
	case byRecord && id != "":
		return s, errors.New("an id and --record are both given: use one of them")
	case byRecord:
		return personal.Subject{Record: &f.record}, nil
	case id == "":
		return s, errors.New("the data subject is missing: give the id that the messages have, or --record N")
	}
	return personal.Subject{ID: id}, nil
}

// with calls use with the log and the sealer with its keys.
func (f *subjectFlags) with(c *cobra.Command, use func(*audit.Log, *personal.Sealer) error) error {
	return f.keys.With(c.Context(), &f.log, func(log *audit.Log, sealer *personal.Sealer) error {
		return answered(c.ErrOrStderr(), use(log, sealer))
	})
}

// An erasedAll lists the erased data, and the data that was not erased.
type erasedAll struct {
	Record int64  `json:"record"`
	At     string `json:"at"`
	letters.Reach
}

// WriteText writes it as text.
func (e *erasedAll) WriteText(w io.Writer, columns int, colors term.Palette) error {
	if _, err := fmt.Fprintf(w, "erased at %s: record %d\n", e.At, e.Record); err != nil {
		return err
	}
	return e.Reach.WriteText(w, columns, colors)
}

// eraseFlags select the stores to erase from besides the audit log.
type eraseFlags struct {
	subjectFlags
	store  relayflags.StoreFlag
	queues letters.Flags
	format string
}

// reach removes a subject's data in the log from other stores, and notes stores that it could not reach.
func (f *eraseFlags) reach(ctx context.Context, log *audit.Log, erased audit.Stored, r *letters.Reach) error {
	var handoffs, transports []string
	records := 0
	err := log.Store().View(ctx, func(v audit.Reader) error {
		for s, err := range v.Records(audit.Filter{Subject: erased.Details.Subject}) {
			if err != nil {
				return err
			}
			if s.Event == audit.Erased {
				continue
			}
			records++
			if s.HandoffID != "" && !slices.Contains(handoffs, s.HandoffID) {
				handoffs = append(handoffs, s.HandoffID)
			}
			if s.Transport != "" && !slices.Contains(transports, s.Transport) {
				transports = append(transports, s.Transport)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.Removed("the audit log and its archives", records)
	f.store.Wipe = true
	store, err := f.store.Open(ctx, log, false)
	switch {
	case errors.Is(err, os.ErrNotExist) && f.store.Address == "": // nothing was sent from here
	case err != nil:
		return err
	default:
		removed, err := store.Erase(ctx, handoffs)
		if err = cli.Closed(err, store.Close()); err != nil {
			return fmt.Errorf("the outbox: %w", err)
		}
		r.Removed("the outbox, with messages, checkpoints and answers", removed.Handoffs)
	}
	if err := f.queues.Remove(ctx, r, handoffs, transports); err != nil {
		return err
	}
	r.Left("the agents", "they keep the messages that they received")
	r.Left("files of -o, --replies, report and shells", "the audit log does not list them")
	r.Left("copies of the key store", "backups and write-ahead logs contain the key until they are deleted")
	return nil
}

func newErase(g *cli.Globals) *cobra.Command {
	var f eraseFlags
	var d personal.Decision
	c := &cobra.Command{
		Use:   "erase ID --reason TEXT",
		Short: "Erase a person's data from the audit log and the outbox",
		Long: `Erase destroys the encryption key of one data subject's personal data in the audit log,
and records the time and the reason (EAAPL-MAG006, section 12.3; GDPR, Article 17). No
record is changed: the chain and the tree remain verifiable. The key is destroyed first,
then the record is written; if erase was interrupted in between, run it again to
complete it.

The subject's handoffs that are known to the log are also removed from a local outbox,
with messages, checkpoints and answers, even if delivery is in progress; with --queue
from the dead letters of a transport; and with --claim-check from the folder of messages
that were too long for it. Erase lists the places that it cannot reach: the sender,
other consumers, agents, files.

The id is the one that the policy of accept --personal-data finds in messages. A message
without an id is a separate subject, identified by the number of its record.

Do not put personal data into --reason or --by: they stay in the log. You must destroy
copies of the key store, such as backups and PostgreSQL's write-ahead log, yourself
(docs/audit.md).

Exit code 0: erased, now or earlier, in all stores listed as reached; 1: there is no
data of this subject; 2: a store could not be reached: run erase again.`,
		Example: `  handoff audit erase C-4711 --reason "request of 2026-06-12, Article 17" --by "Ada Byron"
  handoff audit erase --record 17 --reason "sent by mistake"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			subject, err := f.subject(c, args)
			if err != nil {
				return err
			}
			if err := f.queues.Check(); err != nil {
				return err
			}
			return f.with(c, func(log *audit.Log, s *personal.Sealer) error {
				erased, err := s.Erase(c.Context(), log, subject, d)
				if err != nil {
					return err
				}
				e := erasedAll{Record: erased.Sequence, At: audit.FormatTime(erased.RecordedAt)}
				err = f.reach(c.Context(), log, erased, &e.Reach)
				if f.format == "json" {
					return errors.Join(err, report.WriteJSON(c.OutOrStdout(), &e))
				}
				return errors.Join(err, e.WriteText(c.ErrOrStderr(), 0, term.Palette{}))
			})
		},
	}
	f.register(g, c)
	f.store.Register(g, c)
	f.queues.Register(c)
	cli.RegisterFormat(c, &f.format, "format of the result: text (on standard error) or json", report.PlainFormats)
	c.Flags().StringVar(&d.Reason, "reason", "", "reason, as `TEXT`")
	c.Flags().StringVar(&d.By, "by", "", "`NAME` of the person who decides")
	_ = c.MarkFlagRequired("reason") // the flag exists
	cli.OnlyForCall(c, "subject", "record", "reason", "by")
	return c
}
