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
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
)

// SubjectKeysFlag says where the keys of data subjects are.
type SubjectKeysFlag struct{ Address string }

// Register registers the flag.
func (f *SubjectKeysFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.Address, "subject-keys", "", "keys of data subjects: a `FILE`, sqlite:FILE or postgres://… (default $XDG_STATE_HOME/handoff/subject-keys.db)")
}

// Sealer returns what puts the personal data of a log's messages back. The key store is opened
// when it is needed. The caller closes the sealer.
func (f *SubjectKeysFlag) Sealer(log *audit.Log) *personal.Sealer {
	s, _ := personal.New(personal.Options{Keys: f.open(log, false)}) // errors are about policies
	return s
}

// With calls use with the audit log, which must be there, and with what puts the personal data of
// its messages back, and closes both.
func (f *SubjectKeysFlag) With(ctx context.Context, flag *AuditLogFlag, use func(*audit.Log, *personal.Sealer) error) error {
	log, err := flag.Open(ctx, false)
	if err != nil {
		return err
	}
	sealer := f.Sealer(log)
	return cli.Closed(use(log, sealer), sealer.Close(), log.Store().Close())
}

// open returns what opens the key store. One that is not there is made if create.
func (f *SubjectKeysFlag) open(log *audit.Log, create bool) func(context.Context) (personal.KeyStore, error) {
	return func(ctx context.Context) (personal.KeyStore, error) {
		address, err := inState("keys of data subjects", "subject-keys", f.Address, "subject-keys.db")
		if err != nil {
			return nil, err
		}
		place, err := logPlace(ctx, log)
		if err != nil {
			return nil, err
		}
		keys, err := sqlkeys.Open(ctx, address, sqlkeys.Options{Create: create, LogPlace: place})
		if errors.Is(err, os.ErrNotExist) {
			return nil, term.WithHint(fmt.Errorf("the keys of data subjects: %w", err), "--subject-keys or HANDOFF_SUBJECT_KEYS names the key store that the audit log was written with")
		}
		if same := (*sqlkeys.SamePlaceError)(nil); errors.As(err, &same) {
			return nil, fmt.Errorf("--subject-keys: %w", err)
		}
		if err != nil {
			return nil, fmt.Errorf("the keys of data subjects: %w", err)
		}
		return keys, nil
	}
}

// noPolicy stands for no policy, where there was one.
const noPolicy = "none"

// PersonalFlags say that personal data is kept apart in the audit log.
type PersonalFlags struct {
	Policy string
	Keys   SubjectKeysFlag
}

// Register registers the flags.
func (f *PersonalFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.Policy, "personal-data", "", "policy `FILE` or default, to store personal data separately in the audit log, encrypted; none to disable (docs/audit.md)")
	f.Keys.Register(c)
}

// Sealer returns what keeps personal data apart, if there is a policy, and puts it back. The
// caller closes it.
func (f *PersonalFlags) Sealer(g *cli.Globals, c *cobra.Command, log *audit.Log) (*personal.Sealer, error) {
	policy := cli.PolicyFlag{File: f.Policy}
	if f.Policy == noPolicy {
		policy.File = ""
	}
	scanner, err := policy.Load(g, c)
	if err != nil {
		return nil, err
	}
	s, err := personal.New(personal.Options{Scanner: scanner, Limits: g.Limits, Keys: f.Keys.open(log, scanner != nil)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Policy, err)
	}
	return s, s.Connect(c.Context())
}

// CheckNamed returns why messages may not be recorded where no policy is named: others in the
// log were recorded by one, and who forgets it would store personal data for good.
func (f *PersonalFlags) CheckNamed(ctx context.Context, log *audit.Log) error {
	if f.Policy != "" {
		return nil
	}
	kept, err := personal.KeptApart(ctx, log.Store())
	if kept {
		err = term.WithHint(errors.New("this audit log keeps personal data apart, and nothing says what that is: name the policy with --personal-data"), "--personal-data none stores messages as they are")
	}
	return err
}
