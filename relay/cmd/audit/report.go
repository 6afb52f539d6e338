package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/evidence"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newReport(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var signing signFlags
	var output, checkpoint string
	page := pageFlags{Globals: g}
	c := &cobra.Command{
		Use:   "report TASK --key-file KEY -o FILE.tar.zst | --html -o FILE.html",
		Short: "Export the records of a task with proofs, or as an HTML page",
		Long: `Report writes an archive of all audit data of a task (EAAPL-MAG006, section 12.1): the
handoffs in order with sender and receiver, the input and the conclusions of each agent,
and the costs, with the records, their proofs, the messages, the checkpoint, and a
README with instructions to verify the archive, with handoff audit verify or with only
openssl and sha256sum. The same log, task and checkpoint produce the same bytes.

The checkpoint is a new one, signed now, or the one that --log-checkpoint names: then
--key-file can be the public key, and newer records are left out.

With --html, it writes one self-contained HTML file instead, which needs no network and
no key: the task as a tree and as a timeline, with acceptance, rejections, retries and
rollback, each agent's spending, the losses of each handoff, and each handoff with its
message, its records and their places in the log. Credentials are masked by asterisks,
unless --show-secrets is set.

Exit code 0: written; 1: the log has no record of the task; 2: the log or a message
could not be read (the page shows an error in its place), or the output could not be
written.`,
		Example: `  handoff audit report cc35de8b-6ece-4435-abfd-a60e12baff98 --key-file log.key -o evidence.tar.zst
  handoff audit report cc35de8b-6ece-4435-abfd-a60e12baff98 --html -o task.html`,
		ValidArgsFunction: relayflags.OneID(log.Recorded(relayflags.TaskID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if page.html {
				if signing.keyFile != "" || checkpoint != "" {
					return errors.New("--html needs no key and no checkpoint: leave out --key-file and --log-checkpoint, or --html for an archive with proofs")
				}
				return page.run(c, &log, args[0], output)
			}
			for _, name := range []string{"show-secrets", "subject-keys", "max-visits", "tolerance", "agent-type"} {
				if c.Flags().Changed(name) {
					return fmt.Errorf("--%s requires --html", name)
				}
			}
			if output == "" {
				return errors.New("name the archive with -o, such as -o evidence.tar.zst")
			}
			if signing.keyFile == "" {
				return errors.New("no key: name the key of the checkpoint with --key-file")
			}
			key, err := signing.verifier(g, c, checkpoint)
			if err != nil {
				return err
			}
			return withLog(c, &log, func(l *audit.Log) error {
				defer atWork(g, c).Stop()
				return l.Store().View(c.Context(), func(r audit.Reader) error {
					return writeReport(g, c, r, args[0], output, checkpoint, &signing, key)
				})
			})
		},
	}
	log.Register(g, c)
	log.RegisterArchive(c)
	signing.register(c)
	c.Flags().StringVar(&checkpoint, "log-checkpoint", "", "export the records at this checkpoint, a `FILE`, instead of at a new one")
	c.Flags().StringVarP(&output, "output", "o", "", "write the archive or page to `FILE`, compressed according to its name (.zst, .gz)")
	page.register(c)
	return c
}

// verifier returns the public key for the checkpoint in a file, or for the new one if there is no file.
func (f *signFlags) verifier(g *cli.Globals, c *cobra.Command, checkpoint string) (ed25519.PublicKey, error) {
	if checkpoint == "" {
		if err := f.load(g, c); err != nil {
			return nil, err
		}
		return f.key.Public().(ed25519.PublicKey), nil
	}
	keys, err := relayflags.CheckpointVerifiers(g, c, []string{f.keyFile})
	if err != nil {
		return nil, err
	}
	return keys[0], nil
}

func writeReport(g *cli.Globals, c *cobra.Command, r audit.Reader, task, output, checkpoint string, signing *signFlags, key ed25519.PublicKey) error {
	note, err := noteOf(g, c, r, signing, checkpoint)
	if err != nil {
		return err
	}
	out, err := g.OpenData(output, c.OutOrStdout())
	if err != nil {
		return err
	}
	return answered(c.ErrOrStderr(), out.Close(evidence.Write(c.Context(), out, r, task, note, key)))
}
