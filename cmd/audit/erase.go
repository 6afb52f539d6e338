package audit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/personal"
)

// subjectFlags say whose data is meant, and where it and its keys are.
type subjectFlags struct {
	log    cli.AuditLogFlag
	keys   cli.SubjectKeysFlag
	record int64
}

func (f *subjectFlags) register(c *cobra.Command) {
	f.log.Register(c)
	f.keys.Register(c)
	c.Flags().Int64Var(&f.record, "record", 0, "in the place of the id: the subject of the record with the number `N`")
}

// subject returns whose data is meant: id, or the subject of a record.
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

// with calls use with the log, and with what has the keys.
func (f *subjectFlags) with(c *cobra.Command, use func(*audit.Log, *personal.Sealer) error) error {
	return f.keys.With(c.Context(), &f.log, func(log *audit.Log, sealer *personal.Sealer) error {
		return answered(c.ErrOrStderr(), use(log, sealer))
	})
}

func newErase(*cli.Globals) *cobra.Command {
	var f subjectFlags
	var id string
	var d personal.Decision
	c := &cobra.Command{
		Use:   "erase --subject ID --reason TEXT",
		Short: "Erase somebody's personal data from the audit log",
		Long: `Erase destroys the key under which the personal data of one data subject is encrypted
in the audit log, and records that it did, when and why (EAAPL-MAG006, section 12.3;
GDPR, Article 17). No record is changed: the chain and the tree verify as before. First
the key is destroyed, then that is recorded; if it was interrupted between the two,
running it again does the rest.

The id is the one that the policy of accept --personal-data finds in the messages. A
message without one is a subject of its own: name it by the number of its record.

Neither --reason nor --by is personal data: they stay in the log. Copies of the key
store, such as backups and PostgreSQL's write-ahead log, are yours to destroy
(docs/audit.md).

Exit code 0: it is erased, now or before; 1: there is nothing about this subject.`,
		Example: `  handoff audit erase --subject C-4711 --reason "request of 2026-06-12, Article 17" --by "Ada Byron"
  handoff audit erase --record 17 --reason "sent by mistake"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			subject, err := f.subject(c, id)
			if err != nil {
				return err
			}
			return f.with(c, func(log *audit.Log, s *personal.Sealer) error {
				erased, err := s.Erase(c.Context(), log, subject, d)
				if err == nil {
					fmt.Fprintf(c.ErrOrStderr(), "erased at %s: record %d\n", audit.FormatTime(erased.RecordedAt), erased.Sequence)
				}
				return err
			})
		},
	}
	f.register(c)
	c.Flags().StringVar(&id, "subject", "", "the `ID` of the data subject")
	c.Flags().StringVar(&d.Reason, "reason", "", "why, a `TEXT`")
	c.Flags().StringVar(&d.By, "by", "", "the person who decides, a `NAME`")
	_ = c.MarkFlagRequired("reason") // it is there
	cli.OnlyForCall(c, "subject", "record", "reason", "by")
	return c
}
