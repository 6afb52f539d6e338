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
}

func (f *subjectFlags) register(c *cobra.Command) {
	f.log.Register(c)
	f.keys.Register(c)
	c.Flags().Int64Var(&f.record, "record", 0, "in the place of the id: the subject of the record with the number `N`")
}

// subject returns the data subject: id, or the subject of a record.
func (f *subjectFlags) subject(c *cobra.Command, id string) (s personal.Subject, err error) {
	switch byRecord := c.Flags().Changed("record"); {
	case byRecord && id != "":
		return s, errors.New("an id and --record: one of them says whose data is meant")
	case byRecord:
		return personal.Subject{Record: &f.record}, nil
	case id == "":
		return s, errors.New("whose data? give the id that the messages have, or --record N")
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
	r.Left("the agents", "what they got stays with them")
	r.Left("files of -o, --replies, report and shells", "the audit log does not say which there are")
	r.Left("copies of the key store", "backups and write-ahead logs have the key until they are gone")
	return nil
}

func newErase(g *cli.Globals) *cobra.Command {
	var f eraseFlags
	var id string
	var d personal.Decision
	c := &cobra.Command{
		Use:   "erase --subject ID --reason TEXT",
		Short: "Erase somebody's personal data from the audit log and the outbox",
		Long: `Erase destroys the key under which the personal data of one data subject is encrypted
in the audit log, and records that it did, when and why (EAAPL-MAG006, section 12.3;
GDPR, Article 17). No record is changed: the chain and the tree verify as before. First
the key is destroyed, then that is recorded; if it was interrupted between the two,
running it again does the rest.

The handoffs of the subject that the log knows are removed from the outbox, too, if there
is one here, with messages, checkpoints and answers, also what is still under way; and with
--queue from the dead letters of a transport; with --claim-check from the folder of messages that
were too long for it. What is not reached is named: the sender, other consumers, agents, files.

The id is the one that the policy of accept --personal-data finds in the messages. A
message without one is a subject of its own: name it by the number of its record.

Neither --reason nor --by is personal data: they stay in the log. Copies of the key
store, such as backups and PostgreSQL's write-ahead log, are yours to destroy
(docs/audit.md).

Exit code 0: it is erased, now or before, in every store that is listed as reached; 1: there is
nothing about this subject; 2: a store could not be reached: run it again.`,
		Example: `  handoff audit erase --subject C-4711 --reason "request of 2026-06-12, Article 17" --by "Ada Byron"
  handoff audit erase --record 17 --reason "sent by mistake"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			subject, err := f.subject(c, id)
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
	f.register(c)
	f.store.Register(c)
	f.queues.Register(c)
	cli.RegisterFormat(c, &f.format, "how to say what was erased: text (on standard error) or json", report.PlainFormats)
	c.Flags().StringVar(&id, "subject", "", "the `ID` of the data subject")
	c.Flags().StringVar(&d.Reason, "reason", "", "why, a `TEXT`")
	c.Flags().StringVar(&d.By, "by", "", "the person who decides, a `NAME`")
	_ = c.MarkFlagRequired("reason") // the flag exists
	cli.OnlyForCall(c, "subject", "record", "reason", "by")
	return c
}
