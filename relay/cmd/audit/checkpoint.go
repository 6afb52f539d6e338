package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// signFlags are the flags for signing a checkpoint.
type signFlags struct {
	keyFile, origin string
	key             ed25519.PrivateKey // nil until it is read: its file may be a pipe
}

func (f *signFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.keyFile, "key-file", "", "`FILE` of the private Ed25519 key that signs")
	c.Flags().StringVar(&f.origin, "origin", "", "`NAME` of the log in the checkpoint, such as example.com/audit (default: the name set by audit init, or one derived from the first record)")
}

// load reads the key, if it was not read before.
func (f *signFlags) load(g *cli.Globals, c *cobra.Command) (err error) {
	switch {
	case f.key != nil:
		return nil
	case f.keyFile == "":
		return errors.New("no key: name the private Ed25519 key that signs the checkpoint with --key-file")
	}
	f.key, err = relayflags.CheckpointKey(g, c, f.keyFile)
	return err
}

// sign returns the checkpoint of the log as seen by a reader.
func (f *signFlags) sign(g *cli.Globals, c *cobra.Command, r audit.Reader) ([]byte, error) {
	if err := f.load(g, c); err != nil {
		return nil, err
	}
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	checkpoint := merkle.Checkpoint{Origin: f.origin, Size: head.Size}
	if f.origin == "" {
		if checkpoint.Origin, err = originOf(c.Context(), r); err != nil {
			return nil, err
		}
	}
	if checkpoint.Root, err = merkle.Root(c.Context(), r, head.Size); err != nil {
		return nil, err
	}
	return merkle.SignCheckpoint(checkpoint, checkpoint.Origin, f.key)
}

func newCheckpoint(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var signing signFlags
	var output, since string
	c := &cobra.Command{
		Use:   "checkpoint --key-file KEY",
		Short: "Print a signed checkpoint of the audit log",
		Long: `Checkpoint signs the number of records in the log and the root of the tree over them
(RFC 6962), as a signed note (c2sp.org/tlog-checkpoint). If you keep it on another
system, audit verify --log-checkpoint can later detect records that were changed,
removed or cut off.

With --log-checkpoint, it signs only if the log still begins with the records of an
earlier checkpoint.`,
		Example: `  handoff audit checkpoint --key-file log.key --log-checkpoint last.checkpoint -o new.checkpoint`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return writeEvidence(g, c, &log, output, func(r audit.Reader) ([]byte, error) {
				if since != "" {
					if _, err := continues(g, c, r, since); err != nil {
						return nil, err
					}
				}
				return signing.sign(g, c, r)
			})
		},
	}
	log.Register(g, c)
	signing.register(c)
	c.Flags().StringVar(&since, "log-checkpoint", "", "`FILE` of an earlier checkpoint; the log must begin with its records")
	c.Flags().StringVarP(&output, "output", "o", "", "write the checkpoint to `FILE`")
	return c
}

// continues returns the checkpoint in a file. It returns an error if the log does not begin with the
// checkpoint's records.
func continues(g *cli.Globals, c *cobra.Command, r audit.Reader, file string) ([]byte, error) {
	text, err := readEvidence(g, c, file)
	if err != nil {
		return nil, err
	}
	checkpoint, err := merkle.ParseCheckpoint(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	if err := checkAgainst(c.Context(), r, head.Size, checkpoint); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}
