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
		Short: "Pack what the audit log has of a task, with proofs, or make a page of it",
		Long: `Report writes an archive of all that the log has of a task (EAAPL-MAG006, section 12.1):
who handed what to whom, in which order, what each agent received and had concluded, at
what cost, with the records, their proofs, the messages, the checkpoint, and a README that
says how to verify it with handoff audit verify, or with openssl and sha256sum alone. The same
log, task and checkpoint give the same bytes.

The checkpoint is made and signed now, or is one that --log-checkpoint names: then --key-file may be
the public key, and what is newer is left out.

With --html it writes a page instead, one HTML file that needs no network and no key: the task
as a tree and as a timeline, with acceptance, rejections, retries and rollback, what each
agent spent, what was lost at which boundary, and each handoff with its message, its
records and where the log has them. Credentials in messages are asterisks, unless
--show-secrets says otherwise.

Exit code 0: it is written; 1: the log has no record of the task; 2: the log or a message in
it could not be read, which a page says in its place, or nothing could be written.`,
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
					return fmt.Errorf("--%s is for --html", name)
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
	log.Register(c)
	log.RegisterArchive(c)
	signing.register(c)
	c.Flags().StringVar(&checkpoint, "log-checkpoint", "", "what the log has at this checkpoint, a `FILE`, instead of one that is made now")
	c.Flags().StringVarP(&output, "output", "o", "", "write the archive or page to `FILE`, compressed as its name says (.zst, .gz)")
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
