package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newProve(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var signing signFlags
	var output, checkpoint string
	c := &cobra.Command{
		Use:   "prove RECORD",
		Short: "Print a proof that a record is in the audit log",
		Long: `Prove prints a proof (c2sp.org/tlog-proof) that a record is in the log of a checkpoint:
the record as canonical JSON, the path in the tree, and the checkpoint. audit verify
--proof checks it with only the public key, without the log or any other record.

RECORD is the number of a record, or a handoffId, for the record that accepted the
handoff or else the first record about it. The checkpoint is the one that
--log-checkpoint names, or a new one, signed now.`,
		Example: `  handoff audit prove 1 --key-file log.key -o 1.tlog-proof
  handoff audit prove 1 --log-checkpoint kept.checkpoint`,
		ValidArgsFunction: relayflags.OneID(log.Recorded(relayflags.HandoffID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return writeEvidence(g, c, &log, output, func(r audit.Reader) ([]byte, error) {
				signed, err := noteOf(g, c, r, &signing, checkpoint)
				if err != nil {
					return nil, err
				}
				record, err := findRecord(r, args[0])
				if err != nil {
					return nil, err
				}
				return proofOf(c.Context(), r, record, signed)
			})
		},
	}
	log.Register(g, c)
	signing.register(c)
	c.Flags().StringVar(&checkpoint, "log-checkpoint", "", "prove it for this checkpoint, a `FILE`, instead of a new one")
	c.Flags().StringVarP(&output, "output", "o", "", "write the proof to `FILE`")
	return c
}

// noteOf returns the checkpoint of a file, which the log must match, or a new one.
func noteOf(g *cli.Globals, c *cobra.Command, r audit.Reader, signing *signFlags, file string) ([]byte, error) {
	if file == "" {
		return signing.sign(g, c, r)
	}
	return continues(g, c, r, file)
}

// findRecord returns the record with a number or a handoffId.
func findRecord(r audit.Reader, name string) (found audit.Stored, err error) {
	filter := audit.Filter{Handoffs: []string{name}}
	sequence, notNumber := strconv.ParseInt(name, 10, 64)
	if notNumber == nil {
		filter = audit.Filter{From: sequence, Limit: 1}
	}
	ok := false
	for s, err := range r.Records(filter) {
		if err != nil {
			return found, err
		}
		if notNumber == nil && s.Sequence != sequence {
			break
		}
		if !ok || s.Event == audit.Accepted && found.Event != audit.Accepted {
			found, ok = s, true
		}
	}
	if !ok {
		return found, fmt.Errorf("the audit log has no record %q: use the number of a record, or a handoffId", name)
	}
	return found, nil
}

// proofOf returns the proof that a record is in the log of a checkpoint. It contains the record.
func proofOf(ctx context.Context, r audit.Reader, s audit.Stored, signed []byte) ([]byte, error) {
	checkpoint, err := merkle.ParseCheckpoint(signed)
	if err != nil {
		return nil, err
	}
	text, err := s.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	if s.Sequence >= checkpoint.Size {
		return nil, fmt.Errorf("record %d is newer than the checkpoint, which has %d records", s.Sequence, checkpoint.Size)
	}
	p := merkle.Proof{Index: s.Sequence, Checkpoint: signed, Extra: text}
	if p.Hashes, err = merkle.ProveRecord(ctx, r, checkpoint.Size, s.Sequence); err != nil {
		return nil, err
	}
	if hash, err := s.Record.Hash(); err != nil {
		return nil, err
	} else if merkle.CheckRecord(p.Hashes, checkpoint.Size, checkpoint.Root, p.Index, hash) != nil {
		return nil, errors.New("record " + strconv.FormatInt(s.Sequence, 10) + " or the tree was changed, so it cannot be proved: run handoff audit verify")
	}
	return merkle.FormatProof(p)
}
