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

// SubjectKeysFlag is the flag with the address of the keys of data subjects.
type SubjectKeysFlag struct {
	Address string

	databaseFiles
}

// Register registers the flag.
func (f *SubjectKeysFlag) Register(g *cli.Globals, c *cobra.Command) {
	f.globals = g
	c.Flags().StringVar(&f.Address, "subject-keys", "", "keys of data subjects: a `FILE`, sqlite:FILE or postgres://… (default $XDG_STATE_HOME/handoff/subject-keys.db)")
}

// Sealer returns a sealer that restores the personal data of a log's messages. It opens the key store only if
// needed. The caller closes the sealer.
func (f *SubjectKeysFlag) Sealer(log *audit.Log) *personal.Sealer {
	s, _ := personal.New(personal.Options{Keys: f.open(log, false)}) // only a policy can cause an error
	return s
}

// With calls use with the audit log, which must exist, and a sealer that restores the personal data of its
// messages, and closes both.
func (f *SubjectKeysFlag) With(ctx context.Context, flag *AuditLogFlag, use func(*audit.Log, *personal.Sealer) error) error {
	log, err := flag.Open(ctx, false)
	if err != nil {
		return err
	}
	sealer := f.Sealer(log)
	return cli.Closed(use(log, sealer), sealer.Close(), log.Store().Close())
}

// open returns a function that opens the key store. A missing one is created if create is set.
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
		if err := f.claim(address); err != nil {
			return nil, errors.Join(err, keys.Close())
		}
		return keys, nil
	}
}

// noPolicy explicitly selects no policy, in a log that was written with one.
const noPolicy = "none"

// PersonalFlags are the flags for storing personal data separately in the audit log.
type PersonalFlags struct {
	Policy string
	Keys   SubjectKeysFlag
}

// Register registers the flags.
func (f *PersonalFlags) Register(g *cli.Globals, c *cobra.Command) {
	c.Flags().StringVar(&f.Policy, "personal-data", "", "policy `FILE` or default, to store personal data separately in the audit log, encrypted; none to disable (docs/audit.md)")
	f.Keys.Register(g, c)
}

// Sealer returns a sealer that restores personal data, and separates it if there is a policy. The caller
// closes it.
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

// CheckNamed returns an error if no policy is named but other messages in the log were recorded with one:
// forgetting it would store personal data permanently.
func (f *PersonalFlags) CheckNamed(ctx context.Context, log *audit.Log) error {
	if f.Policy != "" {
		return nil
	}
	kept, err := personal.KeptApart(ctx, log.Store())
	if kept {
		err = term.WithHint(errors.New("this audit log stores personal data separately, and needs a policy: name it with --personal-data"), "--personal-data none stores messages unchanged")
	}
	return err
}
