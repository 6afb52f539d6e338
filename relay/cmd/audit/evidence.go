package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// evidenceBound is large enough for proofs of large records.
var evidenceBound = input.ByteBound{Bytes: 16 << 20, Remedy: "not a checkpoint or a proof"}

// readEvidence reads a checkpoint or a proof.
func readEvidence(g *cli.Globals, c *cobra.Command, path string) ([]byte, error) {
	s, err := g.File(path, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer closeFile() // read only
	text, err := evidenceBound.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return text, nil
}

// verifyCheckpoint parses a checkpoint signed by one of the keys.
func verifyCheckpoint(text []byte, keys []ed25519.PublicKey) (c merkle.Checkpoint, err error) {
	for _, key := range keys {
		if c, err = merkle.VerifyCheckpoint(text, "", key); !errors.Is(err, merkle.ErrUnknownKey) {
			break
		}
	}
	return c, err
}

// withLog calls f with the audit log, which must exist.
func withLog(c *cobra.Command, flag *relayflags.AuditLogFlag, f func(*audit.Log) error) error {
	log, err := flag.Open(c.Context(), false)
	if err != nil {
		return err
	}
	return cli.Closed(f(log), log.Store().Close())
}

// writeEvidence calls evidence with a snapshot of the log, and writes the result to a file, or to standard
// output if output is "".
func writeEvidence(g *cli.Globals, c *cobra.Command, flag *relayflags.AuditLogFlag, output string, evidence func(audit.Reader) ([]byte, error)) error {
	return withLog(c, flag, func(l *audit.Log) error {
		defer atWork(g, c).Stop()
		var text []byte
		err := l.Store().View(c.Context(), func(r audit.Reader) (err error) {
			text, err = evidence(r)
			return err
		})
		if err != nil {
			return err
		}
		return g.WriteData(output, c.OutOrStdout(), text)
	})
}

// originSetting is the setting with the log's name.
const originSetting = "origin"

// originOf returns the name of a log in checkpoints: the setting made by audit init, or a unique name derived
// from its first record.
func originOf(ctx context.Context, r audit.Reader) (string, error) {
	settings, err := audit.Settings(r)
	if err != nil || settings[originSetting] != "" {
		return settings[originSetting], err
	}
	first, err := r.RecordHashes(ctx, 0, 1)
	if err != nil {
		return "", err
	}
	if len(first) == 0 {
		return "", term.WithHint(errors.New("the audit log has no record yet, and no name"), "handoff audit init --origin NAME names it")
	}
	return "handoff-" + hex.EncodeToString(first[0][:8]), nil
}

// checkAgainst returns an error unless a log, by its stored nodes, begins with the records of a checkpoint.
func checkAgainst(ctx context.Context, r audit.Reader, size int64, c merkle.Checkpoint) error {
	if c.Size > size {
		return fmt.Errorf("the log has %d records, and had %d at the checkpoint: it was cut off", size, c.Size)
	}
	root, err := merkle.Root(ctx, r, c.Size)
	if err == nil && root != c.Root {
		err = fmt.Errorf("the first %d records differ from those at the checkpoint: run handoff audit verify", c.Size)
	}
	return err
}
